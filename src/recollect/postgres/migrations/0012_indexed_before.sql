-- A message that is indexed again stands already in the context of the one before it.
ALTER TABLE messages ADD COLUMN indexed_before boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN messages.indexed_before IS 'An earlier reading indexed it.';
