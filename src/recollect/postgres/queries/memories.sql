-- name: lock_user
-- Let one transaction at a time change what this user has; freed at its end.
SELECT pg_advisory_xact_lock(hashtextextended($1, 0));

-- name: nearest_memories
-- The user's memories of one embedding model nearest to a vector, best first: exact.
-- One scan of the user's own vectors; who is retired, and so linked no more, has an end. What users share
-- comes by the user's links to it. Only what was found is joined with its links and read in full.
-- Vectors of other dimensions have no distance, and come last; as a condition that would mislead the
-- planner about how many there are.
SELECT v.owner, v.id, v.kind, v.source, v.content, v.importance, v.confidence, v.observed_at, v.event_at,
    v.created_at, v.session_id, v.message_ids, v.evidence, v.extractor, v.embedding_model, v.holds_from,
    v.holds_until, v.outline, l.last_recalled_at, l.recall_count, l.reinforcement_count, l.standing, 1 - distance AS score
FROM (
    SELECT owner, id, distance
    FROM (
        SELECT own.owner, own.id,
            CASE WHEN vector_dims(own."values") = $4
                THEN own."values" <=> $2::halfvec
            END AS distance
        FROM vectors AS own
        WHERE own.owner = $1 AND own.valid_to IS NULL AND own.embedding_model = $3
        UNION ALL
        SELECT shared.owner, shared.id,
            CASE WHEN vector_dims(shared."values") = $4
                THEN shared."values" <=> $2::halfvec
            END
        FROM users_vectors AS given
        JOIN vectors AS shared ON shared.owner = given.owner AND shared.id = given.vector_id
        WHERE given.user_id = $1 AND given.owner = '*' AND shared.embedding_model = $3
    ) AS candidates
    ORDER BY distance NULLS LAST, id DESC
    LIMIT $5
) AS nearest
JOIN users_vectors AS l ON l.user_id = $1 AND l.vector_id = nearest.id
JOIN vectors AS v ON v.owner = nearest.owner AND v.id = nearest.id
ORDER BY distance NULLS LAST, v.id DESC;

-- name: page_of_memories
-- The user's memories behind a given one, newest first.
SELECT v.owner, v.id, v.kind, v.source, v.content, v.importance, v.confidence, v.observed_at, v.event_at,
    v.created_at, v.session_id, v.message_ids, v.evidence, v.extractor, v.embedding_model, v.holds_from,
    v.holds_until, v.outline, l.last_recalled_at, l.recall_count, l.reinforcement_count, l.standing
FROM (
    SELECT * FROM users_vectors WHERE user_id = $1 AND vector_id < $2 ORDER BY vector_id DESC LIMIT $3
) AS l
JOIN vectors AS v ON v.owner = l.owner AND v.id = l.vector_id
WHERE v.owner IN ($1, '*')
ORDER BY l.vector_id DESC;

-- name: one_memory
-- One memory that the user sees.
SELECT v.owner, v.id, v.kind, v.source, v.content, v.importance, v.confidence, v.observed_at, v.event_at,
    v.created_at, v.session_id, v.message_ids, v.evidence, v.extractor, v.embedding_model, v.holds_from,
    v.holds_until, v.outline, l.last_recalled_at, l.recall_count, l.reinforcement_count, l.standing
FROM users_vectors AS l
JOIN vectors AS v ON v.owner = l.owner AND v.id = l.vector_id
WHERE l.user_id = $1 AND l.vector_id = $2 AND v.owner IN ($1, '*');

-- name: updates_of_user
-- The audit of the user's memories, newest first.
SELECT id, at, action, actor, reason, memory_id, replaced_id, before, after, session_id, exchange_id, undoes,
    details
FROM memory_updates
WHERE user_id = $1
ORDER BY id DESC
LIMIT $2;

-- name: updates_of_memory
-- The audit of one memory of the user, also as the replaced one, newest first.
SELECT id, at, action, actor, reason, memory_id, replaced_id, before, after, session_id, exchange_id, undoes,
    details
FROM memory_updates
WHERE user_id = $1 AND (memory_id = $2 OR replaced_id = $2)
ORDER BY id DESC
LIMIT $3;

-- name: count_added
-- How many statements formation added to the user's memories, or put in another's place, since a time.
SELECT count(*)
FROM memory_updates
WHERE user_id = $1 AND at >= $2 AND actor = 'formation' AND action IN ('add', 'replace')
    AND reason NOT IN ('kept_verbatim', 'summarized');

-- name: todos
-- The user's memories of what is to be done, and the summaries that tell of some, newest first.
SELECT v.owner, v.id, v.kind, v.source, v.content, v.importance, v.confidence, v.observed_at, v.event_at,
    v.created_at, v.session_id, v.message_ids, v.evidence, v.extractor, v.embedding_model, v.holds_from,
    v.holds_until, v.outline, l.last_recalled_at, l.recall_count, l.reinforcement_count, l.standing
FROM users_vectors AS l
JOIN vectors AS v ON v.owner = l.owner AND v.id = l.vector_id
WHERE l.user_id = $1 AND v.owner IN ($1, '*')
    AND (v.kind = 'todo' OR v.kind = 'summary' AND v.outline -> 'todos' <> '[]')
ORDER BY l.vector_id DESC
LIMIT $2;

-- name: most_important
-- The user's statements that matter most, the most important first, then the newest. What users share comes by the user's
-- links to it; what serves everybody to whom fewer than five memories are linked. Own ones are read in the order of an
-- index; the conditions on kinds are that index's own.
SELECT v.owner, v.id, v.kind, v.source, v.content, v.importance, v.confidence, v.observed_at, v.event_at,
    v.created_at, v.session_id, v.message_ids, v.evidence, v.extractor, v.embedding_model, v.holds_from,
    v.holds_until, v.outline, l.last_recalled_at, coalesce(l.recall_count, 0) AS recall_count,
    coalesce(l.reinforcement_count, 0) AS reinforcement_count, l.standing
FROM (
    SELECT owner, id, importance, observed_at
    FROM (
        (
            SELECT own.owner, own.id, own.importance, own.observed_at
            FROM vectors AS own
            WHERE own.owner = $1 AND own.valid_to IS NULL
                AND own.kind IN ('fact', 'preference', 'insight', 'decision', 'todo', 'entity')
            ORDER BY own.importance DESC, own.observed_at DESC, own.id DESC
            LIMIT $2
        )
        UNION
        SELECT shared.owner, shared.id, shared.importance, shared.observed_at
        FROM users_vectors AS given
        JOIN vectors AS shared ON shared.owner = given.owner AND shared.id = given.vector_id
        WHERE given.user_id = $1 AND given.owner = '*'
            AND shared.kind IN ('fact', 'preference', 'insight', 'decision', 'todo', 'entity')
        UNION
        SELECT common.owner, common.id, common.importance, common.observed_at
        FROM vectors AS common
        WHERE common.owner = '*' AND common.source = 'global' AND common.valid_to IS NULL
            AND common.kind IN ('fact', 'preference', 'insight', 'decision', 'todo', 'entity')
            AND NOT EXISTS (SELECT FROM users_vectors WHERE user_id = $1 ORDER BY vector_id OFFSET 4 LIMIT 1)
    ) AS statements
    ORDER BY importance DESC, observed_at DESC, id DESC
    LIMIT $2
) AS matter
LEFT JOIN users_vectors AS l ON l.user_id = $1 AND l.vector_id = matter.id
JOIN vectors AS v ON v.owner = matter.owner AND v.id = matter.id
ORDER BY v.importance DESC, v.observed_at DESC, v.id DESC;

-- name: count_statements
-- How many statements the user has that are not over at a time, from where most_important reads them.
SELECT count(*)
FROM (
    SELECT own.kind, own.holds_until, own.event_at
    FROM vectors AS own
    WHERE own.owner = $1 AND own.valid_to IS NULL
    UNION ALL
    (
        SELECT shared.kind, shared.holds_until, shared.event_at
        FROM users_vectors AS given
        JOIN vectors AS shared ON shared.owner = given.owner AND shared.id = given.vector_id
        WHERE given.user_id = $1 AND given.owner = '*'
    )
    UNION ALL
    (
        SELECT common.kind, common.holds_until, common.event_at
        FROM vectors AS common
        WHERE common.owner = '*' AND common.source = 'global' AND common.valid_to IS NULL
            AND NOT EXISTS (SELECT FROM users_vectors WHERE user_id = $1 ORDER BY vector_id OFFSET 4 LIMIT 1)
            AND NOT EXISTS (
                SELECT FROM users_vectors AS given WHERE given.user_id = $1 AND given.owner = '*' AND given.vector_id = common.id
            )
    )
) AS statements
WHERE kind IN ('fact', 'preference', 'insight', 'decision', 'todo', 'entity')
    AND (holds_until IS NULL OR holds_until >= $2)
    AND (kind <> 'todo' OR event_at IS NULL OR (event_at AT TIME ZONE 'UTC')::date >= ($2::timestamptz AT TIME ZONE 'UTC')::date);

-- name: count_memories
-- How many memories users have, over all users; one that several share counts for each.
SELECT count(*) FROM users_vectors;

-- name: touch_links
-- Note that memories of the user went into a prompt.
UPDATE users_vectors
SET recall_count = recall_count + 1, last_recalled_at = greatest(last_recalled_at, $3)
WHERE user_id = $1 AND vector_id = ANY ($2::uuid[]);
