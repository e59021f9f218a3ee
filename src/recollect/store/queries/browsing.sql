-- name: memories_to_review
-- The user's own to-dos that are overdue, and statements that matter and were said long ago; of each only what nobody confirmed by
-- hand since it was due, or for that long. The most important first.
SELECT {memory}, {link}
FROM ( -- each part in the order of an index, which ends with the last that is asked for
    (
        SELECT due.id, true AS is_dated
        FROM vectors AS due
        WHERE due.owner = $1 AND due.valid_to IS NULL AND due.kind = 'todo' AND due.kind = ANY ($2::text[])
            -- A day is kept as its midnight, and is over a day later.
            AND due.event_at IS NOT NULL AND due.event_at < $6::timestamptz - interval '1 day'
            AND NOT EXISTS (
                SELECT FROM memory_updates AS u
                WHERE u.user_id = $1 AND u.memory_id = due.id AND u.at >= due.event_at
                    AND u.action = 'reinforce' AND u.actor IN ('user', 'admin')
            )
        ORDER BY due.importance DESC, due.id
        LIMIT $5
    )
    UNION ALL
    (
        SELECT old.id, false
        FROM vectors AS old
        WHERE old.owner = $1 AND old.valid_to IS NULL AND old.kind = ANY ($2::text[])
            AND (old.kind <> 'todo' OR old.event_at IS NULL) AND old.observed_at < $3 AND old.importance >= $4
            AND NOT EXISTS (
                SELECT FROM memory_updates AS u
                WHERE u.user_id = $1 AND u.memory_id = old.id AND u.at >= $3
                    AND u.action = 'reinforce' AND u.actor IN ('user', 'admin')
            )
        ORDER BY old.importance DESC, old.id
        LIMIT $5
    )
) AS asked
JOIN users_vectors AS l ON l.user_id = $1 AND l.vector_id = asked.id
JOIN vectors AS v ON v.owner = $1 AND v.id = asked.id
ORDER BY asked.is_dated DESC, v.importance DESC, v.id
LIMIT $5;

-- name: confirmed_since
-- Which of these memories the user confirmed by hand since a time.
SELECT DISTINCT memory_id AS id
FROM memory_updates
WHERE user_id = $1 AND memory_id = ANY ($2::uuid[]) AND at >= $3 AND action = 'reinforce' AND actor IN ('user', 'admin');

-- name: browsed_updates
-- The audit of the user's memories behind a given row, newest first, without exchanges that were kept as they were said.
SELECT id, at, action, actor, reason, memory_id, replaced_id, before, after, session_id, exchange_id, undoes,
    details
FROM memory_updates
WHERE user_id = $1 AND id < $2 AND reason <> 'kept_verbatim'
ORDER BY id DESC
LIMIT $3;

-- name: browsed_chats
-- The user's chats, the one where something was said last first; some of them.
SELECT s.id, s.started_at, s.last_at,
    (SELECT count(*) FROM messages AS m WHERE m.user_id = $1 AND m.session_id = s.id AND NOT m.alternate) AS messages
FROM sessions AS s
WHERE s.user_id = $1
ORDER BY s.last_at DESC, s.id
LIMIT $2 OFFSET $3;

-- name: first_words_of_chats
-- The beginning of the first message of the user's own in each of some chats, without hidden ones.
SELECT asked.id, said.words
FROM unnest($2::text[]) AS asked (id)
CROSS JOIN LATERAL (
    SELECT left(m.content, 200) AS words
    FROM messages AS m
    WHERE m.user_id = $1 AND m.session_id = asked.id AND m.role = 'user' AND NOT m.hidden AND NOT m.alternate
    ORDER BY m.turn_index
    LIMIT 1
) AS said;

-- name: said_at
-- When a memory was said.
SELECT observed_at FROM vectors WHERE owner IN ('*', $1) AND id = $2;

-- name: memories_said_last
-- The user's memories to which all that is given applies, the one that was said last first, behind one that was said at $2 with the
-- id $3.
SELECT {memory}, {link}
FROM ( -- the user's own by the index of what was said last, and the few that are shared
    (
        SELECT own.owner, own.id, own.observed_at
        FROM vectors AS own
        WHERE own.owner = $1 AND own.valid_to IS NULL AND own.kind = ANY ($4::text[])
            AND (own.observed_at, own.id) < ($2::timestamptz, $3::uuid)
            AND ($6::text IS NULL OR own.session_id = $6) AND own.tags @> $8::text[]
            AND (cardinality($7::text[]) = 0 OR NOT EXISTS (
                SELECT FROM unnest($7::text[]) AS word
                WHERE strpos(lower(own.content || ' ' || array_to_string(own.tags, ' ')), lower(word)) = 0
            ))
        ORDER BY own.observed_at DESC, own.id DESC
        LIMIT $5
    )
    UNION ALL
    SELECT shared.owner, shared.id, shared.observed_at
    FROM users_vectors AS given
    JOIN vectors AS shared ON shared.owner = '*' AND shared.id = given.vector_id
    WHERE given.user_id = $1 AND given.owner = '*' AND shared.kind = ANY ($4::text[])
        AND (shared.observed_at, shared.id) < ($2::timestamptz, $3::uuid)
        AND ($6::text IS NULL OR shared.session_id = $6) AND shared.tags @> $8::text[]
        AND (cardinality($7::text[]) = 0 OR NOT EXISTS (
            SELECT FROM unnest($7::text[]) AS word
            WHERE strpos(lower(shared.content || ' ' || array_to_string(shared.tags, ' ')), lower(word)) = 0
        ))
) AS found
JOIN users_vectors AS l ON l.user_id = $1 AND l.vector_id = found.id
JOIN vectors AS v ON v.owner = found.owner AND v.id = found.id
ORDER BY found.observed_at DESC, found.id DESC
LIMIT $5;

-- name: count_kept_of_user
-- How much is kept of the user.
SELECT
    (SELECT count(*) FROM users_vectors WHERE user_id = $1) AS memories,
    (SELECT count(*) FROM messages WHERE user_id = $1) AS messages,
    (SELECT count(*) FROM sessions WHERE user_id = $1) AS chats,
    (SELECT count(*) FROM quarantine WHERE user_id = $1 AND NOT refused) AS held,
    (SELECT count(*) FROM memory_updates WHERE user_id = $1) AS changes,
    (SELECT count(*) FROM exchanges
     WHERE user_id = $1 AND state = 'pending' AND waits_for IS NOT NULL) AS waiting;

-- name: count_unsettled_of_user
-- How many memories wait for the user, and how many exchanges for a model.
SELECT
    (SELECT count(*) FROM quarantine WHERE user_id = $1 AND NOT refused) AS held,
    (SELECT count(*) FROM exchanges
     WHERE user_id = $1 AND state = 'pending' AND waits_for IS NOT NULL) AS waiting;

-- name: knows_chat
-- Whether something was said in a chat of the user, and is kept.
SELECT EXISTS (SELECT FROM sessions WHERE user_id = $1 AND id = $2);

-- name: turn_of_message
-- At which turn of a chat of the user a message stands.
SELECT turn_index FROM messages WHERE user_id = $1 AND session_id = $2 AND id = $3;

-- name: turn_of_listed
-- At which turn of a chat of the user a message, or a failed answer, stands.
SELECT turn_index FROM messages WHERE user_id = $1 AND session_id = $2 AND id = $3
UNION ALL
SELECT turn_index + 1 FROM exchanges WHERE user_id = $1 AND session_id = $2 AND reply_id = $3 AND failed_at IS NOT NULL
LIMIT 1;

-- name: browsed_messages
-- What was said in a chat of the user behind a message, in order; the answers to a turn in the order of their requests. An answer
-- that failed has as much as came of it.
SELECT m.id, m.role, m.speaker, m.content, m.tokens, m.created_at AS said_at, m.alternate, m.marked, m.hidden,
    stopped.failed_at, stopped.failed_status, m.turn_index
FROM messages AS m
LEFT JOIN exchanges AS stopped
    ON stopped.user_id = $1 AND stopped.id = m.exchange_id AND stopped.reply_id = m.id AND stopped.failed_at IS NOT NULL
WHERE m.user_id = $1 AND m.session_id = $2 AND (m.turn_index, m.id) > ($3::integer, $4::uuid)
UNION ALL
SELECT e.reply_id, 'assistant', NULL, coalesce(e.partial, ''), 0, e.said_at, false, false, true,
    e.failed_at, e.failed_status, e.turn_index + 1
FROM exchanges AS e
WHERE e.user_id = $1 AND e.session_id = $2 AND (e.turn_index + 1, e.reply_id) > ($3::integer, $4::uuid)
    AND e.failed_at IS NOT NULL AND NOT EXISTS (SELECT FROM messages AS r WHERE r.user_id = $1 AND r.id = e.reply_id)
ORDER BY turn_index, id
LIMIT $5;

-- name: exchanges_of_messages
-- In which exchanges of the user some messages were said, oldest first: with the answer, and what was said before it there.
SELECT e.id, e.session_id, e.key, e.message_id, e.reply_id, e.model, e.upstream, e.authorized, e.said_at, said.content AS said,
    said.speaker, coalesce(reply.content, '') AS reply, 
    CASE WHEN e.answered IS NULL THEN before.role ELSE 'assistant' END AS role_before,
    coalesce(e.answered, before.content) AS said_before
FROM messages AS said
JOIN exchanges AS e ON e.user_id = $1 AND e.id = said.exchange_id AND e.message_id = said.id
LEFT JOIN messages AS reply ON reply.user_id = $1 AND reply.id = e.reply_id
LEFT JOIN LATERAL (
    SELECT earlier.role, earlier.content
    FROM messages AS earlier
    WHERE earlier.user_id = $1 AND earlier.session_id = said.session_id AND earlier.turn_index < said.turn_index
        AND NOT earlier.alternate
    ORDER BY earlier.turn_index DESC
    LIMIT 1
) AS before ON true
WHERE said.user_id = $1 AND said.id = ANY ($2::uuid[])
ORDER BY e.said_at, e.id;
