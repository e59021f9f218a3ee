-- name: team_around
-- The team of a part of the user's, by the team's id, if they are in it.
SELECT id, title, members FROM teams WHERE id = $1 AND members -> $2 ->> 'role' <> 'former';

-- name: teams_of
-- The teams that a person is in, by id.
SELECT id, title, members FROM teams WHERE members -> $1 ->> 'role' <> 'former' ORDER BY id;

-- name: every_team
-- All teams, by id; the operator lists them.
SELECT id, title, members FROM teams ORDER BY id;

-- name: one_team
-- A team, by its id, over all users.
SELECT id, title, members FROM teams WHERE id = $1;

-- name: change_team
-- Make a team, or change how it is called; NULL leaves it.
INSERT INTO teams (id, title) VALUES ($1, coalesce($2, '')) ON CONFLICT (id) DO UPDATE SET title = coalesce($2, teams.title)
RETURNING id, title, members;

-- name: lock_team
-- A team that nobody else changes meanwhile.
SELECT id, title, members FROM teams WHERE id = $1 FOR UPDATE;

-- name: write_members
-- Write who is in a team.
UPDATE teams SET members = $2::jsonb WHERE id = $1;

-- name: leave_all_teams
-- Take an erased person out of all teams, also of those that they had left.
UPDATE teams SET members = members - $1 WHERE members ? $1;

-- name: lock_turns_of_team
-- Wait for turns in a team, and let none write meanwhile: the lock that changes of its parts take.
SELECT pg_advisory_xact_lock(hashtextextended(chr(31) || $1, 0));

-- name: parts_of_team
-- The members' parts of a team of which anything is kept, over all users.
SELECT p.user_id
FROM teams AS t, jsonb_object_keys(t.members) AS member (person), projects AS p
WHERE t.id = $1 AND p.user_id = member.person || chr(31) || 'team:' || t.id;

-- name: has_team
-- Whether the team of a part of the user's is there; also for who has left it.
SELECT EXISTS (SELECT FROM teams WHERE id = team_of($1));

-- name: delete_team
-- Delete a team's row.
DELETE FROM teams WHERE id = $1;

-- name: end_blocks_around
-- Delete what was added to prompts of the other members of the user's team, and speaks of one of these items.
SELECT end_blocks_around($1, $2::uuid[]);

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
