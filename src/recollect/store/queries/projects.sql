-- name: projects_of
-- The person's projects, by name.
SELECT split_part(user_id, chr(31), 2) AS name, title, alone FROM projects WHERE owner = $1 ORDER BY user_id;

-- name: size_of_project
-- How many memories of its own that people see, and how many chats, a project has.
SELECT
    (
        SELECT count(*)
        FROM users_vectors AS l
        JOIN vectors AS v ON v.owner = $1 AND v.id = l.vector_id
        WHERE l.user_id = $1 AND v.kind NOT IN ('summary', 'qa_turn')
    ) AS memories,
    (SELECT count(*) FROM sessions AS s WHERE s.user_id = $1) AS chats;

-- name: is_alone
-- Whether the project's chats recall its memories alone.
SELECT alone FROM projects WHERE user_id = $1;

-- name: change_project
-- Change how a project is called, or whether its memories are recalled alone; NULL leaves it.
UPDATE projects SET title = coalesce($2, title), alone = coalesce($3, alone) WHERE user_id = $1
RETURNING title, alone;
