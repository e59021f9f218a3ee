-- name: allows_profile
-- Whether the user allows a profile.
SELECT coalesce((SELECT flags ->> 'profile' = 'true' FROM user_settings WHERE user_id = $1), false);

-- name: profile_entries
-- The user's profile, and what is proposed for it: what the memory says now, while the user has it. An entry that a memory
-- proposed is outdated once that one says otherwise, or is gone, unless for the cap alone.
SELECT p.id, p.field, p.state, coalesce(p.content, v.content) AS content, p.memory_id, p.own_words, p.created_at,
    p.changed_at, p."values", p.embedding_model,
    p.state = 'confirmed' AND NOT p.own_words AND p.memory_id IS NOT NULL AND CASE
        WHEN l.vector_id IS NOT NULL THEN l.content_hash <> p.content_hash
        ELSE coalesce((
            SELECT u.reason <> 'cap'
            FROM memory_updates AS u
            WHERE u.user_id = $1 AND (u.memory_id = p.memory_id OR u.replaced_id = p.memory_id)
            ORDER BY u.at DESC, u.id DESC
            LIMIT 1
        ), false)
    END AS outdated
FROM profile_entries AS p
LEFT JOIN users_vectors AS l ON l.user_id = $1 AND l.vector_id = p.memory_id
LEFT JOIN vectors AS v ON v.owner = l.owner AND v.id = l.vector_id
WHERE p.user_id = $1 AND (p.state = 'confirmed' OR p.state = 'proposed' AND l.vector_id IS NOT NULL)
ORDER BY p.id;

-- name: around_profile_entry
-- How many entries of the user's are confirmed beside one, and whether one of them has this content.
SELECT count(*) AS entries, coalesce(bool_or(content_hash = $3), false) AS is_known
FROM profile_entries
WHERE user_id = $1 AND id <> $2 AND state = 'confirmed';

-- name: add_profile_entry
-- Keep an entry that the user writes by hand.
INSERT INTO profile_entries (
    user_id, id, field, state, content, content_hash, own_words, created_at, changed_at
) VALUES ($1, $2, $3, 'confirmed', $4, $5, $6, $7, $7);

-- name: change_profile_entry
-- Keep an entry of the user's profile as confirmed, in place of the one with its id, which may be gone or refused by now.
UPDATE profile_entries
SET field = $3, state = 'confirmed', content = $4, content_hash = $5, own_words = $6, "values" = NULL, embedding_model = NULL,
    changed_at = $7
WHERE user_id = $1 AND id = $2 AND state <> 'refused'
RETURNING id;

-- name: entries_to_embed
-- Entries of the user's profile that this model has not embedded.
SELECT id, content
FROM profile_entries
WHERE user_id = $1 AND state = 'confirmed' AND embedding_model IS DISTINCT FROM $2
LIMIT $3;

-- name: embed_entry
-- Keep the embedding of an entry of the user's profile; not if its text changed meanwhile.
UPDATE profile_entries SET "values" = $4::halfvec, embedding_model = $5 WHERE user_id = $1 AND id = $2 AND content = $3;

-- name: propose_profile_entries
-- Propose what memories of the user say, but those that were proposed or refused before, or that an entry has the words of.
INSERT INTO profile_entries (user_id, id, field, state, memory_id, own_words, created_at, changed_at)
SELECT $1, given.id, given.field, 'proposed', l.vector_id, false, $5, $5
FROM unnest($2::uuid[], $3::text[], $4::uuid[]) AS given (id, field, memory_id)
JOIN users_vectors AS l ON l.user_id = $1 AND l.vector_id = given.memory_id
WHERE NOT EXISTS (SELECT FROM profile_entries AS p WHERE p.user_id = $1 AND p.content_hash = l.content_hash)
ON CONFLICT DO NOTHING
RETURNING id;

-- name: refuse_profile_entry
-- Let a memory propose this entry of the user no more: nothing of it is kept but which memory it was.
UPDATE profile_entries
SET state = 'refused', content = NULL, content_hash = NULL, own_words = false, "values" = NULL, embedding_model = NULL,
    changed_at = $3
WHERE user_id = $1 AND id = $2 AND state <> 'refused' AND memory_id IS NOT NULL
RETURNING id;

-- name: delete_profile_entry
-- Delete an entry that the user wrote by hand.
DELETE FROM profile_entries WHERE user_id = $1 AND id = $2 AND memory_id IS NULL RETURNING id;

-- name: forget_profile_entries
-- Delete what memories proposed that the user forgets; what the user put in own words stays, and names the memory no more.
WITH kept AS (
    UPDATE profile_entries SET memory_id = NULL WHERE user_id = $1 AND memory_id = ANY ($2::uuid[]) AND own_words
)
DELETE FROM profile_entries WHERE user_id = $1 AND memory_id = ANY ($2::uuid[]) AND NOT own_words RETURNING id;

-- name: clear_profile
-- Delete the user's profile, where they do not allow one.
DELETE FROM profile_entries
WHERE user_id = $1 AND NOT EXISTS (SELECT FROM user_settings WHERE user_id = $1 AND flags ->> 'profile' = 'true')
RETURNING id;
