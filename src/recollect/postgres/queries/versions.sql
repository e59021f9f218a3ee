-- name: versions_of_user
-- The versions of what the user has, and of what people share; no row for a user without any.
SELECT u.epoch, u.statements_version AS statements, u.statements_floor, u.log_version AS log, u.log_floor,
    coalesce(c.statements_version, 0) AS commons, coalesce(c.statements_floor, 0) AS commons_floor
FROM users AS u
LEFT JOIN users AS c ON c.user_id = '*'
WHERE u.user_id = $1;

-- name: versions_of_users
-- The same of some users, over all users.
SELECT u.user_id, u.epoch, u.statements_version AS statements, u.statements_floor, u.log_version AS log, u.log_floor,
    coalesce(c.statements_version, 0) AS commons, coalesce(c.statements_floor, 0) AS commons_floor
FROM users AS u
LEFT JOIN users AS c ON c.user_id = '*'
WHERE u.user_id = ANY ($1::text[]);
