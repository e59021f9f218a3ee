-- name: exchanges_of_session
-- What was said in a chat of the user, exchange by exchange.
SELECT id FROM exchanges WHERE user_id = $1 AND session_id = $2;

-- name: messages_of_session
-- All messages of a chat of the user, other answers too.
SELECT id FROM messages WHERE user_id = $1 AND session_id = $2;

-- name: memories_of_session
-- The user's own memories that came from a chat or rest on messages of it, also those the user sees no longer; whether the
-- user stood behind them outside of any chat; and what the row says by which one of these exchanges added it, as that
-- may name messages of what it replaced. Summaries of other chats are retired with what is hidden.
WITH added AS MATERIALIZED (
    SELECT DISTINCT ON (memory_id) memory_id, details
    FROM memory_updates
    WHERE user_id = $1 AND exchange_id = ANY ($4::uuid[]) AND action IN ('add', 'replace')
    ORDER BY memory_id, id
), by_hand AS MATERIALIZED (
    SELECT DISTINCT memory_id
    FROM memory_updates
    WHERE user_id = $1
        AND (reason IN ('approved', 'edited', 'written') OR action = 'restore' AND reason = 'undone')
)
SELECT v.id, v.content, v.message_ids, l.vector_id IS NOT NULL AS linked, added.details AS added,
    by_hand.memory_id IS NOT NULL AS by_hand
FROM vectors AS v
LEFT JOIN users_vectors AS l ON l.user_id = $1 AND l.vector_id = v.id
LEFT JOIN added ON added.memory_id = v.id
LEFT JOIN by_hand ON by_hand.memory_id = v.id
WHERE v.owner = $1 AND (v.session_id = $2 OR v.kind <> 'summary' AND v.message_ids && $3::uuid[]);

-- name: detach_from_session
-- Forget that a memory of the user came from a chat, and in which words.
UPDATE vectors
SET message_ids = $3, session_id = nullif(session_id, $4),
    evidence = CASE WHEN session_id = $4 THEN NULL ELSE evidence END
WHERE owner = $1 AND id = $2;

-- name: unlink_memories
-- Let the user see these memories no longer.
DELETE FROM users_vectors WHERE user_id = $1 AND vector_id = ANY ($2::uuid[]);

-- name: erase_memories
-- Delete memories of the user's own that the user sees no longer.
DELETE FROM vectors AS v
WHERE v.owner = $1 AND v.id = ANY ($2::uuid[])
    AND NOT EXISTS (SELECT FROM users_vectors AS l WHERE l.user_id = $1 AND l.vector_id = v.id)
RETURNING v.id;

-- name: erase_quarantine_of_session
-- Delete what the user had still to approve of a chat, or of nothing but these messages; of what was refused the hash.
DELETE FROM quarantine
WHERE user_id = $1 AND (session_id = $2 OR message_ids <> '{}' AND message_ids <@ $3::uuid[])
RETURNING id;

-- name: updates_of_session
-- The rows of the user's audit that name a chat, one of its exchanges or one of these memories, and what undoes them.
WITH named AS (
    SELECT id FROM memory_updates
    WHERE user_id = $1 AND (
        session_id = $2 OR exchange_id = ANY ($3::uuid[]) OR memory_id = ANY ($4::uuid[])
        OR replaced_id = ANY ($4::uuid[])
    )
)
SELECT u.id, u.at, u.action, u.actor, u.reason, u.memory_id, u.replaced_id, u.before, u.after, u.session_id,
    u.exchange_id, u.undoes, u.details
FROM memory_updates AS u
WHERE u.user_id = $1 AND (u.id IN (SELECT id FROM named) OR u.undoes IN (SELECT id FROM named))
ORDER BY u.id;

-- name: delete_updates
-- Delete rows of the user's audit.
DELETE FROM memory_updates WHERE user_id = $1 AND id = ANY ($2::uuid[]);

-- name: rewrite_update
-- Write over a row of the user's audit.
UPDATE memory_updates
SET action = $3, memory_id = $4, replaced_id = $5, before = $6, after = $7, session_id = $8, exchange_id = $9,
    details = $10
WHERE user_id = $1 AND id = $2;

-- name: erase_exchanges_of_session
-- Delete what is and was to be formed of a chat of the user.
DELETE FROM exchanges WHERE user_id = $1 AND session_id = $2;

-- name: erase_injections_of_session
-- Delete what was added to the prompts of a chat of the user.
DELETE FROM injections WHERE user_id = $1 AND session_id = $2;

-- name: erase_request_metrics_of_session
-- Delete what the requests of a chat of the user were like.
DELETE FROM request_metrics WHERE user_id = $1 AND session_id = $2;

-- name: erase_messages_of_session
-- Delete the log of a chat of the user.
DELETE FROM messages WHERE user_id = $1 AND session_id = $2;

-- name: erase_session
-- Delete a chat of the user.
DELETE FROM sessions WHERE user_id = $1 AND id = $2;

-- name: sessions_of_user
-- The chats of the user that had begun by then, where that is asked; the one where something was said last first.
SELECT id FROM sessions
WHERE user_id = $1 AND ($2::timestamptz IS NULL OR started_at <= $2)
ORDER BY last_at DESC, id;
