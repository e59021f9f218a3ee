-- What was said next stands in a chunk's context once, also where that is indexed again.
ALTER TABLE message_chunks ADD COLUMN followed boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN message_chunks.followed IS 'Its context holds the beginning of the message after its own.';

UPDATE message_chunks AS k
SET followed = true
FROM messages AS m
WHERE m.user_id = k.user_id AND m.id = k.message_id AND EXISTS (
    SELECT
    FROM messages AS n
    WHERE n.user_id = m.user_id AND n.session_id = m.session_id AND n.turn_index > m.turn_index
        AND n.indexed AND NOT n.alternate
);
