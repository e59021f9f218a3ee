-- name: unended_attempts
-- How often a step for the user on this subject was begun and did not end.
SELECT tries FROM tries WHERE user_id = $1 AND step = $2 AND subject = $3;

-- name: begin_attempt
-- Count an attempt of a step for the user before it begins: one more where the last one on this subject did not end.
INSERT INTO tries AS t (user_id, step, subject, tries, begun_at)
VALUES ($1, $2, $3, 1, $4)
ON CONFLICT (user_id, step) DO UPDATE
SET tries = CASE WHEN t.subject = excluded.subject AND NOT $5::boolean THEN t.tries + 1 ELSE 1 END,
    subject = excluded.subject, begun_at = excluded.begun_at
WHERE t.user_id = $1
RETURNING tries;

-- name: end_attempt
-- Forget the attempts of a step for the user: it has ended.
DELETE FROM tries WHERE user_id = $1 AND step = $2;
