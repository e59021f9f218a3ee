-- name: memories_over_cap
-- The user's own memories, of one session or of all, that are more than may be, the least worth keeping first. What
-- a person stands behind, and summaries are not counted: what they wrote, brought from elsewhere, asked for, corrected, approved, edited or
-- brought back. What is worth most: what is new, then what is important; what lies unused loses of that, half of all it can lose in $6 days.
WITH counted AS (
    SELECT v.id, v.importance, v.observed_at, l.linked_at > $4::timestamptz - make_interval(days => $7) AS is_new,
        greatest(0, extract(epoch FROM $4::timestamptz - greatest(v.observed_at, l.last_recalled_at)) / 86400) AS unused
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
)
SELECT id
FROM (
    SELECT id, row_number() OVER (
        ORDER BY is_new DESC, importance - $5::float8 * unused / (unused + $6) DESC, observed_at DESC, id DESC
    ) AS place
    FROM counted
) AS placed
WHERE place > $3
ORDER BY place DESC;
