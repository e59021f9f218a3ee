-- name: memory_with_content
-- The user's memory with this content, if any.
SELECT vector_id FROM users_vectors WHERE user_id = $1 AND content_hash = $2;

-- name: insert_vector
-- Keep a memory; a shared one may be there already.
INSERT INTO vectors (
    owner, id, kind, source, valid_from, content, content_hash, "values", embedding_model, importance,
    confidence, event_at, observed_at, session_id, message_ids, evidence, created_at, holds_from, holds_until,
    extractor, outline, use, topics, questions, terms, counts, terms_by,
    tags, metadata
) VALUES (
    $1, $2, $3, $4, $11, $5, $6, $7::halfvec, $8, $9, $10, $12, $11, $13, $14, $15, $16, $17, $18, $19, $20,
    $21, $22, $23, $24, $25, $26, $27, $28
)
ON CONFLICT (owner, id) DO NOTHING
RETURNING id;

-- name: link_memory
-- Let the user see a memory.
INSERT INTO users_vectors (
    user_id, vector_id, owner, content_hash, linked_at, last_recalled_at, recall_count, reinforcement_count, doubt,
    expires_at
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: unlink_memory
-- Let the user see a memory no longer.
DELETE FROM users_vectors WHERE user_id = $1 AND vector_id = $2;

-- name: end_validity
-- Note until when a memory of the user's own was believed, and until when it was true if it is past; it stays for the audit.
UPDATE vectors SET valid_to = $3, ended_at = $4, ended_as = $5, heir = $6 WHERE owner = $1 AND id = $2;

-- name: forget_past
-- Let these memories, and all that they took the place of, be past no longer: they are not wanted.
WITH RECURSIVE line (id) AS (
    SELECT unnest($2::uuid[])
    UNION
    SELECT before.id
    FROM line
    CROSS JOIN LATERAL (
        SELECT v.id
        FROM vectors AS v
        WHERE v.owner = $1 AND v.heir = line.id AND v.ended_at IS NOT NULL
        UNION ALL
        SELECT coalesce(u.replaced_id, u.memory_id)
        FROM memory_updates AS u
        WHERE u.user_id = $1 AND (
            u.action = 'replace' AND u.memory_id = line.id
            OR u.action = 'retire' AND u.details ->> 'heir' = line.id::text
        ) AND NOT EXISTS (SELECT FROM memory_updates AS by WHERE by.user_id = $1 AND by.undoes = u.id)
    ) AS before
)
UPDATE vectors AS v SET ended_at = NULL, ended_as = NULL, heir = NULL
FROM line
WHERE v.owner = $1 AND v.id = line.id AND v.ended_at IS NOT NULL
RETURNING v.id;

-- name: is_unwanted
-- Whether, since a change, a memory of the user or what took its place was forgotten, denied or erased and nobody undid that.
WITH RECURSIVE line (id) AS (
    SELECT $2::uuid
    UNION
    SELECT coalesce((u.details ->> 'heir')::uuid, u.memory_id)
    FROM line
    JOIN memory_updates AS u ON u.user_id = $1 AND (
        u.action = 'replace' AND u.replaced_id = line.id
        OR u.action = 'retire' AND u.memory_id = line.id AND u.details ? 'heir'
    )
)
SELECT EXISTS (
    SELECT
    FROM line
    LEFT JOIN vectors AS v ON v.owner IN ($1, '*') AND v.id = line.id
    WHERE v.id IS NULL OR EXISTS (  -- NULL: it was erased for good
        SELECT
        FROM memory_updates AS u
        WHERE u.user_id = $1 AND u.memory_id = line.id AND u.id > $3 AND u.undoes IS NULL
            AND u.action = 'retire' AND u.reason IN ('deleted', 'forgotten', 'corrected', 'expired')
            AND NOT EXISTS (SELECT FROM memory_updates AS by WHERE by.user_id = $1 AND by.undoes = u.id)
    )
);

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

-- name: confirming_messages
-- Which of these messages said a memory of the user again: also one that it had taken over, and that was formed once more.
SELECT said.id
FROM messages AS said
JOIN exchanges AS e ON e.user_id = $1 AND e.id = said.exchange_id AND e.message_id = said.id
JOIN memory_updates AS u ON u.user_id = $1 AND u.exchange_id = e.id
WHERE said.user_id = $1 AND said.id = ANY ($3::uuid[]) AND u.memory_id = $2 AND u.action = 'reinforce'
    AND NOT EXISTS (SELECT FROM memory_updates AS by WHERE by.user_id = $1 AND by.undoes = u.id);

-- name: write_vector
-- Write over a memory of the user's own. Its embeddings are kept as long as its content and its hints are.
UPDATE vectors
SET content = $3, content_hash = $4, kind = $5, source = $6, importance = $7, event_at = $8, message_ids = $9,
    holds_until = $12, holds_from = $19,
    "values" = CASE
        WHEN (content, use, topics, questions) IS NOT DISTINCT FROM ($3, $13, $14::text[], $15::text[]) THEN "values"
        ELSE $10::halfvec
    END,
    embedding_model = CASE
        WHEN (content, use, topics, questions) IS NOT DISTINCT FROM ($3, $13, $14::text[], $15::text[]) THEN embedding_model
        ELSE $11
    END,
    use = $13, topics = $14, questions = $15, terms = $16, counts = $17, terms_by = $18, tags = $20, metadata = $21
WHERE owner = $1 AND id = $2;

-- name: write_link
-- Write over what is the user's alone of a memory, and the hash by which their equal memories are found.
UPDATE users_vectors
SET content_hash = $3, reinforcement_count = $4, doubt = $5, expires_at = $6,
    hints_asked = CASE WHEN content_hash = $3 THEN hints_asked ELSE 0 END
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

-- name: update_to_undo
-- One row of the user's audit, and whether another undid it.
SELECT {update},
    EXISTS (SELECT FROM memory_updates AS by WHERE by.user_id = $1 AND by.undoes = u.id) AS undone
FROM memory_updates AS u
WHERE u.user_id = $1 AND u.id = $2;

-- name: updates_of_exchanges
-- What some exchanges of the user taught and nobody undid, newest first.
SELECT {update}
FROM memory_updates AS u
WHERE u.user_id = $1 AND u.exchange_id = ANY ($2::uuid[]) AND u.undoes IS NULL
    AND NOT EXISTS (SELECT FROM memory_updates AS by WHERE by.user_id = $1 AND by.undoes = u.id)
ORDER BY u.id DESC;

-- name: limits_caused_by
-- What gave a memory of the user an end because of another one of theirs, and nobody undid, newest first.
SELECT {update}
FROM memory_updates AS u
WHERE u.user_id = $1 AND u.action = 'mark' AND u.details ->> 'cause' = $2 AND u.details ? 'limited_to'
    AND NOT EXISTS (SELECT FROM memory_updates AS by WHERE by.user_id = $1 AND by.undoes = u.id)
ORDER BY u.id DESC;

-- name: ends_of_todos
-- What ended to-dos of the user that are past, as a memory of theirs called them done, newest first.
SELECT {update}
FROM vectors AS v
JOIN memory_updates AS u ON u.user_id = $1
    AND (u.action = 'retire' AND u.memory_id = v.id OR u.action = 'replace' AND u.replaced_id = v.id)
WHERE v.owner = $1 AND v.heir = $2 AND v.ended_as = 'done'
    AND NOT EXISTS (SELECT FROM memory_updates AS by WHERE by.user_id = $1 AND by.undoes = u.id)
ORDER BY u.id DESC;

-- name: todos_opened_by
-- What opened done to-dos of the user again because of a change, and nobody undid.
SELECT {update}
FROM memory_updates AS u
WHERE u.user_id = $1 AND u.id > $2::uuid AND u.action = 'restore' AND u.reason = 'contradicts'
    AND u.details ->> 'change' = $2::text
    AND NOT EXISTS (SELECT FROM memory_updates AS by WHERE by.user_id = $1 AND by.undoes = u.id)
ORDER BY u.id;

-- name: unlinked_memory
-- A memory that the user sees no longer.
SELECT {memory},
    NULL::timestamptz AS last_recalled_at, 0 AS recall_count, 0 AS reinforcement_count,
    NULL AS doubt, v.valid_to, v.ended_at, v.ended_as, v.heir
FROM vectors AS v
WHERE v.owner IN ($1, '*') AND v.id = $2 AND NOT EXISTS (
    SELECT FROM users_vectors AS l WHERE l.user_id = $1 AND l.vector_id = $2
);

-- name: unnote_change
-- Forget that something understood from messages of the user was no longer so since a time.
UPDATE messages SET changed_at = NULL
-- The time tells this note from that of another change.
WHERE user_id = $1 AND changed_at = $3 AND exchange_id IN (
    SELECT said.exchange_id FROM messages AS said WHERE said.user_id = $1 AND said.id = ANY ($2::uuid[])
);

-- name: later_versions
-- What was sent of a message in a chat of the user in its place, later than this; also where that is abandoned by now,
-- and not while its answer is under way, as it may still be refused.
SELECT anchor
FROM exchanges
WHERE user_id = $1 AND session_id = $2 AND parent = $3 AND key <> $4 AND said_at > $5 AND state <> 'open';

-- name: abandon_exchanges
-- Abandon what was said in a chat of the user since the first other version of a message, and not later than this one;
-- which exchanges those are.
UPDATE exchanges
SET state = 'abandoned', asking = '{}'
WHERE user_id = $1 AND session_id = $2 AND key <> $4 AND state <> 'abandoned' AND said_at <= $5 AND turn_index >= (
    SELECT min(version.turn_index)
    FROM exchanges AS version
    WHERE version.user_id = $1 AND version.session_id = $2 AND version.parent = $3 AND version.key <> $4
        AND version.said_at <= $5
)
RETURNING id, message_id, reply_id, anchor;

-- name: abandon_exchange
-- Abandon an exchange of the user, if it was formed and taught nothing.
UPDATE exchanges AS e
SET state = 'abandoned', asking = '{}'
WHERE e.user_id = $1 AND e.session_id = $2 AND e.key = $3 AND e.state = 'formed' AND NOT EXISTS (
    SELECT FROM memory_updates AS u WHERE u.user_id = $1 AND u.exchange_id = e.id
)
RETURNING e.id, e.message_id, e.reply_id, e.anchor;

-- name: delete_injections_of_anchors
-- Delete what was added to the prompts of some turns of a chat of the user.
DELETE FROM injections WHERE user_id = $1 AND session_id = $2 AND anchor = ANY ($3::text[]);

-- name: updates_of_repair
-- What a run of repairs, whose id is as old as itself, changed of the user's memories and nobody undid, newest first; but
-- not what it held back, which goes when what it took is brought back.
SELECT {update}
FROM memory_updates AS u
WHERE u.user_id = $1 AND u.id > $2::uuid AND u.details ->> 'run' = $2::text AND u.undoes IS NULL
    AND u.action <> 'quarantine'
    AND NOT EXISTS (SELECT FROM memory_updates AS by WHERE by.user_id = $1 AND by.undoes = u.id)
ORDER BY u.id DESC;

-- name: runs_of_repair
-- The ids of all runs of repairs, over all users.
SELECT DISTINCT (details ->> 'run')::uuid AS run FROM memory_updates WHERE details ? 'run';

-- name: users_of_repair
-- Of whom a run of repairs changed something, over all users.
SELECT DISTINCT user_id FROM memory_updates WHERE id > $1::uuid AND details ->> 'run' = $1::text ORDER BY user_id;

-- name: quarantine_with_content
-- What is held back of the user with this content, or was refused.
SELECT id, reason, refused FROM quarantine WHERE user_id = $1 AND content_hash = $2;

-- name: insert_quarantined
-- Hold a memory of the user back.
INSERT INTO quarantine (
    user_id, id, at, reason, kind, source, content, content_hash, importance, confidence, observed_at, event_at,
    holds_from, holds_until, session_id, message_ids, evidence, extractor, created_at, use, topics, questions,
    tags, metadata, further, expires_at
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
    $23, $24, $25, $26);

-- name: quarantined_again
-- Note in which further messages of the log something held back was said.
UPDATE quarantine
SET message_ids = message_ids || ARRAY(
    SELECT further.id
    FROM unnest($3::uuid[]) WITH ORDINALITY AS further (id, place)
    WHERE further.id <> ALL (message_ids)
    ORDER BY further.place
)
WHERE user_id = $1 AND id = $2;

-- name: quarantined
-- So much of what is held back of the user, newest first, behind a time and an id; with an id alone, that one.
SELECT at, reason, user_id AS owner, id, kind, source, content, importance, confidence, observed_at,
    event_at, created_at, session_id, message_ids, evidence, extractor, NULL AS embedding_model, holds_from,
    holds_until, NULL AS outline, use, topics, questions, NULL::timestamptz AS last_recalled_at, 0 AS recall_count,
    0 AS reinforcement_count, NULL AS doubt, tags, metadata, further, expires_at
FROM quarantine
WHERE user_id = $1 AND NOT refused AND ($2::uuid IS NULL OR id = $2) AND ($6::text IS NULL OR session_id = $6)
    AND ($4::timestamptz IS NULL OR (at, id) < ($4, $5::uuid))
ORDER BY at DESC, id DESC
LIMIT $3;

-- name: release_quarantined
-- Hold something of the user's back no longer.
DELETE FROM quarantine WHERE user_id = $1 AND id = $2;

-- name: drop_waiting
-- Delete what waits for the user's approval, without noting it as refused; return in which messages of the log it was said.
DELETE FROM quarantine WHERE user_id = $1 AND id = $2 AND NOT refused RETURNING message_ids;

-- name: release_with_content
-- Hold back no longer what is held back of the user with this content, or was refused.
DELETE FROM quarantine WHERE user_id = $1 AND content_hash = $2;

-- name: refuse_quarantined
-- Keep of something held back of the user only by what it is known again.
UPDATE quarantine
SET refused = true, content = '', evidence = NULL, message_ids = '{}', session_id = NULL, event_at = NULL,
    holds_from = NULL, holds_until = NULL, use = NULL, topics = NULL, questions = NULL,
    tags = '{}', metadata = '{}', further = '[]', expires_at = NULL
WHERE user_id = $1 AND id = $2;

-- name: abandon_quarantined
-- Delete what is held back of the user and was said in these messages of the log alone.
-- && leaves out the empty list, which is contained in every other.
DELETE FROM quarantine
WHERE user_id = $1 AND NOT refused AND message_ids && $2::uuid[] AND message_ids <@ $2::uuid[];

-- name: count_quarantined
-- How much is held back of the user.
SELECT count(*) FROM quarantine WHERE user_id = $1 AND NOT refused;
