-- name: versions_of_user
-- The versions of what the user has, and of what people share.
SELECT epoch_here(u.epoch) AS epoch, u.statements_version AS statements, u.statements_floor AS statements_floor,
    u.log_version AS log, u.log_floor AS log_floor, c.statements_version AS commons,
    c.statements_floor AS commons_floor
FROM (SELECT 1) AS one
LEFT JOIN users AS u ON u.user_id = $1
LEFT JOIN users AS c ON c.user_id = '*';

-- name: versions_of_users
-- The same of some users, over all users.
SELECT w.user_id, epoch_here(u.epoch) AS epoch, u.statements_version AS statements, u.statements_floor AS statements_floor,
    u.log_version AS log, u.log_floor AS log_floor, c.statements_version AS commons,
    c.statements_floor AS commons_floor
FROM unnest($1::text[]) AS w (user_id)
LEFT JOIN users AS u ON u.user_id = w.user_id
LEFT JOIN users AS c ON c.user_id = '*';

-- name: snapshot_memories
-- The memories that the user sees and that changed after a version, with their embeddings; those that serve everybody; and the past,
-- so much of it as ended last. All of them for the version -1. In front of the numbers of a vector Postgres sends four bytes.
-- No version reaches the upper bound: by it a generic plan expects few rows, and does not read all of them after each change. To read
-- all of them it is left out: else each would be looked up by itself.
SELECT {memory}, coalesce(2 + cardinality(v.questions), 1) AS pieces,
    {link},
    substr(halfvec_send(v."values"), 5) AS vectors,
    CASE WHEN l.not_helpful THEN (
        SELECT string_agg(substr(halfvec_send(n."values"), 5), ''::bytea ORDER BY n.request_id)
        FROM not_helpful AS n
        WHERE n.user_id = $1 AND n.memory_id = v.id AND n.embedding_model = v.embedding_model
    ) END AS not_helpful,
    v.terms, v.counts, v.terms_by, NULL::timestamptz AS ended_at, NULL::text AS ended_as, NULL::uuid AS heir
FROM (
    SELECT vector_id FROM users_vectors WHERE user_id = $1 AND changed > $2 AND changed < 9223372036854775807
    UNION
    -- Every link is newer than -1.
    SELECT id FROM vectors WHERE $2 <> -1 AND owner = $1 AND valid_to IS NULL AND changed > $2 AND changed < 9223372036854775807
) AS wanted
JOIN users_vectors AS l ON l.user_id = $1 AND l.vector_id = wanted.vector_id
JOIN vectors AS v ON v.owner = l.owner AND v.id = l.vector_id
WHERE v.owner IN ($1, '*')
UNION ALL
SELECT {memory}, coalesce(2 + cardinality(v.questions), 1) AS pieces,
    NULL, 0, 0, NULL, NULL,
    substr(halfvec_send(v."values"), 5) AS vectors, NULL,
    v.terms, v.counts, v.terms_by, NULL, NULL, NULL
FROM vectors AS v
WHERE $2 = -1 AND v.owner = '*' AND v.source = 'global' AND v.valid_to IS NULL
    AND NOT EXISTS (SELECT FROM users_vectors AS l WHERE l.user_id = $1 AND l.vector_id = v.id)
UNION ALL (
    SELECT {memory}, coalesce(2 + cardinality(v.questions), 1) AS pieces,
        NULL, 0, 0, NULL, NULL,
        substr(halfvec_send(v."values"), 5) AS vectors,
        (
            SELECT string_agg(substr(halfvec_send(n."values"), 5), ''::bytea ORDER BY n.request_id)
            FROM not_helpful AS n
            WHERE n.user_id = $1 AND n.memory_id = v.id AND n.embedding_model = v.embedding_model
        ),
        v.terms, v.counts, v.terms_by, v.ended_at, v.ended_as, v.heir
    FROM vectors AS v
    WHERE v.owner = $1 AND v.ended_at IS NOT NULL AND v.changed > $2
    ORDER BY v.ended_at DESC, v.id DESC
    LIMIT $3
);

-- name: size_of_log
-- How many passages the user has, counted up to a bound.
SELECT count(*) FROM (SELECT FROM message_chunks WHERE user_id = $1 LIMIT $2) AS counted;

-- name: snapshot_passages
-- The user's passages that changed after a version, each with its terms. The upper bound is that of snapshot_memories.
SELECT k.document, m.id, substr(m.content, k.begins + 1, k.ends - k.begins) AS content, m.created_at, m.session_id,
    m.turn_index, k.part, m.role, m.speaker, k.code, m.changed_at, m.exchange_id, m.self_share, m.states_taste,
    m.lists, m.words, k.pasted, k.begins, k.cuts, k.terms, k.counts, k.length
FROM message_chunks AS k
JOIN messages AS m ON m.user_id = $1 AND m.id = k.message_id
WHERE k.user_id = $1 AND k.changed > $2 AND changed < 9223372036854775807
ORDER BY k.document;

-- name: vectors_of_passages
-- The embeddings of some of the user's passages, piece by piece.
SELECT document, embedding_model, count(*)::integer AS pieces,
    string_agg(substr(halfvec_send("values"), 5), ''::bytea ORDER BY piece) AS halves
FROM chunk_vectors
WHERE user_id = $1 AND document = ANY ($2::integer[])
GROUP BY document, embedding_model;

-- name: vectors_of_log
-- The embeddings of all of the user's passages, piece by piece.
SELECT document, embedding_model, count(*)::integer AS pieces,
    string_agg(substr(halfvec_send("values"), 5), ''::bytea ORDER BY piece) AS halves
FROM chunk_vectors
WHERE user_id = $1
GROUP BY document, embedding_model;

-- name: nearest_passages
-- The user's passages that are nearest to a vector, exactly: for a log that is too large for a process's memory.
SELECT k.document, m.id, substr(m.content, k.begins + 1, k.ends - k.begins) AS content, m.created_at, m.session_id,
    m.turn_index, k.part, m.role, m.speaker, k.code, m.changed_at, m.exchange_id, m.self_share, m.states_taste,
    m.lists, m.words, k.pasted, k.begins, k.cuts, k.terms, k.counts, k.length
FROM (
    SELECT document, min(distance) AS distance
    FROM (
        -- In CASE, as vectors of other dimensions raise an error, and a condition of WHERE need not be looked at first.
        SELECT document, CASE WHEN vector_dims("values") = $4 THEN "values" <=> $2::halfvec END AS distance
        FROM chunk_vectors
        WHERE user_id = $1 AND embedding_model = $3
    ) AS measured
    WHERE distance IS NOT NULL
    GROUP BY document
    ORDER BY distance, document DESC
    LIMIT $5
) AS near
JOIN message_chunks AS k ON k.user_id = $1 AND k.document = near.document
JOIN messages AS m ON m.user_id = $1 AND m.id = k.message_id
ORDER BY near.distance, k.document DESC;

-- name: passages_of_chats
-- What was said in some chats of the user: the newest, named ones, and those with words in a period, the newest of each. Of a chat
-- the person's first words, the last words of both, and some of each period. A message comes with its first passage, of the person's
-- own words if it has any; one that has none, as a mere question, or that is not indexed yet, with the beginning of its text. The limits stand
-- here, as a generic plan would take unknown ones for large, and read long chats whole.
WITH periods AS (
    SELECT to_timestamp(p.starts) AS starts, to_timestamp(p.ends) AS ends
    FROM unnest($3::float8[], $4::float8[]) AS p (starts, ends)
), chats AS (
    (SELECT s.id, s.started_at, s.last_at FROM sessions AS s WHERE s.user_id = $1 ORDER BY s.last_at DESC, s.id LIMIT 12)
    UNION
    SELECT s.id, s.started_at, s.last_at FROM sessions AS s WHERE s.user_id = $1 AND s.id = ANY ($2::text[])
    UNION
    SELECT s.*
    FROM periods AS p
    CROSS JOIN LATERAL (
        SELECT s.id, s.started_at, s.last_at
        FROM sessions AS s
        WHERE s.user_id = $1 AND s.last_at >= p.starts AND s.started_at < p.ends
        ORDER BY s.last_at DESC, s.id
        LIMIT 12
    ) AS s
), said AS (
    SELECT of_it.id
    FROM chats AS c
    CROSS JOIN LATERAL (
        (
            SELECT m.id
            FROM messages AS m
            WHERE m.user_id = $1 AND m.session_id = c.id AND NOT m.hidden AND NOT m.alternate AND m.role = 'user'
            ORDER BY m.turn_index
            LIMIT 3
        )
        UNION
        (
            SELECT m.id
            FROM messages AS m
            WHERE m.user_id = $1 AND m.session_id = c.id AND NOT m.hidden AND NOT m.alternate
            ORDER BY m.turn_index DESC
            LIMIT 24
        )
        UNION
        SELECT m.id
        FROM periods AS p
        CROSS JOIN LATERAL (
            SELECT m.id
            FROM messages AS m
            WHERE m.user_id = $1 AND m.session_id = c.id AND NOT m.hidden AND NOT m.alternate
                AND m.created_at >= p.starts AND m.created_at < p.ends
            ORDER BY m.turn_index DESC
            LIMIT 3
        ) AS m
        WHERE c.last_at >= p.starts AND c.started_at < p.ends
    ) AS of_it
)
SELECT coalesce(k.document, -1) AS document, m.id,
    substr(m.content, coalesce(k.begins, 0) + 1, coalesce(k.ends - k.begins, 1000)) AS content, m.created_at, m.session_id,
    m.turn_index, coalesce(k.part, 0) AS part, m.role, m.speaker, coalesce(k.code, false) AS code, m.changed_at, m.exchange_id,
    m.self_share, m.states_taste, m.lists, m.words, coalesce(k.pasted, false) AS pasted, coalesce(k.begins, 0) AS begins,
    k.cuts, '' AS terms, ''::bytea AS counts, 0 AS length
FROM said
JOIN messages AS m ON m.user_id = $1 AND m.id = said.id
LEFT JOIN LATERAL (
    SELECT * FROM message_chunks AS p WHERE p.user_id = $1 AND p.message_id = m.id ORDER BY p.pasted, p.part LIMIT 1
) AS k ON true
-- One that is indexed without its words read has something that is not to be recalled; one without an answer was said to nobody.
WHERE k.document IS NOT NULL OR (m.words IS NOT NULL OR NOT m.indexed) AND NOT EXISTS (
    SELECT FROM exchanges AS f
    WHERE f.user_id = $1 AND f.id = m.exchange_id AND (f.unanswered OR f.state = 'open')
)
ORDER BY m.session_id, m.turn_index, m.id;
