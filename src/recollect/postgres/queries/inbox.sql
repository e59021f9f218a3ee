-- name: take_lease
-- Take the right to form for the user unless another holder has it. By the database's clock, which
-- all holders share.
INSERT INTO leases (user_id, holder, expires_at)
VALUES ($1, $2, clock_timestamp() + $3::interval)
ON CONFLICT (user_id) DO UPDATE
SET holder = excluded.holder, expires_at = excluded.expires_at
WHERE leases.expires_at < clock_timestamp()
RETURNING holder;

-- name: renew_lease
-- Keep the right to form for the user, if this holder still has it.
UPDATE leases
SET expires_at = clock_timestamp() + $3::interval
WHERE user_id = $1 AND holder = $2
RETURNING holder;

-- name: release_lease
-- Give up the right to form for the user.
DELETE FROM leases WHERE user_id = $1 AND holder = $2;

-- name: oldest_pending
-- The user's exchange that is to be formed next.
SELECT e.id, e.session_id, e.key, e.turn_index, e.message_id, e.reply_id, e.model, e.authorized, e.said_at,
    e.attempts, e.not_before, said.content AS said, said.speaker, coalesce(reply.content, '') AS reply
FROM exchanges AS e
JOIN messages AS said ON said.user_id = e.user_id AND said.id = e.message_id
LEFT JOIN messages AS reply ON reply.user_id = e.user_id AND reply.id = e.reply_id AND NOT reply.hidden
WHERE e.user_id = $1 AND e.state = 'pending'
ORDER BY e.id
LIMIT 1;

-- name: messages_before
-- What was said last in a session of the user before a turn, newest first; replies once each, and what is recalled no
-- more not at all.
SELECT role, content, speaker
FROM messages
WHERE user_id = $1 AND session_id = $2 AND turn_index < $3 AND NOT alternate AND NOT hidden
ORDER BY turn_index DESC
LIMIT $4;

-- name: mark_formed
-- Mark a pending exchange of the user formed.
UPDATE exchanges
SET state = 'formed', formed_at = $3, fallback = $4, error = NULL
WHERE user_id = $1 AND id = $2 AND state = 'pending'
RETURNING id;

-- name: postpone
-- Note a failed try of the user's exchange: again later, or held as failed.
UPDATE exchanges
SET attempts = attempts + 1, error = $3, not_before = coalesce($4, not_before),
    state = CASE WHEN $4::timestamptz IS NULL THEN 'failed' ELSE 'pending' END
WHERE user_id = $1 AND id = $2 AND state = 'pending';

-- name: backlog
-- What is pending, failed and formed, over all users.
SELECT count(*) FILTER (WHERE state = 'pending') AS pending,
    count(*) FILTER (WHERE state = 'failed') AS failed,
    count(*) FILTER (WHERE state = 'formed') AS formed,
    count(fallback) FILTER (WHERE state = 'formed') AS fallbacks,
    min(said_at) FILTER (WHERE state = 'pending') AS oldest_pending_at
FROM exchanges;

-- name: retry_failed
-- Put every held exchange back to pending, over all users.
UPDATE exchanges
SET state = 'pending', attempts = 0, not_before = $1, error = NULL
WHERE state = 'failed'
RETURNING user_id;
