-- How the answer to an exchange failed, and as much as came of it; apart from messages, so that it is neither recalled nor learned from.
ALTER TABLE exchanges ADD COLUMN failed_at text, ADD COLUMN failed_status integer, ADD COLUMN partial text;

COMMENT ON COLUMN exchanges.failed_at IS 'The stage at which the answer failed: connect, head, stream or client.';
COMMENT ON COLUMN exchanges.failed_status IS 'The status of the error that the LLM server answered with.';
COMMENT ON COLUMN exchanges.partial IS 'What came of an answer that failed, secrets masked.';
