-- name: exchange_by_key
-- The user's exchange that a turn belongs to, whether it has a reply with text, and whether this one is kept.
SELECT e.id, e.turn_index,
    EXISTS (SELECT FROM messages AS m WHERE m.user_id = $1 AND m.id = e.reply_id) AS replied,
    EXISTS (SELECT FROM messages AS m WHERE m.user_id = $1 AND m.id = $4) AS kept
FROM exchanges AS e
WHERE e.user_id = $1 AND e.session_id = $2 AND e.key = $3;

-- name: next_turn_index
-- Count a turn and its reply in a session of the user; the turn's index.
INSERT INTO sessions (user_id, id, started_at, last_at, next_turn_index)
VALUES ($1, $2, $3, $3, 2)
ON CONFLICT (user_id, id) DO UPDATE
SET last_at = greatest(sessions.last_at, $3), next_turn_index = sessions.next_turn_index + 2
RETURNING next_turn_index - 2;

-- name: insert_message
-- Write one message of the user's log; it is recalled no more where it is abandoned, or where what it answers is not.
INSERT INTO messages (
    user_id, id, session_id, turn_index, role, speaker, content, tokens, alternate, created_at, exchange_id,
    marked, hidden
) VALUES (
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,
    $13 OR EXISTS (SELECT FROM messages AS said WHERE said.user_id = $1 AND said.exchange_id = $11 AND said.hidden)
);

-- name: insert_exchange
-- Write an exchange of the user: to be formed, or abandoned.
INSERT INTO exchanges (
    user_id, id, session_id, key, turn_index, message_id, reply_id, model, authorized, said_at, not_before,
    carried, anchor, parent, state
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $12, $13, $14);

-- name: set_reply
-- Give an exchange of the user the reply it had not.
UPDATE exchanges SET reply_id = $3 WHERE user_id = $1 AND id = $2;
