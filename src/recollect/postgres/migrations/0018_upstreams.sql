-- Which of several LLM servers an exchange was said to, by the name its operator gives it; '' for the one that is the default.
-- By it alone the exchange is formed, where no other server is named that extracts.
ALTER TABLE exchanges ADD COLUMN upstream text NOT NULL DEFAULT '';
