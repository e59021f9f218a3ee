-- name: memories_over_cap
-- The user's own memories, of one session or of all, that are more than may be, the least worth keeping last. What
-- a person stands behind, and summaries are not counted: what they wrote, brought from elsewhere, asked for, corrected, approved, edited or
-- brought back.
SELECT v.id
FROM users_vectors AS l
JOIN vectors AS v ON v.owner = l.owner AND v.id = l.vector_id
WHERE l.user_id = $1 AND v.owner = $1 AND v.kind <> 'summary' AND v.source NOT IN ('manual', 'global', 'import')
    AND ($2::text IS NULL OR v.session_id = $2)
    AND l.vector_id NOT IN (
        SELECT memory_id
        FROM memory_updates
        WHERE user_id = $1 AND (
            action = 'restore' AND reason = 'undone'
            OR reason IN ('asked', 'corrected', 'approved', 'edited', 'written')
        )
    )
ORDER BY v.importance DESC, l.recall_count DESC, v.observed_at DESC, v.id DESC
OFFSET $3;
