-- name: prune_job_log
-- Delete what the queue logged longer ago than this.
DELETE FROM recollect.pgqueuer_log WHERE created < now() - $1::interval;

-- name: take_over_jobs
-- Delete the waiting jobs of a user: the job that runs does their work.
DELETE FROM recollect.pgqueuer WHERE entrypoint = $1 AND payload = $2 AND status = 'queued';

-- name: jobs_lack_index
-- Whether the queue's table has no index yet by which a user's waiting jobs are found. To create it if it is not there would wait
-- for whoever writes jobs, at each start.
SELECT to_regclass('recollect.pgqueuer_waiting_of_users') IS NULL;

-- name: index_jobs
-- Find a user's waiting jobs without reading everybody's.
CREATE INDEX pgqueuer_waiting_of_users ON recollect.pgqueuer (payload) WHERE status = 'queued';

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
