-- name: line_of_memories
-- These memories of the user, and all that they took the place of, or that took theirs and was undone; but not what ended with them.
WITH RECURSIVE line (id) AS (
    SELECT unnest($2::uuid[])
    UNION
    SELECT before.id
    FROM line
    CROSS JOIN LATERAL (
        SELECT u.replaced_id AS id
        FROM memory_updates AS u
        WHERE u.user_id = $1 AND u.memory_id = line.id AND u.replaced_id IS NOT NULL
        UNION ALL
        SELECT u.memory_id
        FROM memory_updates AS u
        WHERE u.user_id = $1 AND u.action = 'retire' AND u.reason <> 'ended' AND u.details ->> 'heir' = line.id::text
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
-- Forget that memories of the user rest on these messages, and in which words they were said.
UPDATE vectors
SET evidence = NULL, message_ids = ARRAY(
    SELECT said.id FROM unnest(message_ids) WITH ORDINALITY AS said (id, place) WHERE said.id <> ALL ($2::uuid[])
    ORDER BY said.place
)
WHERE owner = $1 AND message_ids && $2::uuid[];

-- name: beside_messages
-- The user's messages that stand right before or behind one of these in its chat, also where an answer failed between them: each
-- may be found by words of the other.
SELECT DISTINCT beside.id
FROM messages AS m
JOIN messages AS beside
    ON beside.user_id = $1 AND beside.session_id = m.session_id
        AND beside.turn_index >= coalesce((
            SELECT max(p.turn_index) FROM messages AS p
            WHERE p.user_id = $1 AND p.session_id = m.session_id AND p.turn_index < m.turn_index AND NOT p.alternate
        ), m.turn_index)
        AND beside.turn_index <= coalesce((
            SELECT min(n.turn_index) FROM messages AS n
            WHERE n.user_id = $1 AND n.session_id = m.session_id AND n.turn_index > m.turn_index AND NOT n.alternate
        ), m.turn_index)
WHERE m.user_id = $1 AND m.id = ANY ($2::uuid[]) AND beside.id <> ALL ($2::uuid[])
    AND beside.indexed AND NOT beside.hidden;

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
WHERE e.user_id = $1 AND (e.answered IS NOT NULL OR e.partial IS NOT NULL) AND EXISTS (
    SELECT FROM told WHERE told.session_id = e.session_id AND told.turn_index < e.turn_index
);

-- name: erase_answers_outside_the_log
-- Delete what these exchanges of the user keep of answers that are no messages; return the messages that may be found by words of it.
UPDATE exchanges AS e SET answered = NULL, partial = NULL
FROM messages AS m
WHERE e.user_id = $1 AND e.id = ANY ($2::uuid[]) AND m.user_id = $1 AND m.id = e.message_id
RETURNING m.id, m.indexed AND NOT m.hidden AS is_found;

-- name: erase_texts
-- Delete the text of messages of the user; that something was said there stays known.
UPDATE messages SET content = '', tokens = 0, hidden = true, indexed = true WHERE user_id = $1 AND id = ANY ($2::uuid[]);

-- name: erase_texts_of_exchanges
-- Delete what else has the text of exchanges of the user that have these messages, and let none be written to them again; nor what
-- the turn behind each one has of its answer.
WITH erased AS (
    UPDATE exchanges SET erased_at = $3, answered = NULL, partial = NULL
    WHERE user_id = $1 AND message_id = ANY ($2::uuid[])
    RETURNING session_id, turn_index
)
UPDATE exchanges AS next SET answered = NULL
FROM erased
WHERE next.user_id = $1 AND next.session_id = erased.session_id AND next.turn_index = erased.turn_index + 2
    AND NOT next.message_id = ANY ($2::uuid[]);
