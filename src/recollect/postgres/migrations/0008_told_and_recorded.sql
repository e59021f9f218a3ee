-- What an exchange taught is shown once; and whether anything is kept of a person is told apart from what is made of it.

-- The key of the turn with whose answer it was shown what this exchange taught; '': it is not shown any more. What was
-- there before is no news: the default fills those rows alone, without writing them.
ALTER TABLE exchanges ADD COLUMN told_with text DEFAULT '';
ALTER TABLE exchanges ALTER COLUMN told_with DROP DEFAULT;

COMMENT ON COLUMN exchanges.told_with IS 'The turn with whose answer was shown what this one taught; NULL: none yet.';

-- Finds what else the button under an answer takes back.
CREATE INDEX exchanges_told ON exchanges (user_id, session_id, told_with) WHERE told_with <> '';

-- Of whom formation was switched off nothing was even logged. They were promised that, and it stays so until it is switched on
-- again: record_by_upgrade says that nobody asked for record itself. Who had it on by a flag of their own was kept, and is,
-- whatever is set for everybody. The owner of the table is bound by no policy where none is forced.
ALTER TABLE user_settings NO FORCE ROW LEVEL SECURITY;
UPDATE user_settings SET flags = flags || '{"record": false, "record_by_upgrade": true}' WHERE flags ->> 'formation' = 'off';
UPDATE user_settings SET flags = flags || '{"record": true}' WHERE flags ->> 'formation' <> 'off' AND user_id <> '*';
ALTER TABLE user_settings FORCE ROW LEVEL SECURITY;
