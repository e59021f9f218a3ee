-- What stands in every chat: which blocks hold it, and the user's most important statements by an index.

-- A chat that was begun before is given what stands in every chat with its next block.
ALTER TABLE injections ADD COLUMN standing boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN injections.standing IS 'Whether the block holds what stands in every chat.';

-- Without it each of a user's rows is read for the sixty that matter most, with the embedding that lies in it.
CREATE INDEX vectors_by_importance ON vectors (owner, importance DESC, observed_at DESC, id DESC)
    WHERE valid_to IS NULL AND kind IN ('fact', 'preference', 'insight', 'decision', 'todo', 'entity');
