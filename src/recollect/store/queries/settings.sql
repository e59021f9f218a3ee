-- name: flags_of
-- What was changed for everybody ('*'), and for the user.
SELECT user_id, flags FROM user_settings WHERE user_id IN ('*', $1);

-- name: change_flags
-- Change some of what is changed for the user, or for everybody, and return all of it; null takes one back.
INSERT INTO user_settings (user_id, flags, changed_at) VALUES ($1, $2, $3)
ON CONFLICT (user_id) DO UPDATE
SET flags = user_settings.flags || excluded.flags, changed_at = excluded.changed_at
RETURNING flags;

-- name: learn_flags
-- Keep what a request told of the user; nothing of one who was erased meanwhile.
INSERT INTO user_settings (user_id, flags, changed_at)
SELECT $1, $2::jsonb, $3::timestamptz WHERE EXISTS (SELECT FROM sessions WHERE user_id = $1) OR EXISTS (SELECT FROM projects WHERE owner = $1)
ON CONFLICT (user_id) DO UPDATE
SET flags = user_settings.flags || excluded.flags, changed_at = excluded.changed_at;

-- name: usage_of_user
-- Tokens that models took for the user on a day.
SELECT tokens FROM model_usage WHERE user_id = $1 AND day = $2;

-- name: usage_of_everybody
-- Tokens that models took on a day, over all users.
SELECT coalesce(sum(tokens), 0)::bigint FROM model_usage WHERE day = $1;

-- name: use_tokens
-- Count tokens that a model took for the user on a day; nothing of a user who was erased meanwhile. And how many of them
-- for a summary: unknown stays unknown.
INSERT INTO model_usage (user_id, day, tokens, calls, summary_tokens)
SELECT $1, $2, $3, 1, $4::bigint
WHERE EXISTS (SELECT FROM sessions WHERE user_id = $1) OR EXISTS (SELECT FROM users_vectors WHERE user_id = $1)
    OR EXISTS (SELECT FROM projects WHERE owner = $1)
ON CONFLICT (user_id, day) DO UPDATE
SET tokens = model_usage.tokens + excluded.tokens, calls = model_usage.calls + 1,
    summary_tokens = model_usage.summary_tokens + excluded.summary_tokens;

-- name: prune_usage
-- Delete what models took before a day, over all users.
DELETE FROM model_usage WHERE day < $1;

-- name: insert_admin_read
-- Note that somebody else read what is kept of the user, if anything is, and the same is not noted after $6.
INSERT INTO admin_reads (user_id, id, at, reader, operation)
SELECT $1, $2, $3, $4, $5
WHERE NOT EXISTS (SELECT FROM admin_reads WHERE user_id = $1 AND reader = $4 AND operation = $5 AND at > $6::timestamptz)
    AND (
        EXISTS (SELECT FROM users_vectors WHERE user_id = $1)
        OR EXISTS (SELECT FROM sessions WHERE user_id = $1)
        OR EXISTS (SELECT FROM quarantine WHERE user_id = $1)
        OR EXISTS (SELECT FROM user_settings WHERE user_id = $1)
        OR EXISTS (SELECT FROM memory_updates WHERE user_id = $1)
        OR EXISTS (SELECT FROM projects WHERE owner = $1)
    );

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
