-- name: count_documents
-- How many memories and chunks of the user have a number; NULL: none ever had.
SELECT documents FROM corpora WHERE user_id = $1;

-- name: plan_for_sketches
-- Until the end of the transaction queries are planned for their arguments, and not for any; pages of an index cost what those of a
-- table do, as on any disk but one that turns, so that the covering index is read also where a table is mostly one person's; one
-- process reads it, as the other query has the next; and what is compared twice stays in memory.
SET LOCAL plan_cache_mode = force_custom_plan;
SET LOCAL random_page_cost = 1.1;
SET LOCAL max_parallel_workers_per_gather = 0;
SET LOCAL work_mem = '32MB';

-- name: nearest_sketches_of_memories
-- The user's own memories that are nearest to a vector, and to a second one, of another embedder. First the nearest by
-- their sketches are found, in the index alone, and of these the nearest by their whole embeddings. A memory that has an
-- embedding by the second embedder is looked for by that alone. A subquery for each candidate, not a join: the planner takes
-- them for many, and would read all rows.
WITH asked AS MATERIALIZED (
    SELECT binary_quantize($2::halfvec) AS sketch, binary_quantize($7::halfvec) AS second_sketch
), sketched AS MATERIALIZED (
    SELECT id,
        CASE WHEN second_model IS DISTINCT FROM $8 AND embedding_model = $3 AND length(sketch) = $4
            THEN sketch <~> (SELECT asked.sketch FROM asked)
        END AS bits,
        CASE WHEN second_model = $8 AND length(second_sketch) = $9
            THEN second_sketch <~> (SELECT asked.second_sketch FROM asked)
        END AS second_bits
    FROM vectors
    WHERE owner = $1 AND valid_to IS NULL AND NOT ($6 AND source = 'qa_turn')
), nearest AS (
    SELECT id, (SELECT v."values" <=> $2::halfvec FROM vectors AS v WHERE v.owner = $1 AND v.id = near.id) AS distance
    FROM (SELECT id FROM sketched WHERE bits IS NOT NULL ORDER BY bits, id DESC LIMIT $10) AS near
), second_nearest AS (
    SELECT id, (SELECT v.second_values <=> $7::halfvec FROM vectors AS v WHERE v.owner = $1 AND v.id = near.id) AS distance
    FROM (SELECT id FROM sketched WHERE second_bits IS NOT NULL ORDER BY second_bits, id DESC LIMIT $10) AS near
)
(SELECT id FROM nearest ORDER BY distance, id DESC LIMIT $5)
UNION ALL
(SELECT id FROM second_nearest ORDER BY distance, id DESC LIMIT $5);

-- name: nearest_sketches_of_chunks
-- The user's chunks that are nearest to a vector: by the sketches of their pieces first, as memories are.
WITH asked AS MATERIALIZED (
    SELECT binary_quantize($2::halfvec) AS sketch
), near AS (
    SELECT document, piece
    FROM (
        SELECT document, piece, CASE WHEN length(sketch) = $4 THEN sketch <~> (SELECT asked.sketch FROM asked) END AS bits
        FROM chunk_vectors
        WHERE user_id = $1 AND embedding_model = $3
    ) AS sketched
    WHERE bits IS NOT NULL
    ORDER BY bits, document DESC, piece
    LIMIT $6
), measured AS (
    SELECT document, piece, (
        SELECT c."values" <=> $2::halfvec
        FROM chunk_vectors AS c
        WHERE c.user_id = $1 AND c.document = near.document AND c.piece = near.piece
    ) AS distance
    FROM near
)
SELECT DISTINCT document
FROM (SELECT document FROM measured ORDER BY distance, document DESC, piece LIMIT 2 * $5::integer) AS nearest;

-- name: search
-- The user's memories and chunks that are nearest to a vector, memories that are nearest to a second one, of another
-- embedder, and those named by document or, memories, by id: exact, in one round trip. Unless all rows are to be
-- measured, of the user's own those that are named alone are found.
-- One scan of the user's own vectors and chunks; who is retired, and so linked no more, has an end. What users share
-- comes by the user's links to it. A vector of other dimensions has no distance; as a condition that would
-- mislead the planner. Only what was found is read in full. A chunk may be found by several of its pieces, so
-- twice as many pieces are looked at. What an exchange was kept as verbatim stands in the log as well.
-- What serves everybody is searched for who sees fewer than five memories; nothing links it, and it is no document. In
-- their order, links are counted by the index: the planner takes few for soon found in the whole table.
WITH measured AS (
    SELECT own.id,
        CASE WHEN own.embedding_model = $3 AND vector_dims(own."values") = $4
            THEN own."values" <=> $2::halfvec
        END AS distance,
        CASE WHEN own.second_model = $10 AND vector_dims(own.second_values) = $11
            THEN own.second_values <=> $9::halfvec
        END AS second_distance
    FROM vectors AS own
    WHERE $12 AND own.owner = $1 AND own.valid_to IS NULL AND NOT ($7 AND NOT $8 AND own.source = 'qa_turn')
    UNION ALL
    SELECT shared.id,
        CASE WHEN shared.embedding_model = $3 AND vector_dims(shared."values") = $4
            THEN shared."values" <=> $2::halfvec
        END,
        CASE WHEN shared.second_model = $10 AND vector_dims(shared.second_values) = $11
            THEN shared.second_values <=> $9::halfvec
        END
    FROM users_vectors AS given
    JOIN vectors AS shared ON shared.owner = given.owner AND shared.id = given.vector_id
    WHERE given.user_id = $1 AND given.owner = '*'
    UNION ALL
    SELECT common.id,
        CASE WHEN common.embedding_model = $3 AND vector_dims(common."values") = $4
            THEN common."values" <=> $2::halfvec
        END,
        CASE WHEN common.second_model = $10 AND vector_dims(common.second_values) = $11
            THEN common.second_values <=> $9::halfvec
        END
    FROM vectors AS common
    WHERE common.owner = '*' AND common.source = 'global' AND common.valid_to IS NULL
        AND NOT EXISTS (SELECT FROM users_vectors WHERE user_id = $1 ORDER BY vector_id OFFSET 4 LIMIT 1)
), memories AS (
    SELECT id AS vector_id
    FROM (
        SELECT id, distance FROM measured
        ORDER BY distance NULLS LAST, id DESC
        LIMIT CASE WHEN $4::integer IS NULL THEN 0 ELSE $6::integer END
    ) AS near
    WHERE distance IS NOT NULL
    UNION
    SELECT id
    FROM (
        SELECT id, second_distance FROM measured
        ORDER BY second_distance NULLS LAST, id DESC
        LIMIT CASE WHEN $11::integer IS NULL THEN 0 ELSE $6::integer END
    ) AS near
    WHERE second_distance IS NOT NULL
    UNION
    SELECT vector_id FROM users_vectors WHERE user_id = $1 AND document = ANY ($5::integer[])
    UNION
    SELECT id FROM vectors WHERE owner = $1 AND valid_to IS NULL AND id = ANY ($13::uuid[])
), chunks AS (
    SELECT document
    FROM (
        SELECT document, distance
        FROM (
            SELECT document, piece, CASE WHEN vector_dims("values") = $4
                THEN "values" <=> $2::halfvec
            END AS distance
            FROM chunk_vectors
            WHERE $12 AND user_id = $1 AND embedding_model = $3
        ) AS measured
        ORDER BY distance NULLS LAST, document DESC, piece
        LIMIT CASE WHEN $7 AND $4::integer IS NOT NULL THEN 2 * $6::integer ELSE 0 END
    ) AS near
    WHERE distance IS NOT NULL
    UNION
    SELECT document FROM message_chunks WHERE $7 AND user_id = $1 AND document = ANY ($5::integer[])
)
SELECT l.document, v.owner, v.id, v.kind, v.source, v.content, v.importance, v.confidence, v.observed_at,
    v.event_at, v.created_at, v.session_id, v.message_ids, v.evidence, v.embedding_model,
    v.holds_from, v.holds_until, v.extractor, v.outline, l.last_recalled_at,
    coalesce(l.recall_count, 0) AS recall_count, coalesce(l.reinforcement_count, 0) AS reinforcement_count, l.standing,
    CASE WHEN v.embedding_model = $3 AND vector_dims(v."values") = $4
        THEN 1 - (v."values" <=> $2::halfvec)
    END AS cosine,
    CASE WHEN v.second_model = $10 AND vector_dims(v.second_values) = $11
        THEN 1 - (v.second_values <=> $9::halfvec)
    END AS second_cosine,
    NULL::float8 AS first_cosine, NULL::integer AS turn_index, NULL::smallint AS part, NULL::text AS role,
    NULL::text AS speaker, NULL::boolean AS code, NULL::text AS language, NULL::timestamptz AS changed_at,
    NULL::uuid AS exchange_id, NULL::real AS self_share, NULL::boolean AS states_taste, NULL::boolean AS ends_asking,
    NULL::boolean AS lists, NULL::integer AS words, NULL::boolean AS pasted, NULL::integer AS begins,
    NULL::integer[] AS cuts
FROM memories
LEFT JOIN users_vectors AS l ON l.user_id = $1 AND l.vector_id = memories.vector_id
JOIN vectors AS v ON v.owner = coalesce(l.owner, '*') AND v.id = memories.vector_id
WHERE v.owner IN ($1, '*') AND NOT ($7 AND NOT $8 AND v.source = 'qa_turn')
UNION ALL
SELECT k.document, NULL, m.id, NULL, NULL, substr(m.content, k.begins + 1, k.ends - k.begins), NULL, NULL, NULL,
    NULL, m.created_at, m.session_id, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL,
    near.cosine, NULL,
    CASE WHEN k.part = 0 THEN near.first_cosine ELSE (
        SELECT CASE WHEN vector_dims(b."values") = $4 THEN 1 - (b."values" <=> $2::halfvec) END
        FROM message_chunks AS f
        JOIN chunk_vectors AS b ON b.user_id = $1 AND b.document = f.document AND b.piece = 0
        WHERE f.user_id = $1 AND f.message_id = k.message_id AND f.part = 0 AND b.embedding_model = $3
    ) END, m.turn_index, k.part, m.role,
    m.speaker, k.code, k.language, m.changed_at, m.exchange_id, m.self_share, m.states_taste, m.ends_asking,
    m.lists, m.words, k.pasted, k.begins, k.cuts
FROM chunks
JOIN message_chunks AS k ON k.user_id = $1 AND k.document = chunks.document
JOIN messages AS m ON m.user_id = $1 AND m.id = k.message_id
LEFT JOIN LATERAL (
    SELECT 1 - min(distance) AS cosine, 1 - min(distance) FILTER (WHERE piece = 0) AS first_cosine
    FROM (
        SELECT c.piece, CASE WHEN vector_dims(c."values") = $4
            THEN c."values" <=> $2::halfvec
        END AS distance
        FROM chunk_vectors AS c
        WHERE c.user_id = $1 AND c.document = k.document AND c.embedding_model = $3
    ) AS measured
) AS near ON true
WHERE NOT k.hidden;

-- name: lexicon
-- What of the user's lexical index concerns some terms. First how large it is, and what is to be found no more of what it names. Then
-- pages in which the terms stand, or would; all documents that wait; and how long those in pages are.
SELECT 'size' AS kind, NULL AS term, NULL::integer AS number, NULL::integer AS lengths, NULL::bytea AS told,
    NULL::bytea AS words, c.documents, c.terms, ARRAY(
        SELECT k.document FROM message_chunks AS k WHERE k.user_id = $1 AND k.hidden
        UNION ALL
        SELECT r.document FROM posting_removals AS r WHERE r.user_id = $1
    ) AS hidden
FROM corpora AS c
WHERE c.user_id = $1
UNION ALL
SELECT 'new page', p.first_term, p.begins, NULL, p.lists, p.terms, NULL, NULL, NULL
FROM posting_pages AS p
WHERE p.user_id = $1 AND p.level = 0 AND (p.begins = 0 OR p.first_term = ANY ($2::text[])) AND p.first_term = ANY (ARRAY(
    SELECT (
        SELECT f.first_term FROM posting_pages AS f
        WHERE f.user_id = $1 AND f.level = 0 AND f.first_term <= w.term
        ORDER BY f.first_term DESC LIMIT 1
    )
    FROM unnest($2::text[]) AS w (term)
))
UNION ALL
SELECT 'old page', p.first_term, p.begins, NULL, p.lists, p.terms, NULL, NULL, NULL
FROM posting_pages AS p
WHERE p.user_id = $1 AND p.level = 1 AND (p.begins = 0 OR p.first_term = ANY ($2::text[])) AND p.first_term = ANY (ARRAY(
    SELECT (
        SELECT f.first_term FROM posting_pages AS f
        WHERE f.user_id = $1 AND f.level = 1 AND f.first_term <= w.term
        ORDER BY f.first_term DESC LIMIT 1
    )
    FROM unnest($2::text[]) AS w (term)
))
UNION ALL
SELECT 'waiting', NULL, d.document, d.lengths, d.counts, d.terms, NULL, NULL, NULL
FROM waiting_documents AS d
WHERE d.user_id = $1
UNION ALL
SELECT 'lengths', NULL, d.block, NULL, d.lengths, NULL, NULL, NULL, NULL
FROM document_lengths AS d
WHERE d.user_id = $1;

-- name: vocabulary
-- Where the user's terms stand that begin with one of some letters: what a mistyped one may mean. Pages, and documents that wait, by
-- all their terms. Where a range ends is given, not made here: what is not leakproof must not meet the
-- rows before their policy has. OFFSET 0 has the planner read each range by the index, not all of the user's pages for several.
WITH wanted AS MATERIALIZED (
    SELECT w.begins, w.ends, v.level, (
        SELECT coalesce(max(f.first_term), '') FROM posting_pages AS f
        WHERE f.user_id = $1 AND f.level = v.level AND f.first_term <= w.begins
    ) AS first_term
    FROM unnest($2::text[], $3::text[]) AS w (begins, ends), (VALUES (0), (1)) AS v (level)
    WHERE NOT EXISTS (
        SELECT FROM unnest($2::text[]) AS wider (begins)
        WHERE wider.begins <> w.begins AND starts_with(w.begins, wider.begins)
    )
)
SELECT pages.terms AS words
FROM wanted AS w
CROSS JOIN LATERAL (
    SELECT p.terms FROM posting_pages AS p
    WHERE p.user_id = $1 AND p.level = w.level AND p.first_term < w.ends AND p.first_term >= w.first_term AND p.begins = 0
    OFFSET 0
) AS pages
UNION ALL
SELECT d.terms
FROM waiting_documents AS d
WHERE d.user_id = $1;

-- name: number_documents
-- Give numbers to more documents of the user; the first of them.
INSERT INTO corpora (user_id, next_document, documents, terms)
VALUES ($1, $2, $2, $3)
ON CONFLICT (user_id) DO UPDATE
SET next_document = corpora.next_document + $2, documents = corpora.documents + $2, terms = corpora.terms + $3
RETURNING next_document - $2;

-- name: discount_documents
-- Count fewer documents and terms of the user.
UPDATE corpora SET documents = documents - $2, terms = terms - $3 WHERE user_id = $1;

-- name: number_link
-- Number a memory among the user's documents.
UPDATE users_vectors SET document = $3 WHERE user_id = $1 AND vector_id = $2;

-- name: linked_document
-- The number of a memory among the user's documents, and what it says.
SELECT l.document, v.content
FROM users_vectors AS l
JOIN vectors AS v ON v.owner = l.owner AND v.id = l.vector_id
WHERE l.user_id = $1 AND l.vector_id = $2 AND v.owner IN ($1, '*');

-- name: unnumbered_memories
-- The user's memories that are no documents yet.
SELECT l.vector_id, v.content
FROM users_vectors AS l
JOIN vectors AS v ON v.owner = l.owner AND v.id = l.vector_id
WHERE l.user_id = $1 AND l.document IS NULL AND v.owner IN ($1, '*')
ORDER BY l.vector_id
LIMIT $2;
