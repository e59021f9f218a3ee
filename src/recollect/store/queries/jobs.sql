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
