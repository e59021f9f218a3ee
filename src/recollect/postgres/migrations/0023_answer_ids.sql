-- The ids under which an LLM's server keeps the answers to an exchange: a request that names what it follows by such an id alone
-- belongs to the chat of that exchange.
ALTER TABLE exchanges ADD COLUMN answer_ids text[] NOT NULL DEFAULT '{}';
