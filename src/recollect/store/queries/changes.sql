-- name: memory_with_content
-- The user's memory with this content, if any.
SELECT vector_id FROM users_vectors WHERE user_id = $1 AND content_hash = $2;

-- name: insert_vector
-- Keep a memory; a shared one may be there already.
INSERT INTO vectors (
    owner, id, kind, source, valid_from, content, content_hash, "values", embedding_model, importance,
    confidence, event_at, observed_at, session_id, message_ids, evidence, created_at, holds_from, holds_until,
    extractor, outline, second_values, second_model
) VALUES (
    $1, $2, $3, $4, $11, $5, $6, $7::halfvec, $8, $9, $10, $12, $11, $13, $14, $15, $16, $17, $18, $19, $20,
    $21::halfvec, $22
)
ON CONFLICT (owner, id) DO NOTHING
RETURNING id;

-- name: link_memory
-- Let the user see a memory.
INSERT INTO users_vectors (
    user_id, vector_id, owner, content_hash, linked_at, last_recalled_at, recall_count, reinforcement_count, standing
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- name: unlink_memory
-- Let the user see a memory no longer.
DELETE FROM users_vectors WHERE user_id = $1 AND vector_id = $2;

-- name: end_validity
-- Note until when a memory of the user's own was believed; it stays for the audit.
UPDATE vectors SET valid_to = $3 WHERE owner = $1 AND id = $2;

-- name: add_provenance
-- Note in which further messages of the log a memory of the user's own was said.
UPDATE vectors
SET message_ids = message_ids || ARRAY(
    SELECT further.id
    FROM unnest($3::uuid[]) WITH ORDINALITY AS further (id, place)
    WHERE further.id <> ALL (message_ids)
    ORDER BY further.place
)
WHERE owner = $1 AND id = $2 AND valid_to IS NULL AND NOT message_ids @> $3::uuid[];

-- name: write_vector
-- Write over a memory of the user's own; its embeddings with it where what it says is another.
UPDATE vectors
SET content = $3, content_hash = $4, kind = $5, source = $6, importance = $7, event_at = $8, message_ids = $9,
    holds_until = $14,
    "values" = CASE WHEN content = $3 THEN "values" ELSE $10::halfvec END,
    embedding_model = CASE WHEN content = $3 THEN embedding_model ELSE $11 END,
    second_values = CASE WHEN content = $3 THEN second_values ELSE $12::halfvec END,
    second_model = CASE WHEN content = $3 THEN second_model ELSE $13 END
WHERE owner = $1 AND id = $2;

-- name: write_link
-- Write over what is the user's alone of a memory, and the hash by which their equal memories are found.
UPDATE users_vectors
SET content_hash = $3, reinforcement_count = $4, standing = $5
WHERE user_id = $1 AND vector_id = $2;

-- name: insert_update
-- Write one row of the user's audit.
INSERT INTO memory_updates (
    user_id, id, at, action, actor, reason, memory_id, replaced_id, before, after, session_id, exchange_id, undoes,
    details
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14);

-- name: shared_provenance
-- On which messages of the log a memory of the user's rested when they shared it.
SELECT details
FROM memory_updates
WHERE user_id = $1 AND memory_id = $2 AND reason = 'shared';
