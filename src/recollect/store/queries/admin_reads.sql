-- name: insert_admin_read
-- Note that somebody else read what is kept of the user, if anything is.
INSERT INTO admin_reads (user_id, id, at, reader, operation)
SELECT $1, $2, $3, $4, $5
WHERE EXISTS (SELECT FROM users_vectors WHERE user_id = $1)
    OR EXISTS (SELECT FROM sessions WHERE user_id = $1)
    OR EXISTS (SELECT FROM quarantine WHERE user_id = $1)
    OR EXISTS (SELECT FROM user_settings WHERE user_id = $1)
    OR EXISTS (SELECT FROM memory_updates WHERE user_id = $1);

-- name: admin_reads_of_user
-- What others read of the user, newest first.
SELECT id, at, reader, operation
FROM admin_reads
WHERE user_id = $1 AND NOT starts_with(operation, 'settings: ')
ORDER BY id DESC LIMIT $2;

-- name: insert_settings_change
-- Note who changed settings of the user's own, and how.
INSERT INTO admin_reads (user_id, id, at, reader, operation) VALUES ($1, $2, $3, $4, $5);

-- name: settings_changes_of_user
-- Who changed settings of the user's own, newest first.
SELECT id, at, reader, operation
FROM admin_reads
WHERE user_id = $1 AND starts_with(operation, 'settings: ')
ORDER BY id DESC LIMIT $2;

-- name: prune_admin_reads
-- Forget what was read until a time, over all users.
DELETE FROM admin_reads WHERE at < $1;
