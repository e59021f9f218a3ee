-- name: export_rows
-- A user's rows of a table, as an export has them.
SELECT row_to_json(x)::text FROM (SELECT {columns} FROM {table} WHERE user_id = $1 ORDER BY {order}) AS x;

-- name: restore_rows
-- Keep such rows that the user has not.
INSERT INTO {table} (user_id, {columns})
SELECT $1, {columns} FROM jsonb_populate_recordset(NULL::{table}, $2::jsonb)
ON CONFLICT DO NOTHING
RETURNING 1;

-- name: export_projects
-- What the person's projects are called.
SELECT row_to_json(x)::text FROM (
    SELECT split_part(user_id, chr(31), 2) AS name, title, alone FROM projects WHERE owner = $1 ORDER BY user_id
) AS x;

-- name: restore_projects
-- Keep the projects of an export that the person has not.
INSERT INTO projects (owner, user_id, title, alone)
SELECT $1, $1 || chr(31) || name, title, alone
FROM jsonb_to_recordset($2::jsonb) AS p (name text, title text, alone boolean)
ON CONFLICT (user_id) DO NOTHING
RETURNING 1;

-- name: export_memories
-- What the user remembers, and what they remembered once: their own memories, and shared ones that they see; no summaries.
SELECT row_to_json(x)::text FROM (
    SELECT v.id, v.kind, v.source, v.content, v.importance, v.confidence, v.valid_from, v.valid_to, v.event_at,
        v.observed_at, v.created_at, v.holds_from, v.holds_until, v.session_id, v.message_ids, v.evidence, v.extractor,
        v.outline, v.use, v.topics, v.questions, v.tags, v.metadata,
        v.owner = '*' AS shared, l.linked_at, l.last_recalled_at, coalesce(l.recall_count, 0) AS recall_count,
        coalesce(l.reinforcement_count, 0) AS reinforcement_count, l.doubt, l.expires_at, v.ended_at, v.ended_as, v.heir
    FROM vectors AS v
    LEFT JOIN users_vectors AS l ON l.user_id = $1 AND l.vector_id = v.id AND l.owner = v.owner
    WHERE v.kind <> 'summary' AND (v.owner = $1 OR v.owner = '*' AND l.vector_id IS NOT NULL)
    ORDER BY v.id
) AS x;

-- name: export_summaries
-- The summaries of the user's chats, also those that others took the place of.
SELECT row_to_json(x)::text FROM (
    SELECT v.id, v.kind, v.source, v.content, v.importance, v.confidence, v.valid_from, v.valid_to, v.event_at,
        v.observed_at, v.created_at, v.holds_from, v.holds_until, v.session_id, v.message_ids, v.evidence, v.extractor,
        v.outline, v.use, v.topics, v.questions, v.tags, v.metadata,
        false AS shared, l.linked_at, l.last_recalled_at, coalesce(l.recall_count, 0) AS recall_count,
        coalesce(l.reinforcement_count, 0) AS reinforcement_count, l.doubt, l.expires_at
    FROM vectors AS v
    LEFT JOIN users_vectors AS l ON l.user_id = $1 AND l.vector_id = v.id AND l.owner = v.owner
    WHERE v.kind = 'summary' AND v.owner = $1
    ORDER BY v.id
) AS x;

-- name: export_quarantine
-- What waits for the user's approval; of what was refused only the hash is there.
SELECT row_to_json(x)::text FROM (
    SELECT id, at, reason, kind, source, content, importance, confidence, observed_at, event_at, holds_from, holds_until,
        session_id, message_ids, evidence, extractor, created_at, use, topics, questions, refused, tags, metadata, further, expires_at,
        CASE WHEN refused THEN encode(content_hash, 'hex') END AS refused_hash
    FROM quarantine
    WHERE user_id = $1
    ORDER BY id
) AS x;

-- name: export_kept_answers
-- What requests with a key were answered, as long as that is kept.
SELECT row_to_json(x)::text FROM (
    SELECT key, at, convert_from(answer, 'UTF8') AS answer, etag FROM kept_answers WHERE user_id = $1 ORDER BY at, key
) AS x;

-- name: restore_profile
-- Keep the profile of an export, where the user allows one.
INSERT INTO profile_entries (
    user_id, id, field, state, content, content_hash, memory_id, own_words, created_at, changed_at
)
SELECT $1, id, field, state, content, content_hash, memory_id, own_words, created_at, changed_at
FROM jsonb_populate_recordset(NULL::profile_entries, $2::jsonb)
WHERE EXISTS (SELECT FROM user_settings WHERE user_id = $1 AND flags ->> 'profile' = 'true')
ON CONFLICT DO NOTHING
RETURNING 1;

-- name: restore_memories
-- Keep memories of an export, and let the user see those that they saw: their own; shared ones while they are shared, with
-- the same words; others that were shared as their own. None that they have already, or have let go of since.
WITH given AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($2::jsonb) AS r (
        id uuid, kind text, source text, content text, content_hash bytea, importance real, confidence real,
        valid_from timestamptz, valid_to timestamptz, event_at timestamptz, observed_at timestamptz,
        created_at timestamptz, holds_from timestamptz, holds_until timestamptz, session_id text, message_ids uuid[],
        evidence text, extractor text, outline jsonb, shared boolean, linked_at timestamptz,
        last_recalled_at timestamptz, recall_count integer, reinforcement_count integer, doubt text,
        expires_at timestamptz,
        use text, topics text[], questions text[], tags text[], metadata jsonb, terms text, counts bytea, terms_by smallint, ended_at timestamptz, ended_as text,
        heir uuid
    )
), wanted AS MATERIALIZED (
    SELECT g.*, g.shared AND EXISTS (
            SELECT FROM vectors AS c
            WHERE c.owner = '*' AND c.id = g.id AND c.content_hash = g.content_hash AND c.source <> 'global'
        ) AS is_common
    FROM given AS g
    WHERE NOT EXISTS (SELECT FROM memory_updates AS u WHERE u.user_id = $1 AND u.memory_id = g.id)
        AND (g.linked_at IS NULL OR NOT EXISTS (
            SELECT FROM users_vectors AS l WHERE l.user_id = $1 AND l.content_hash = g.content_hash
        ))
), kept AS (
    INSERT INTO vectors (
        owner, id, kind, source, valid_from, valid_to, content, content_hash, importance, confidence, event_at,
        observed_at, session_id, message_ids, evidence, created_at, holds_from, holds_until, extractor, outline,
        use, topics, questions, terms, counts, terms_by, ended_at, ended_as, heir, tags, metadata
    )
    SELECT $1, id, kind, source, valid_from, valid_to, content, content_hash, importance, confidence, event_at,
        observed_at, session_id, message_ids, evidence, created_at, holds_from, holds_until, extractor, outline,
        use, topics, questions, terms, counts, terms_by, ended_at, ended_as, heir, coalesce(tags, '{}'),
        coalesce(metadata, '{}')
    FROM wanted
    WHERE NOT is_common
    ON CONFLICT (owner, id) DO NOTHING
    RETURNING id
), linked AS (
    INSERT INTO users_vectors (
        user_id, vector_id, owner, content_hash, linked_at, last_recalled_at, recall_count, reinforcement_count, doubt,
        expires_at
    )
    SELECT $1, id, CASE WHEN is_common THEN '*' ELSE $1 END, content_hash, linked_at, last_recalled_at, recall_count,
        reinforcement_count, doubt, expires_at
    FROM wanted
    WHERE linked_at IS NOT NULL AND (is_common OR id IN (SELECT id FROM kept))
    ON CONFLICT DO NOTHING
    RETURNING vector_id
)
SELECT id FROM kept
UNION
SELECT vector_id FROM linked;

-- name: restore_quarantine
-- Hold back what an export held back.
INSERT INTO quarantine (
    user_id, id, at, reason, kind, source, content, content_hash, importance, confidence, observed_at, event_at,
    holds_from, holds_until, session_id, message_ids, evidence, extractor, created_at, use, topics, questions, refused,
    tags, metadata, further, expires_at
)
SELECT $1, id, at, reason, kind, source, content, content_hash, importance, confidence, observed_at, event_at,
    holds_from, holds_until, session_id, message_ids, evidence, extractor, created_at, use, topics, questions, refused,
    coalesce(tags, '{}'), coalesce(metadata, '{}'), coalesce(further, '[]'), expires_at
FROM jsonb_populate_recordset(NULL::quarantine, $2::jsonb)
ON CONFLICT DO NOTHING
RETURNING 1;

-- name: restore_sessions
-- Keep chats of an export; of one that is there, what came later, and it is not new.
WITH kept AS (
    INSERT INTO sessions (
        user_id, id, started_at, last_at, next_turn_index, summarized_turn, summary_asked_at, summaries_made, summaries_kept
    )
    SELECT $1, id, started_at, last_at, next_turn_index, summarized_turn, summary_asked_at, summaries_made, summaries_kept
    FROM jsonb_populate_recordset(NULL::sessions, $2::jsonb)
    ON CONFLICT (user_id, id) DO UPDATE
    SET started_at = least(sessions.started_at, excluded.started_at), last_at = greatest(sessions.last_at, excluded.last_at),
        next_turn_index = greatest(sessions.next_turn_index, excluded.next_turn_index),
        summarized_turn = greatest(sessions.summarized_turn, excluded.summarized_turn)
    RETURNING xmax = 0 AS is_new
)
SELECT 1 FROM kept WHERE is_new;

-- name: restore_exchanges
-- Keep exchanges of an export.
INSERT INTO exchanges (
    user_id, id, session_id, key, turn_index, message_id, reply_id, model, authorized, said_at, state, attempts,
    not_before, error, fallback, formed_at, carried, anchor, parent, unanswered, told_with, made, upstream, answer_ids, arrived_at,
    answered, waits_for, wakes_at, waits, asked, failed_at, failed_status, partial, erased_at
)
SELECT $1, id, session_id, key, turn_index, message_id, reply_id, model, authorized, said_at, state, attempts,
    not_before, error, fallback, formed_at, carried, anchor, parent, unanswered, told_with, made, coalesce(upstream, ''),
    coalesce(answer_ids, '{}'), CASE WHEN state = 'pending' THEN coalesce(arrived_at, now()) ELSE arrived_at END, answered, waits_for, wakes_at, coalesce(waits, 0), asked, failed_at, failed_status, partial, erased_at
FROM jsonb_populate_recordset(NULL::exchanges, $2::jsonb)
ON CONFLICT DO NOTHING
RETURNING 1;

-- name: restore_messages
-- Keep messages of an export, where their exchange is kept.
INSERT INTO messages (
    user_id, id, session_id, exchange_id, turn_index, role, speaker, content, tokens, alternate, created_at, hidden,
    changed_at, marked
)
SELECT $1, r.id, r.session_id, r.exchange_id, r.turn_index, r.role, r.speaker, r.content, r.tokens, r.alternate,
    r.created_at, r.hidden, r.changed_at, r.marked
FROM jsonb_populate_recordset(NULL::messages, $2::jsonb) AS r
WHERE EXISTS (
    SELECT FROM exchanges AS e
    WHERE e.user_id = $1 AND e.id = r.exchange_id AND e.session_id = r.session_id
)
ON CONFLICT DO NOTHING
RETURNING 1;

