-- name: copy_to_commons
-- Keep a memory of the user's own for all, without whose words it was.
INSERT INTO vectors (
    owner, id, kind, source, valid_from, content, content_hash, "values", embedding_model, importance,
    confidence, event_at, observed_at, message_ids, created_at, holds_from, holds_until, outline,
    second_values, second_model
)
SELECT '*', v.id, v.kind, 'manual', v.valid_from, v.content, v.content_hash, v."values", v.embedding_model,
    v.importance, v.confidence, v.event_at, v.observed_at, '{}', v.created_at, v.holds_from, v.holds_until, v.outline,
    v.second_values, v.second_model
FROM vectors AS v
WHERE v.owner = $1 AND v.id = $2;

-- name: delete_own_vector
-- Delete a memory of the user's own that all have now.
DELETE FROM vectors WHERE owner = $1 AND id = $2;

-- name: link_to_commons
-- Let the user's link to a memory lead to the commons.
UPDATE users_vectors SET owner = '*' WHERE user_id = $1 AND vector_id = $2;

-- name: global_memories
-- What serves every user who has few memories, newest first; the owner is the commons.
SELECT v.owner, v.id, v.kind, v.source, v.content, v.importance, v.confidence, v.observed_at, v.event_at,
    v.created_at, v.session_id, v.message_ids, v.evidence, v.extractor, v.embedding_model, v.holds_from,
    v.holds_until, v.outline, v.second_model, NULL::timestamptz AS last_recalled_at, 0 AS recall_count, 0 AS reinforcement_count,
    NULL AS standing
FROM vectors AS v
WHERE v.owner = $1 AND v.source = 'global' AND v.valid_to IS NULL
ORDER BY v.id DESC;

-- name: global_with_content
-- The global memory with this content, if any; the owner is the commons.
SELECT id FROM vectors WHERE owner = $1 AND source = 'global' AND valid_to IS NULL AND content_hash = $2;

-- name: end_globals
-- Note until when global memories were kept; the owner is the commons.
UPDATE vectors SET valid_to = $3
WHERE owner = $1 AND source = 'global' AND valid_to IS NULL AND id = ANY ($2::uuid[])
RETURNING id;

-- name: delete_injections_of_all
-- Delete what was added to prompts and speaks of one of these memories, over all users.
DELETE FROM injections WHERE items && $1::uuid[];
