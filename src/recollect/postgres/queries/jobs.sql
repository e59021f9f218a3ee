-- name: prune_job_log
-- Delete what the queue logged longer ago than this.
DELETE FROM recollect.pgqueuer_log WHERE created < now() - $1::interval;

-- name: take_over_jobs
-- Delete the jobs of a user that wait; who asks has one that stands for all of them.
DELETE FROM recollect.pgqueuer WHERE entrypoint = $1 AND payload = $2 AND status = 'queued';
