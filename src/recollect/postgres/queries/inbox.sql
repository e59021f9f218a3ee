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

-- name: pending_exchanges
-- What is to be formed next of the user: exchanges of one chat, the oldest first, up to the first of another chat.
SELECT e.id, e.session_id, e.key, e.turn_index, e.message_id, e.reply_id, e.model, e.upstream, e.authorized, e.said_at,
    e.attempts, e.not_before, said.content AS said, said.speaker, coalesce(reply.content, '') AS reply
FROM (
    SELECT *, bool_and(session_id = first_session) OVER (ORDER BY id) AS follows
    FROM (
        SELECT *, first_value(session_id) OVER (ORDER BY id) AS first_session
        FROM (
            SELECT * FROM exchanges WHERE user_id = $1 AND state = 'pending' ORDER BY id LIMIT $2
        ) AS oldest
    ) AS beside_the_first
) AS e
JOIN messages AS said ON said.user_id = $1 AND said.id = e.message_id
LEFT JOIN messages AS reply ON reply.user_id = $1 AND reply.id = e.reply_id AND NOT reply.hidden
WHERE e.follows
ORDER BY e.id;

-- name: messages_before
-- What was said last in a session of the user before a turn, newest first; replies once each, and what is recalled no
-- more not at all.
SELECT turn_index, role, content, speaker
FROM messages
WHERE user_id = $1 AND session_id = $2 AND turn_index < $3 AND NOT alternate AND NOT hidden
ORDER BY turn_index DESC
LIMIT $4;

-- name: blocks_of_chat
-- What was added last to the prompts of a chat of the user, newest first; also what is attached no more.
SELECT block
FROM injections
WHERE user_id = $1 AND session_id = $2
ORDER BY at DESC, anchor DESC
LIMIT $3;

-- name: known_of_hashes
-- What some of the user's memories say, by the hashes of their contents.
SELECT v.content
FROM users_vectors AS l
JOIN vectors AS v ON v.owner = l.owner AND v.id = l.vector_id
WHERE l.user_id = $1 AND l.content_hash = ANY ($2);

-- name: mark_formed
-- Mark pending exchanges of the user formed, all of them or, where one is not pending, none.
WITH waiting AS (
    SELECT id FROM exchanges WHERE user_id = $1 AND id = ANY ($2::uuid[]) AND state = 'pending' FOR UPDATE
)
UPDATE exchanges AS e
SET state = 'formed', formed_at = $4, fallback = decided.fallback, error = NULL
FROM unnest($2::uuid[], $3::text[]) AS decided (id, fallback)
WHERE e.user_id = $1 AND e.id = decided.id AND (SELECT count(*) FROM waiting) = cardinality($2::uuid[])
RETURNING e.id;

-- name: note_made
-- Note what formation made of an exchange of the user.
UPDATE exchanges SET made = $3 WHERE user_id = $1 AND id = $2;

-- name: postpone
-- Note a failed attempt of the user's exchange: again later, or held as failed.
UPDATE exchanges
SET attempts = attempts + $5::integer, error = $3, not_before = coalesce($4, not_before),
    state = CASE WHEN $4::timestamptz IS NULL THEN 'failed' ELSE 'pending' END
WHERE user_id = $1 AND id = $2 AND state = 'pending';

-- name: progress_of_exchange
-- How far an exchange of a chat of the user is.
SELECT id, state, message_id, reply_id FROM exchanges WHERE user_id = $1 AND session_id = $2 AND key = $3;

-- name: tell_news
-- Note that what was formed in a chat of the user, or of this turn alone, and was shown with no answer yet, is shown with
-- this turn's. What another answer is just taking is left to it. Of which nothing can be shown (as said again, held back, undone),
-- it was shown with no answer: none takes it back.
UPDATE exchanges AS e
SET told_with = CASE WHEN EXISTS (
    SELECT FROM memory_updates AS u
    WHERE u.user_id = $1 AND u.exchange_id = e.id AND u.undoes IS NULL AND u.reason <> 'kept_verbatim'
        AND (
            u.action IN ('add', 'retire')
            OR u.action IN ('replace', 'edit', 'restore') AND u.after <> '' AND u.after IS DISTINCT FROM u.before
        )
        AND NOT EXISTS (SELECT FROM memory_updates AS by WHERE by.user_id = $1 AND by.undoes = u.id)
) THEN $3 ELSE '' END
WHERE user_id = $1 AND id IN (
    SELECT id FROM exchanges
    WHERE user_id = $1 AND session_id = $2 AND state = 'formed' AND told_with IS NULL AND (key = $3 OR NOT $4)
    FOR UPDATE SKIP LOCKED
)
RETURNING id;

-- name: untell_news
-- Note that what these exchanges of the user taught was not shown after all.
UPDATE exchanges SET told_with = NULL WHERE user_id = $1 AND id = ANY ($2::uuid[]) AND told_with <> '';

-- name: turns_told_with
-- Of which turns of a chat of the user it was shown with this one's answer what they taught, the newest first.
SELECT key FROM exchanges
WHERE user_id = $1 AND session_id = $2 AND told_with = $3 AND told_with <> '' AND key <> $3
ORDER BY turn_index DESC;

-- name: backlog
-- What is pending, or has its answer under way; what failed, and what is formed; over all users.
SELECT count(*) FILTER (WHERE state IN ('open', 'pending')) AS pending,
    count(*) FILTER (WHERE state = 'failed') AS failed,
    count(*) FILTER (WHERE state = 'formed') AS formed,
    count(fallback) FILTER (WHERE state = 'formed') AS fallbacks,
    min(said_at) FILTER (WHERE state = 'pending') AS oldest_pending_at
FROM exchanges;

-- name: answers_under_way
-- How many exchanges have their answer under way that were said since a time, over all users; nobody asks any more for that of
-- one that failed.
SELECT count(*) FROM exchanges WHERE state = 'open' AND asking <> '{}' AND said_at >= $1;

-- name: retry_failed
-- Put every held exchange back to pending, over all users.
UPDATE exchanges
SET state = 'pending', attempts = 0, not_before = $1, error = NULL
WHERE state = 'failed'
RETURNING user_id;
