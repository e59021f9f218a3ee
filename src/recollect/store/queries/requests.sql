-- name: request_metrics_of
-- Whose a request was; over all users.
SELECT user_id FROM request_metrics WHERE id = $1;

-- name: wait_briefly
-- Let the rest of the transaction wait two seconds for whoever uses a table, and no longer: others would wait behind it.
SELECT set_config('lock_timeout', '2s', true);

-- name: add_request_day
-- Make the part of the table that a day's requests go into.
SELECT add_request_day($1);

-- name: drop_request_days
-- Drop the days that ended before a time, and wait for nobody who reads them; of how many requests they were.
SELECT drop_request_days($1);

-- name: prune_request_metrics
-- Delete what was kept of requests before a time and is not of the day it falls into, over all users: that day is dropped once
-- it is over.
DELETE FROM request_metrics
WHERE at < $1 AND NOT (id >= first_id_of($2) AND id < first_id_of($2 + interval '1 day'));

-- name: requests_of_user
-- What the user's requests were like, newest first, those behind one of them, or the newest; and what they asked, as the
-- log has it, unless it is to be recalled no more.
SELECT r.*, left(m.content, 2000) AS question
FROM request_metrics AS r
LEFT JOIN exchanges AS e ON e.user_id = $1 AND e.session_id = r.session_id AND e.key = r.turn_key
LEFT JOIN messages AS m ON m.user_id = $1 AND m.id = e.message_id AND NOT m.hidden
WHERE r.user_id = $1 AND ($2::uuid IS NULL OR r.id < $2)
ORDER BY r.id DESC
LIMIT $3;

-- name: request_of_user
-- What one request of the user was like, and what it asked, as the log has it, unless it is to be recalled no more.
SELECT r.*, left(m.content, 2000) AS question
FROM request_metrics AS r
LEFT JOIN exchanges AS e ON e.user_id = $1 AND e.session_id = r.session_id AND e.key = r.turn_key
LEFT JOIN messages AS m ON m.user_id = $1 AND m.id = e.message_id AND NOT m.hidden
WHERE r.user_id = $1 AND r.id = $2;

-- name: contents_of_memories
-- What memories say that the user sees, that are past, or that serve everybody, and what the user's profile says.
SELECT l.vector_id AS id, v.content
FROM users_vectors AS l
JOIN vectors AS v ON v.owner = l.owner AND v.id = l.vector_id
WHERE l.user_id = $1 AND l.vector_id = ANY ($2::uuid[]) AND v.valid_to IS NULL
UNION
SELECT v.id, v.content
FROM vectors AS v
WHERE v.owner = $1 AND v.id = ANY ($2::uuid[]) AND v.ended_at IS NOT NULL
UNION
SELECT v.id, v.content
FROM vectors AS v
WHERE v.owner = '*' AND v.source = 'global' AND v.valid_to IS NULL AND v.id = ANY ($2::uuid[])
UNION
SELECT p.id, p.content
FROM profile_entries AS p
WHERE p.user_id = $1 AND p.id = ANY ($2::uuid[]) AND p.state = 'confirmed';

-- name: contents_of_passages
-- What parts of the user's messages say that may be recalled.
SELECT m.id, k.part, k.begins, k.cuts, substr(m.content, k.begins + 1, k.ends - k.begins) AS content
FROM messages AS m
JOIN message_chunks AS k ON k.user_id = $1 AND k.message_id = m.id
WHERE m.user_id = $1 AND m.id = ANY ($2::uuid[]) AND NOT m.hidden;
