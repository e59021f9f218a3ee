-- name: add_not_helpful
-- Note that the user called a memory that they see not helpful for the question of a request, if the log still tells the question.
INSERT INTO not_helpful (user_id, memory_id, request_id, session_id, message_id, at)
SELECT $1, l.vector_id, r.id, r.session_id, m.id, $4
FROM request_metrics AS r
JOIN exchanges AS e ON e.user_id = $1 AND e.session_id = r.session_id AND e.key = r.turn_key
JOIN messages AS m ON m.user_id = $1 AND m.id = e.message_id AND NOT m.hidden
JOIN users_vectors AS l ON l.user_id = $1 AND l.vector_id = $3
WHERE r.user_id = $1 AND r.id = $2
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
