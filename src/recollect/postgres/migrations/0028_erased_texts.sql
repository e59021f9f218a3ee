-- Who wants something kept nowhere has the text of the exchanges deleted that told it. They stay known, so that nothing writes it again.

-- Finds what was erased in a chat, beside `memory_updates_asked`. First, since the change of `exchanges` locks it until the end.
CREATE INDEX memory_updates_erased ON memory_updates (user_id, session_id) WHERE reason = 'erased';

ALTER TABLE exchanges ADD COLUMN erased_at timestamptz;

COMMENT ON COLUMN exchanges.erased_at IS 'When the text of the exchange was deleted, as its person asked; NULL: it was not.';
