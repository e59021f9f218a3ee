-- name: prune_job_log
-- Delete what the queue logged longer ago than this.
DELETE FROM recollect.pgqueuer_log WHERE created < now() - $1::interval;
