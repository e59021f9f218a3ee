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

-- name: reserve_answer
-- Take a key of the user's for a request, unless it has an answer, or one is under way.
INSERT INTO kept_answers (user_id, key, request, at) VALUES ($1, $2, $3, $4)
ON CONFLICT (user_id, key) DO UPDATE
SET request = excluded.request, at = excluded.at, answer = NULL, etag = NULL
WHERE kept_answers.at < $5 OR kept_answers.answer IS NULL AND kept_answers.at < $6
RETURNING true;

-- name: kept_answer
-- What is kept of the request that has this key of the user's.
SELECT request, answer, etag FROM kept_answers WHERE user_id = $1 AND key = $2;

-- name: keep_answer
-- Keep the answer to the request that took this key of the user's at a time.
UPDATE kept_answers SET answer = $4, etag = $5 WHERE user_id = $1 AND key = $2 AND at = $3 AND answer IS NULL;

-- name: release_answer
-- Free a key of the user's: what took it at a time came to nothing.
DELETE FROM kept_answers WHERE user_id = $1 AND key = $2 AND at = $3 AND answer IS NULL;

-- name: erase_kept_answers
-- Delete what the user's requests were answered.
DELETE FROM kept_answers WHERE user_id = $1;

-- name: erase_kept_answers_around
-- Delete what the requests of all members of the user's team were answered, over all users.
DELETE FROM kept_answers AS k
USING teams AS t, jsonb_object_keys(t.members) AS m (person)
WHERE t.id = team_of($1) AND k.user_id = m.person || chr(31) || 'team:' || t.id;

-- name: prune_kept_answers
-- Delete, over all users, what was kept before a time.
DELETE FROM kept_answers WHERE at < $1;

-- name: add_not_helpful
-- Note that the user called a memory that they see, or that is past, not helpful for the question of a request, if the log still tells
-- the question.
INSERT INTO not_helpful (user_id, memory_id, request_id, session_id, message_id, at)
SELECT $1, $3, r.id, r.session_id, m.id, $4
FROM request_metrics AS r
JOIN exchanges AS e ON e.user_id = $1 AND e.session_id = r.session_id AND e.key = r.turn_key
JOIN messages AS m ON m.user_id = $1 AND m.id = e.message_id AND NOT m.hidden
WHERE r.user_id = $1 AND r.id = $2 AND (
    EXISTS (SELECT FROM users_vectors AS l WHERE l.user_id = $1 AND l.vector_id = $3)
    OR EXISTS (SELECT FROM vectors AS v WHERE v.owner = $1 AND v.id = $3 AND v.ended_at IS NOT NULL)
)
-- Nothing changes, but a row that is there is returned: DO NOTHING would return none.
ON CONFLICT (user_id, memory_id, request_id) DO UPDATE SET at = not_helpful.at
RETURNING 1;

-- name: remove_not_helpful
-- Take back that the user called a memory not helpful for the question of a request.
DELETE FROM not_helpful WHERE user_id = $1 AND request_id = $2 AND memory_id = $3 RETURNING 1;

-- name: not_helpful_of_requests
-- Which memories the user called not helpful for the questions of these requests.
SELECT request_id, memory_id FROM not_helpful WHERE user_id = $1 AND request_id = ANY ($2::uuid[]);

-- name: not_helpful_of_memory
-- For which questions the user called a memory not helpful, newest first, as the log tells them.
SELECT n.request_id, n.memory_id, n.at, left(m.content, 2000) AS question
FROM not_helpful AS n
LEFT JOIN messages AS m ON m.user_id = $1 AND m.id = n.message_id AND NOT m.hidden
WHERE n.user_id = $1 AND n.memory_id = $2
ORDER BY n.at DESC, n.request_id
LIMIT $3;

-- name: questions_to_embed
-- Questions for which the user called memories not helpful and which this model has not embedded.
SELECT DISTINCT n.message_id, left(m.content, 2000) AS content
FROM not_helpful AS n
JOIN messages AS m ON m.user_id = $1 AND m.id = n.message_id AND NOT m.hidden
WHERE n.user_id = $1 AND n.embedding_model IS DISTINCT FROM $2
ORDER BY n.message_id DESC
LIMIT $3;

-- name: embed_question
-- Keep the embedding of a question for which the user called memories not helpful.
UPDATE not_helpful SET "values" = $3, embedding_model = $4 WHERE user_id = $1 AND message_id = $2;

-- name: not_helpful_since
-- How often memories were called not helpful since a time, over all users.
SELECT count(*) FROM not_helpful WHERE at >= $1;
