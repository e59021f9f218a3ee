-- name: erase_rows
-- Delete the user's rows of the table.
DELETE FROM {table} WHERE {owner} = $1;

-- name: erase_rows_of_session
-- Delete the table's rows about a chat of the user.
DELETE FROM {table} WHERE user_id = $1 AND session_id = $2;

-- name: memories_of_user
-- Which memories the user ever saw. The audit does not name what came with an import, until it is replaced.
SELECT vector_id AS id FROM users_vectors WHERE user_id = $1
UNION
SELECT memory_id FROM memory_updates WHERE user_id = $1
UNION
SELECT replaced_id FROM memory_updates WHERE user_id = $1 AND replaced_id IS NOT NULL;

-- name: erase_shared
-- Delete memories of the commons that nobody sees any more, over all users; not what serves everybody.
DELETE FROM vectors AS v
WHERE v.owner = '*' AND v.id = ANY ($1::uuid[]) AND v.source <> 'global'
    AND NOT EXISTS (SELECT FROM users_vectors AS l WHERE l.vector_id = v.id AND l.owner = '*');

-- name: erase_jobs
-- Delete the user's jobs; the queue knows the user by the payload alone.
DELETE FROM pgqueuer WHERE payload = $1 RETURNING id;

-- name: erase_job_log
-- Delete what the queue logged of jobs.
DELETE FROM pgqueuer_log WHERE job_id = ANY ($1::bigint[]);

-- name: insert_erasure
-- Leave a tombstone: when, and how many rows, but not whose.
INSERT INTO erasures (id, erased_at, counts) VALUES ($1, $2, $3);

-- name: mark_erased
-- Note until when somebody, or a chat of theirs, was erased.
INSERT INTO erased (mark, erased_at) VALUES ($1, $2)
ON CONFLICT (mark) DO UPDATE SET erased_at = greatest(erased.erased_at, excluded.erased_at);

-- name: erased_since
-- Who was erased, or which chat, since a time.
SELECT mark, erased_at FROM erased WHERE erased_at >= $1;

-- name: prune_erased
-- Forget who was erased until a time.
DELETE FROM erased WHERE erased_at < $1;

-- name: left_of_table
-- How many rows the table has of the user.
SELECT '{table}' AS name, count(*) AS rows FROM {table} WHERE {owner} = $1;

-- name: left_of_queues
-- How many rows the teams and the queue have of the user; of the queue's log, of these jobs.
SELECT 'teams', count(*) FROM teams WHERE members ? $1
UNION ALL
SELECT 'pgqueuer', count(*) FROM pgqueuer WHERE payload = $2
UNION ALL
SELECT 'pgqueuer_log', count(*) FROM pgqueuer_log WHERE job_id = ANY ($3::bigint[]);

-- name: left_of_shared
-- How many of these memories of the commons nobody sees any more, over all users; not what serves everybody.
SELECT count(*)
FROM vectors AS v
WHERE v.owner = '*' AND v.id = ANY ($1::uuid[]) AND v.source <> 'global'
    AND NOT EXISTS (SELECT FROM users_vectors AS l WHERE l.vector_id = v.id AND l.owner = '*');

-- name: may_vacuum
-- Which of these tables this database user may vacuum: its own, or all as the owner of the database or a superuser.
SELECT c.relname AS name
FROM pg_class AS c
JOIN pg_database AS d ON d.datname = current_database()
WHERE c.relnamespace = 'recollect'::regnamespace AND c.relname = ANY ($1::text[])
    AND (pg_has_role(c.relowner, 'USAGE') OR pg_has_role(d.datdba, 'USAGE'))
ORDER BY c.relname;

-- name: vacuum
-- Make free what deleted rows took; outside of any transaction. What this database user may not, is passed over.
VACUUM {tables};

-- name: exchanges_of_session
-- The exchanges of a chat of the user that changed memories; also those that are in the log no longer.
SELECT DISTINCT exchange_id AS id FROM memory_updates WHERE user_id = $1 AND session_id = $2;

-- name: messages_of_session
-- All messages of a chat of the user, other answers too.
SELECT id FROM messages WHERE user_id = $1 AND session_id = $2;

-- name: memories_of_session
-- The user's own memories that came from a chat or rest on messages of it, also those the user sees no longer; whether the
-- user stood behind them outside of any chat; and the messages of what these exchanges put them in the place of.
-- Summaries of other chats are retired with what is hidden.
-- Materialized: the audit is read once, and not for each memory.
WITH inherited AS MATERIALIZED (
    SELECT CASE u.action WHEN 'replace' THEN u.memory_id ELSE (u.details ->> 'heir')::uuid END AS heir,
        array_agg(m.id::uuid) AS messages
    FROM memory_updates AS u
    CROSS JOIN LATERAL jsonb_array_elements_text(u.details -> 'messages') AS m (id)
    WHERE u.user_id = $1 AND u.exchange_id = ANY ($4::uuid[])
    GROUP BY heir
), by_hand AS MATERIALIZED (
    SELECT DISTINCT memory_id
    FROM memory_updates
    WHERE user_id = $1
        AND (reason IN ('approved', 'edited', 'written') OR action = 'restore' AND reason = 'undone')
)
SELECT v.id, v.content, v.message_ids, l.vector_id IS NOT NULL AS linked, inherited.messages AS inherited,
    by_hand.memory_id IS NOT NULL AS by_hand
FROM vectors AS v
LEFT JOIN users_vectors AS l ON l.user_id = $1 AND l.vector_id = v.id
LEFT JOIN inherited ON inherited.heir = v.id
LEFT JOIN by_hand ON by_hand.memory_id = v.id
WHERE v.owner = $1 AND (v.session_id = $2 OR v.kind <> 'summary' AND v.message_ids && $3::uuid[]);

-- name: detach_from_session
-- Forget that a memory of the user came from a chat, in which words, and the hints that a model wrote there; not if the user edited it.
UPDATE vectors AS v
SET message_ids = $3, session_id = nullif(v.session_id, $4),
    evidence = CASE WHEN v.session_id = $4 THEN NULL ELSE v.evidence END,
    use = hints.use, topics = hints.topics, questions = hints.questions,
    "values" = CASE WHEN v.use IS NOT DISTINCT FROM hints.use THEN v."values" ELSE {content_values} END
FROM vectors AS o
-- No row where the hints go, so that all three become NULL.
LEFT JOIN LATERAL (
    SELECT o.use, o.topics, o.questions
    WHERE o.session_id IS DISTINCT FROM $4 OR EXISTS (
        SELECT FROM memory_updates AS u WHERE u.user_id = $1 AND u.memory_id = o.id AND u.reason = 'edited'
    )
) AS hints ON true
WHERE v.owner = $1 AND v.id = $2 AND o.owner = $1 AND o.id = $2;

-- name: unlink_memories
-- Let the user see these memories no longer.
DELETE FROM users_vectors WHERE user_id = $1 AND vector_id = ANY ($2::uuid[]);

-- name: erase_memories
-- Delete memories of the user's own.
DELETE FROM vectors WHERE owner = $1 AND id = ANY ($2::uuid[]) RETURNING id;

-- name: erase_quarantine_of_session
-- Delete what the user had still to approve of a chat, or of nothing but these messages; of what was refused the hash.
-- The empty list is contained in every other.
DELETE FROM quarantine
WHERE user_id = $1 AND (session_id = $2 OR message_ids <> '{}' AND message_ids <@ $3::uuid[])
RETURNING id;

-- name: updates_of_session
-- The rows of the user's audit that name a chat or one of these memories, and what undoes them.
WITH named AS (
    SELECT id FROM memory_updates
    WHERE user_id = $1
        AND (session_id = $2 OR memory_id = ANY ($3::uuid[]) OR replaced_id = ANY ($3::uuid[]))
)
SELECT {update}
FROM memory_updates AS u
WHERE u.user_id = $1 AND (u.id IN (SELECT id FROM named) OR u.undoes IN (SELECT id FROM named));

-- name: delete_updates
-- Delete rows of the user's audit.
DELETE FROM memory_updates WHERE user_id = $1 AND id = ANY ($2::uuid[]);

-- name: rewrite_update
-- Write over a row of the user's audit.
UPDATE memory_updates
SET action = $3, memory_id = $4, replaced_id = $5, before = $6, after = $7, session_id = $8, exchange_id = $9,
    details = $10
WHERE user_id = $1 AND id = $2;

-- name: erase_session
-- Delete a chat of the user.
DELETE FROM sessions WHERE user_id = $1 AND id = $2;

-- name: sessions_of_user
-- The chats of the user that had begun by then, where that is asked; the one where something was said last first.
SELECT id FROM sessions
WHERE user_id = $1 AND ($2::timestamptz IS NULL OR started_at <= $2)
ORDER BY last_at DESC, id;

-- name: line_of_memories
-- These memories of the user, and all that they took the place of, or that took theirs and was undone; but not what ended with them,
-- nor a to-do that is open again.
WITH RECURSIVE line (id) AS (
    SELECT unnest($2::uuid[])
    UNION  -- and not UNION ALL: two memories may have taken each other's place
    SELECT before.id
    FROM line
    CROSS JOIN LATERAL (
        SELECT u.replaced_id AS id
        FROM memory_updates AS u
        WHERE u.user_id = $1 AND u.memory_id = line.id
            AND NOT EXISTS (SELECT FROM users_vectors AS l WHERE l.user_id = $1 AND l.vector_id = u.replaced_id)
        UNION ALL
        SELECT u.memory_id
        FROM memory_updates AS u
        WHERE u.user_id = $1 AND u.reason <> 'ended' AND u.details ->> 'heir' = line.id::text
    ) AS before
)
SELECT v.id, v.message_ids FROM line JOIN vectors AS v ON v.owner = $1 AND v.id = line.id;

-- name: copies_of_messages
-- The user's summaries, and exchanges kept as they were said, that rest on one of these messages; also those the user sees no longer.
SELECT id FROM vectors
WHERE owner = $1 AND (kind = 'summary' OR source = 'qa_turn') AND message_ids && $2::uuid[];

-- name: erase_quarantine_of_messages
-- Delete what the user had still to approve and rests on one of these messages.
DELETE FROM quarantine WHERE user_id = $1 AND message_ids && $2::uuid[] RETURNING id;

-- name: detach_from_messages
-- Forget that memories of the user rest on these messages, in which words they were said, and their hints; not if the user edited it.
UPDATE vectors AS v
SET evidence = NULL, use = hints.use, topics = hints.topics, questions = hints.questions,
    "values" = CASE WHEN v.use IS NOT DISTINCT FROM hints.use THEN v."values" ELSE {content_values} END,
    message_ids = ARRAY(
        SELECT said.id FROM unnest(v.message_ids) WITH ORDINALITY AS said (id, place) WHERE said.id <> ALL ($2::uuid[])
        ORDER BY said.place
    )
FROM vectors AS o
LEFT JOIN LATERAL (
    SELECT o.use, o.topics, o.questions
    WHERE EXISTS (SELECT FROM memory_updates AS u WHERE u.user_id = $1 AND u.memory_id = o.id AND u.reason = 'edited')
) AS hints ON true
WHERE v.owner = $1 AND o.owner = $1 AND o.id = v.id AND o.message_ids && $2::uuid[];

-- name: beside_messages
-- The user's messages that stand right before or behind one of these in its chat, also where an answer failed between them: each
-- may be found by words of the other.
SELECT beside.id
FROM messages AS m
JOIN messages AS beside
    ON beside.user_id = $1 AND beside.session_id = m.session_id
        AND beside.turn_index >= coalesce((
            SELECT max(p.turn_index) FROM messages AS p
            WHERE p.user_id = $1 AND p.session_id = m.session_id AND p.turn_index < m.turn_index
        ), m.turn_index)
        AND beside.turn_index <= coalesce((
            SELECT min(n.turn_index) FROM messages AS n
            WHERE n.user_id = $1 AND n.session_id = m.session_id AND n.turn_index > m.turn_index
        ), m.turn_index)
WHERE m.user_id = $1 AND m.id = ANY ($2::uuid[]) AND beside.id <> ALL ($2::uuid[]);

-- name: answers_outside_the_log
-- What exchanges of the user keep of answers that are no messages: those behind one of these messages in its chat, or given one of these items.
WITH told (session_id, turn_index) AS (
    SELECT session_id, turn_index FROM messages WHERE user_id = $1 AND id = ANY ($2::uuid[])
    UNION
    SELECT e.session_id, e.turn_index - 1
    FROM injections AS i
    JOIN exchanges AS e ON e.user_id = $1 AND e.session_id = i.session_id AND e.anchor = i.anchor
    WHERE i.user_id = $1 AND i.items && $3::uuid[]
)
SELECT e.id, concat_ws(E'\n', e.answered, e.partial) AS content FROM exchanges AS e
WHERE e.user_id = $1 AND EXISTS (
    SELECT FROM told WHERE told.session_id = e.session_id AND told.turn_index < e.turn_index
);

-- name: erase_answers_outside_the_log
-- Delete what these exchanges of the user keep of answers that are no messages.
UPDATE exchanges SET answered = NULL, partial = NULL WHERE user_id = $1 AND id = ANY ($2::uuid[]);

-- name: erase_not_helpful_of
-- Delete that the user called one of these memories not helpful, or any for a question in one of these messages.
DELETE FROM not_helpful WHERE user_id = $1 AND (memory_id = ANY ($2::uuid[]) OR message_id = ANY ($3::uuid[]));

-- name: erase_texts
-- Delete the text of hidden messages of the user, and what its words showed; that something was said there stays known.
-- Indexed, so that a worker that has read the text before notes nothing of it.
UPDATE messages
SET content = '', tokens = 0, indexed = true, self_share = NULL, states_taste = NULL, lists = NULL, words = NULL
WHERE user_id = $1 AND id = ANY ($2::uuid[]);

-- name: erase_texts_of_exchanges
-- Delete what else has the text of exchanges of the user that have these messages, and let none be written to them again; nor what
-- the turn behind each one has of its answer.
WITH erased AS (
    UPDATE exchanges SET erased_at = $3, answered = NULL, partial = NULL
    WHERE user_id = $1 AND message_id = ANY ($2::uuid[])
    RETURNING session_id, turn_index
)
-- An exchange takes two turns, its question and its answer.
UPDATE exchanges AS next SET answered = NULL
FROM erased
WHERE next.user_id = $1 AND next.session_id = erased.session_id AND next.turn_index = erased.turn_index + 2
    AND NOT next.message_id = ANY ($2::uuid[]);

-- name: users_with_old_exchanges
-- Of whom an exchange from before a time is formed, or is not to be formed any more, over all users.
SELECT DISTINCT user_id FROM exchanges WHERE said_at < $1 AND state IN ('formed', 'failed', 'abandoned');

-- name: old_exchanges
-- The user's oldest exchanges from before a time that are formed, or are not to be formed any more. With $4 a model is still to read
-- those that none has read, but for what is recalled no more.
SELECT e.id, e.session_id
FROM exchanges AS e
WHERE e.user_id = $1 AND e.said_at < $2 AND e.state IN ('formed', 'failed', 'abandoned')
    AND NOT ($4 AND e.state = 'formed' AND e.fallback IS NOT NULL AND EXISTS (
        SELECT FROM messages AS said WHERE said.user_id = $1 AND said.id = e.message_id AND NOT said.hidden
    ))
ORDER BY e.said_at
LIMIT $3;

-- name: messages_of_exchanges
-- The messages of these exchanges of the user, other answers too.
SELECT id FROM messages WHERE user_id = $1 AND exchange_id = ANY ($2::uuid[]);

-- name: erase_rows_of_exchanges
-- Delete the table's rows about these exchanges of the user.
DELETE FROM {table} AS r USING exchanges AS e
WHERE r.user_id = $1 AND e.user_id = $1 AND e.id = ANY ($2::uuid[]) AND r.session_id = e.session_id AND r.anchor = e.anchor;

-- name: let_go_of_messages
-- Forget that memories of the user, or held back ones, rest on these messages; their words stay.
UPDATE {table} AS v
SET message_ids = ARRAY(
    SELECT said.id FROM unnest(v.message_ids) WITH ORDINALITY AS said (id, place) WHERE said.id <> ALL ($2::uuid[])
    ORDER BY said.place
)
WHERE v.{owner} = $1 AND v.message_ids && $2::uuid[];

-- name: erase_old_exchanges
-- Delete exchanges of the user, and what the turn behind each one has of its answer.
WITH erased AS (
    DELETE FROM exchanges WHERE user_id = $1 AND id = ANY ($2::uuid[]) RETURNING session_id, turn_index
)
UPDATE exchanges AS next SET answered = NULL
FROM erased
WHERE next.user_id = $1 AND next.session_id = erased.session_id AND next.turn_index = erased.turn_index + 2;

-- name: erase_old_messages
-- Delete messages of the user.
DELETE FROM messages WHERE user_id = $1 AND id = ANY ($2::uuid[]);

-- name: erase_empty_sessions
-- Delete those of these chats of the user of which nothing is kept.
DELETE FROM sessions AS s
WHERE s.user_id = $1 AND s.id = ANY ($2::text[])
    AND NOT EXISTS (SELECT FROM exchanges AS e WHERE e.user_id = $1 AND e.session_id = s.id);
