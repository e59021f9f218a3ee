-- name: prune_job_log
-- Delete what the queue logged longer ago than this.
DELETE FROM pgqueuer_log WHERE created < now() - $1::interval;
