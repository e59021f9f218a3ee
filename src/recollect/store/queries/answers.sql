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

-- name: prune_kept_answers
-- Delete, over all users, what was kept before a time.
DELETE FROM kept_answers WHERE at < $1;
