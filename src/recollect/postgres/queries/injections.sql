-- name: recall_state
-- All that the next turn of a chat of the user needs, in one round trip: see the function.
SELECT * FROM recall_state($1, $2, $3, $4, $5, $6, $7, $8);

-- name: is_gone
-- Whether any of these is neither a memory that the user sees, or that serves everybody, nor a statement of their profile,
-- nor a message of theirs that may be recalled.
SELECT EXISTS (
    SELECT FROM unnest($2::uuid[]) AS item (id)
    WHERE NOT EXISTS (SELECT FROM users_vectors AS l WHERE l.user_id = $1 AND l.vector_id = item.id)
        AND NOT EXISTS (SELECT FROM messages AS m WHERE m.user_id = $1 AND m.id = item.id AND NOT m.hidden)
        AND NOT EXISTS (
            SELECT FROM profile_entries AS p WHERE p.user_id = $1 AND p.id = item.id AND p.state = 'confirmed'
        )
        AND NOT EXISTS (
            SELECT FROM vectors AS v
            WHERE v.owner = '*' AND v.id = item.id AND v.source = 'global' AND v.valid_to IS NULL
        )
);

-- name: add_injection
-- Note what was added to a turn of the user; what was noted first stays, unless it is added no more.
INSERT INTO injections (user_id, session_id, anchor, place, block, items, tokens, at, standing)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (user_id, session_id, anchor) DO UPDATE
SET place = excluded.place, block = excluded.block, items = excluded.items, tokens = excluded.tokens,
    at = excluded.at, standing = excluded.standing, detached = false
WHERE injections.detached;

-- name: detach_injections
-- Add these to the prompts of a chat of the user no more.
UPDATE injections SET detached = true WHERE user_id = $1 AND session_id = $2 AND anchor = ANY ($3::text[]);

-- name: delete_injections
-- Delete what was added to prompts of the user and speaks of one of these items.
DELETE FROM injections WHERE user_id = $1 AND items && $2::uuid[];

