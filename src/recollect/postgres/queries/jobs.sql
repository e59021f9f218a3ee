-- name: prune_job_log
-- Delete what the queue logged longer ago than this.
DELETE FROM recollect.pgqueuer_log WHERE created < now() - $1::interval;

-- name: take_over_jobs
-- Delete the waiting jobs of a user: the job that runs does their work.
DELETE FROM recollect.pgqueuer WHERE entrypoint = $1 AND payload = $2 AND status = 'queued';
