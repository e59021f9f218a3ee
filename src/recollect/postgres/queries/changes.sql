-- name: memory_with_content
-- The user's memory with this content, if any.
SELECT vector_id FROM users_vectors WHERE user_id = $1 AND content_hash = $2;

-- name: linked_content
-- What a memory of the user says, whose it is, and what messages of the log it rests on.
SELECT v.owner, v.content, v.message_ids
FROM users_vectors AS l
JOIN vectors AS v ON v.owner = l.owner AND v.id = l.vector_id
WHERE l.user_id = $1 AND l.vector_id = $2 AND v.owner IN ($1, '*');

-- name: insert_vector
-- Keep a memory; a shared one may be there already.
INSERT INTO vectors (
    owner, id, kind, source, valid_from, content, content_hash, "values", embedding_model, importance,
    confidence, event_at, observed_at, session_id, message_ids, evidence, created_at
) VALUES ($1, $2, $3, $4, $11, $5, $6, $7::real[]::halfvec, $8, $9, $10, $12, $11, $13, $14, $15, $16)
ON CONFLICT (owner, id) DO NOTHING
RETURNING id;

-- name: link_memory
-- Let the user see a memory.
INSERT INTO users_vectors (user_id, vector_id, owner, content_hash, linked_at)
VALUES ($1, $2, $3, $4, $5);

-- name: unlink_memory
-- Let the user see a memory no longer.
DELETE FROM users_vectors WHERE user_id = $1 AND vector_id = $2;

-- name: end_validity
-- Note until when a memory of the user's own was believed; it stays for the audit.
UPDATE vectors SET valid_to = $3 WHERE owner = $1 AND id = $2;

-- name: count_reinforcement
-- Count that the user said again what a memory holds.
UPDATE users_vectors
SET reinforcement_count = reinforcement_count + 1
WHERE user_id = $1 AND vector_id = $2;

-- name: add_provenance
-- Note in which further messages of the log a memory of the user's own was said.
UPDATE vectors
SET message_ids = message_ids || ARRAY(
    SELECT further.id
    FROM unnest($3::uuid[]) WITH ORDINALITY AS further (id, place)
    WHERE further.id <> ALL (message_ids)
    ORDER BY further.place
)
WHERE owner = $1 AND id = $2 AND NOT message_ids @> $3::uuid[];

-- name: raise_importance
-- Make a memory of the user's own a little more important, up to 1.
UPDATE vectors SET importance = least(1, importance + $3) WHERE owner = $1 AND id = $2;

-- name: insert_update
-- Write one row of the user's audit.
INSERT INTO memory_updates (user_id, id, at, action, actor, reason, memory_id, replaced_id, before, after)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: edit_vector
-- Write over a memory of the user's own, its embedding with it. What was kept verbatim is so no longer.
UPDATE vectors
SET content = $3, content_hash = $4, kind = $5, importance = $6, event_at = $7,
    source = CASE source WHEN 'qa_turn' THEN 'manual' ELSE source END,
    "values" = $8::real[]::halfvec, embedding_model = $9
WHERE owner = $1 AND id = $2;

-- name: edit_vector_beside_embedding
-- Write over a memory of the user's own whose embedding still holds.
UPDATE vectors
SET content = $3, content_hash = $4, kind = $5, importance = $6, event_at = $7
WHERE owner = $1 AND id = $2;

-- name: edit_link
-- Write over the content hash by which the user's equal memories are found.
UPDATE users_vectors SET content_hash = $3 WHERE user_id = $1 AND vector_id = $2;
