-- What is said is written before it is answered; and what was erased is known to whoever writes later.

-- While its answer is under way an exchange is open. `asking` are the requests that ask for it.
ALTER TABLE exchanges
    ADD COLUMN asking uuid[] NOT NULL DEFAULT '{}',
    DROP CONSTRAINT exchanges_state_check,
    ADD CONSTRAINT exchanges_state_check CHECK (state IN ('open', 'pending', 'formed', 'failed', 'abandoned'));

CREATE INDEX exchanges_open ON exchanges (user_id, session_id) WHERE state = 'open';

-- Until when a person, or a chat of theirs, was erased: what was said before, and waited elsewhere, is not written
-- any more. A mark is a hash, as a tombstone names nobody; it is kept for no longer than anything waits.
CREATE TABLE erased (
    mark bytea PRIMARY KEY,
    erased_at timestamptz NOT NULL
);
