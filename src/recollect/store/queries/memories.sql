-- name: lock_user
-- Let one transaction at a time change what this user has; freed at its end.
SELECT pg_advisory_xact_lock(hashtextextended($1, 0));

-- name: nearest_memories
-- The user's memories of one embedding model whose contents are nearest to a vector, best first: exact.
-- One scan of the user's own vectors; who is retired, and so linked no more, has an end. What users share
-- comes by the user's links to it. Only what was found is joined with its links and read in full.
-- Vectors of fewer dimensions have no distance, and come last; as a condition that would mislead the
-- planner about how many there are.
SELECT {memory}, {link}, 1 - distance AS score
FROM (
    SELECT owner, id, distance
    FROM (
        SELECT own.owner, own.id,
            CASE WHEN vector_dims(own."values") >= $4
                THEN subvector(own."values", 1, $4) <=> $2::halfvec
            END AS distance
        FROM vectors AS own
        WHERE own.owner = $1 AND own.valid_to IS NULL AND own.embedding_model = $3
        UNION ALL
        SELECT shared.owner, shared.id,
            CASE WHEN vector_dims(shared."values") >= $4
                THEN subvector(shared."values", 1, $4) <=> $2::halfvec
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

-- name: nearest_past
-- The user's past memories of one embedding model nearest to a vector, best first: exact.
SELECT {memory},
    NULL::timestamptz AS last_recalled_at, 0 AS recall_count, 0 AS reinforcement_count, NULL AS doubt,
    v.valid_to, v.ended_at, v.ended_as, v.heir,
    CASE WHEN vector_dims(v."values") >= $4 THEN 1 - (subvector(v."values", 1, $4) <=> $2::halfvec) END AS score
FROM vectors AS v
WHERE v.owner = $1 AND v.ended_at IS NOT NULL AND v.embedding_model = $3
ORDER BY score DESC NULLS LAST, v.id DESC
LIMIT $5;

-- name: page_of_memories
-- The user's memories behind a given one, newest first.
SELECT {memory}, {link}
FROM (
    SELECT * FROM users_vectors WHERE user_id = $1 AND vector_id < $2 ORDER BY vector_id DESC LIMIT $3
) AS l
JOIN vectors AS v ON v.owner = l.owner AND v.id = l.vector_id
-- No link leads elsewhere; but each table is read by its own user, so that it can be distributed by user.
WHERE v.owner IN ($1, '*')
ORDER BY l.vector_id DESC;

-- name: current_memories
-- The user's memories behind a given one to which all that is given applies, newest first: those that they have.
SELECT {memory},
    v.valid_to, {link}
FROM ( -- found by little of each row, so that not all of every row is sorted
    SELECT given.vector_id
    FROM users_vectors AS given
    JOIN vectors AS looked ON looked.owner = given.owner AND looked.id = given.vector_id
    WHERE given.user_id = $1 AND given.vector_id < $2 AND looked.owner IN ($1, '*')
        AND (cardinality($4::text[]) = 0 OR looked.kind = ANY ($4::text[]))
        AND (cardinality($5::text[]) = 0 OR looked.source = ANY ($5::text[]))
        AND ($6::text IS NULL OR looked.session_id = $6)
        AND ($7::timestamptz IS NULL OR looked.observed_at >= $7)
        AND ($8::timestamptz IS NULL OR looked.observed_at < $8)
        AND ($9::text IS NULL OR given.doubt = $9) AND looked.tags @> $11::text[] AND looked.metadata @> $12::jsonb
        AND NOT EXISTS (
            SELECT FROM unnest($10::text[]) AS word
            WHERE strpos(lower(looked.content || ' ' || array_to_string(looked.tags, ' ')), lower(word)) = 0
        )
    ORDER BY given.vector_id DESC
    LIMIT $3
) AS found
JOIN users_vectors AS l ON l.user_id = $1 AND l.vector_id = found.vector_id
JOIN vectors AS v ON v.owner = l.owner AND v.id = l.vector_id
WHERE v.owner IN ($1, '*')
ORDER BY l.vector_id DESC;

-- name: some_memories
-- The user's memories behind a given one to which all that is given applies, newest first; current ones, past ones of
-- their own, or both.
SELECT {memory},
    v.valid_to, v.ended_at, v.ended_as, v.heir, l.last_recalled_at, coalesce(l.recall_count, 0) AS recall_count,
    coalesce(l.reinforcement_count, 0) AS reinforcement_count, l.doubt, l.expires_at
FROM (
    SELECT given.vector_id AS id, given.owner
    FROM users_vectors AS given
    WHERE given.user_id = $1 AND given.vector_id < $2 AND $4
    UNION ALL
    SELECT past.id, past.owner
    FROM vectors AS past
    WHERE past.owner = $1 AND past.id < $2 AND past.valid_to IS NOT NULL AND $5
) AS listed
JOIN vectors AS v ON v.owner = listed.owner AND v.id = listed.id
LEFT JOIN users_vectors AS l ON l.user_id = $1 AND l.vector_id = v.id
WHERE v.owner IN ($1, '*')
    AND (cardinality($6::text[]) = 0 OR v.kind = ANY ($6::text[]))
    AND (cardinality($7::text[]) = 0 OR v.source = ANY ($7::text[]))
    AND ($8::text IS NULL OR v.session_id = $8)
    AND ($9::timestamptz IS NULL OR v.observed_at >= $9)
    AND ($10::timestamptz IS NULL OR v.observed_at < $10)
    AND ($11::text IS NULL OR l.doubt = $11) AND v.tags @> $13::text[] AND v.metadata @> $14::jsonb
    AND NOT EXISTS (
        SELECT FROM unnest($12::text[]) AS word
        WHERE strpos(lower(v.content || ' ' || array_to_string(v.tags, ' ')), lower(word)) = 0
    )
ORDER BY v.id DESC
LIMIT $3;

-- name: memories_as_of
-- The user's memories behind a given one that they had at a time by their audit, newest first; or that they had had
-- before it, or both. Each as it is today.
WITH told AS (
    SELECT memory_id AS id, id AS row_id, action <> 'retire' AS had
    FROM memory_updates
    WHERE user_id = $1 AND at <= $4 AND action IN ('add', 'replace', 'restore', 'retire')
    UNION ALL
    SELECT replaced_id, id, false
    FROM memory_updates
    WHERE user_id = $1 AND at <= $4 AND action IN ('replace', 'restore') AND replaced_id IS NOT NULL
), last AS (
    SELECT DISTINCT ON (id) id, had FROM told ORDER BY id, row_id DESC
)
SELECT {memory},
    v.valid_to, v.ended_at, v.ended_as, v.heir, l.last_recalled_at, coalesce(l.recall_count, 0) AS recall_count,
    coalesce(l.reinforcement_count, 0) AS reinforcement_count, l.doubt, l.expires_at
FROM last
JOIN vectors AS v ON v.owner IN ($1, '*') AND v.id = last.id
LEFT JOIN users_vectors AS l ON l.user_id = $1 AND l.vector_id = v.id
WHERE v.id < $2 AND (last.had AND $5 OR NOT last.had AND $6)
ORDER BY v.id DESC
LIMIT $3;

-- name: updates_of_memories
-- What was changed of some memories of the user's since a time in what they are, and what that undid, newest first.
SELECT {update}
FROM memory_updates AS u
WHERE u.user_id = $1 AND u.memory_id = ANY ($2::uuid[]) AND u.action IN ('edit', 'reinforce', 'mark', 'restore')
ORDER BY u.id DESC;

-- name: one_memory
-- One memory that the user sees.
SELECT {memory}, {link}
FROM users_vectors AS l
JOIN vectors AS v ON v.owner = l.owner AND v.id = l.vector_id
WHERE l.user_id = $1 AND l.vector_id = $2 AND v.owner IN ($1, '*');

-- name: unhinted_statements
-- The user's own statements of some kinds that have no hints, for which a model was asked less often than so many times: the least
-- often asked first, then the newest.
SELECT {memory}, {link}
FROM vectors AS v
JOIN users_vectors AS l ON l.user_id = $1 AND l.vector_id = v.id
WHERE v.owner = $1 AND v.use IS NULL AND v.valid_to IS NULL AND v.kind = ANY ($2::text[]) AND l.hints_asked < $3
ORDER BY l.hints_asked, v.id DESC
LIMIT $4;

-- name: count_hints_asked
-- Count that a model was asked for the hints of some of the user's memories and gave none.
UPDATE users_vectors SET hints_asked = hints_asked + 1 WHERE user_id = $1 AND vector_id = ANY ($2::uuid[]);

-- name: give_hints
-- Give a statement of the user's own its hints, if it has none and says the same still, with the embeddings that count them.
UPDATE vectors SET use = $4, topics = $5, questions = $6, "values" = $7::halfvec, embedding_model = $8
WHERE owner = $1 AND id = $2 AND content = $3 AND use IS NULL AND valid_to IS NULL;

-- name: use_of_memories
-- How often some of the user's memories were used, and when last.
SELECT vector_id, last_recalled_at, recall_count, reinforcement_count
FROM users_vectors
WHERE user_id = $1 AND vector_id = ANY ($2::uuid[]);

-- name: updates_of_user
-- The audit of the user's memories, newest first.
SELECT id, at, action, actor, reason, memory_id, replaced_id, before, after, session_id, exchange_id, undoes,
    details
FROM memory_updates
WHERE user_id = $1 AND id < $3
ORDER BY id DESC
LIMIT $2;

-- name: updates_of_memory
-- The audit of one memory of the user, also as the replaced one, newest first.
SELECT id, at, action, actor, reason, memory_id, replaced_id, before, after, session_id, exchange_id, undoes,
    details
FROM memory_updates
WHERE user_id = $1 AND (memory_id = $2 OR replaced_id = $2) AND id < $4
ORDER BY id DESC
LIMIT $3;

-- name: count_added
-- How many statements formation added to the user's memories, or put in another's place, since a time.
SELECT count(*)
FROM memory_updates
WHERE user_id = $1 AND at >= $2 AND actor IN ('formation', 'agent') AND action IN ('add', 'replace')
    AND reason NOT IN ('kept_verbatim', 'summarized');

-- name: todos
-- The user's memories of what is to be done, and the summaries that tell of some, newest first.
SELECT {memory}, {link}
FROM users_vectors AS l
JOIN vectors AS v ON v.owner = l.owner AND v.id = l.vector_id
WHERE l.user_id = $1 AND v.owner IN ($1, '*')
    AND (v.kind = 'todo' OR v.kind = 'summary' AND v.outline -> 'todos' <> '[]')
ORDER BY l.vector_id DESC
LIMIT $2;

-- name: count_memories
-- How many memories users have, over all users; one that several share counts for each.
SELECT count(*) FROM users_vectors;

-- name: known_users
-- Who has a memory or said something, and how much, over all users; with projects as users of their own, or of their person's; those whose id or name holds some characters, in whatever
-- case, and of these some, whoever was seen last first.
WITH linked AS (
    SELECT CASE WHEN $4 THEN l.user_id ELSE person_of(l.user_id) END AS user_id, count(*) AS memories,
        max(coalesce(l.last_recalled_at, l.linked_at)) AS at
    FROM users_vectors AS l
    GROUP BY 1
), said AS (
    SELECT CASE WHEN $4 THEN e.user_id ELSE person_of(e.user_id) END AS user_id,
        count(DISTINCT (e.user_id, e.session_id)) AS sessions, count(*) AS exchanges,
        count(*) FILTER (WHERE state = 'pending' AND waits_for IS NULL) AS pending, max(said_at) AS at
    FROM exchanges AS e
    GROUP BY 1
), asked AS (
    SELECT CASE WHEN $4 THEN r.user_id ELSE person_of(r.user_id) END AS user_id, max(r.at) AS at
    FROM request_metrics AS r
    GROUP BY 1
)
SELECT user_id AS id, coalesce(l.memories, 0) AS memories, coalesce(s.sessions, 0) AS sessions,
    coalesce(s.exchanges, 0) AS exchanges, coalesce(s.pending, 0) AS pending,
    greatest(s.at, a.at, CASE WHEN s.at IS NULL AND a.at IS NULL THEN l.at END) AS last_seen,
    t.flags ->> 'told_name' AS name
FROM linked AS l
FULL JOIN said AS s USING (user_id)
LEFT JOIN asked AS a USING (user_id)
LEFT JOIN user_settings AS t USING (user_id)
WHERE strpos(lower(user_id), lower($1)) > 0 OR strpos(lower(t.flags ->> 'told_name'), lower($1)) > 0
ORDER BY last_seen DESC NULLS LAST, id
LIMIT $2 OFFSET $3;

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

-- name: copy_to_commons
-- Keep a memory of the user's own for all, without whose words it was, and without its hints.
INSERT INTO vectors (
    owner, id, kind, source, valid_from, content, content_hash, "values", embedding_model, importance,
    confidence, event_at, observed_at, message_ids, created_at, holds_from, holds_until, outline,
    terms, counts, terms_by
)
SELECT '*', v.id, v.kind, 'manual', v.valid_from, v.content, v.content_hash, {content_values}, v.embedding_model,
    v.importance, v.confidence, v.event_at, v.observed_at, '{}', v.created_at, v.holds_from, v.holds_until, v.outline,
    v.terms, v.counts, v.terms_by
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
SELECT {memory},
    NULL::timestamptz AS last_recalled_at, 0 AS recall_count, 0 AS reinforcement_count,
    NULL AS doubt
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

-- name: users_who_expire
-- Who has a memory whose day has come, over all users; with $2 all who have any, with $3 those who have rules of their own.
SELECT user_id FROM users_vectors WHERE expires_at <= $1
UNION
SELECT user_id FROM users_vectors
WHERE $2 OR $3 AND person_of(user_id) IN (SELECT user_id FROM user_settings WHERE flags ->> 'lifetimes' <> '');

-- name: expired_memories
-- The user's memories whose day has come: their own day, or after the days of their kind or of one of their tags; and these days.
SELECT l.vector_id AS id, rule.days
FROM users_vectors AS l
JOIN vectors AS v ON v.owner = l.owner AND v.id = l.vector_id
LEFT JOIN LATERAL (
    SELECT min(given.days) AS days
    FROM unnest($3::text[], $4::integer[]) AS given (name, days)
    WHERE v.owner = $1 AND (given.name = v.kind OR left(given.name, 1) = '#' AND substr(given.name, 2) = ANY (v.tags))
) AS rule ON true
WHERE l.user_id = $1 AND v.owner IN ($1, '*')
    AND coalesce(l.expires_at, v.created_at + make_interval(days => rule.days)) <= $2
ORDER BY l.vector_id
LIMIT $5;
