-- name: recall_state
-- All that the next turn of a chat of the user needs, in one round trip: see the function.
SELECT * FROM recall_state($1, $2, $3, $4, $5, $6, $7, $8);

-- name: delete_injections
-- Delete what was added to prompts of the user and speaks of one of these items.
DELETE FROM injections WHERE user_id = $1 AND items && $2::uuid[];

