-- name: exchange_by_key
-- Whether the user, or the chat, was erased since a turn was said; since when the user wants nothing of the chat to be kept. And the user's exchange that the turn belongs to, if
-- there is one: whether it has a reply with text, and whether this one is kept; else whether another is open in its chat.
-- And what is otherwise than the settings have it, for everybody and for the user.
SELECT EXISTS (SELECT FROM erased WHERE mark = ANY ($5::bytea[]) AND erased_at > $6) AS is_erased,
    (SELECT l.since FROM chats_left_out AS l WHERE l.user_id = $1 AND l.session_id = $2) AS left_out_since, e.id, e.turn_index,
    e.key, e.parent, e.anchor, e.said_at, e.message_id, e.state, e.erased_at IS NOT NULL AS is_blank,
    e.id IS NULL AND EXISTS (
        SELECT FROM exchanges AS o WHERE o.user_id = $1 AND o.session_id = $2 AND o.state = 'open'
    ) AS follows_open,
    (SELECT flags FROM user_settings WHERE user_id = '*') AS flags_of_everybody,
    (SELECT flags FROM user_settings WHERE user_id = $1) AS flags_of_user,
    EXISTS (SELECT FROM messages AS m WHERE m.user_id = $1 AND m.id = e.reply_id) AS replied,
    EXISTS (SELECT FROM messages AS m WHERE m.user_id = $1 AND m.id = $4) AS kept
FROM (VALUES (true)) AS always
LEFT JOIN exchanges AS e ON e.user_id = $1 AND e.session_id = $2 AND e.key = $3;

-- name: begin_exchange
-- Write what the user says as the turn of an open exchange, and count it and its reply in the chat.
WITH counted AS (
    INSERT INTO sessions (user_id, id, started_at, last_at, next_turn_index)
    VALUES ($1, $3, $9, $9, 2)
    ON CONFLICT (user_id, id) DO UPDATE
    SET last_at = greatest(sessions.last_at, $9), next_turn_index = sessions.next_turn_index + 2
    RETURNING next_turn_index - 2 AS turn_index
), begun AS (
    INSERT INTO exchanges (
        user_id, id, session_id, key, turn_index, message_id, reply_id, model, authorized, said_at, not_before,
        carried, anchor, parent, state, asking, upstream, answered
    )
    SELECT $1, $2, $3, $4, turn_index, $5, $6, $7, $8, $9, $9, $10, $11, $12, 'open', ARRAY[$2::uuid], $17,
    CASE WHEN NOT EXISTS (
        SELECT
        FROM (
            SELECT m.role, m.content, m.exchange_id FROM messages AS m
            WHERE m.user_id = $1 AND m.session_id = $3 AND m.turn_index < counted.turn_index AND NOT m.alternate
            ORDER BY m.turn_index DESC LIMIT 1
        ) AS before
        JOIN exchanges AS e ON e.user_id = $1 AND e.id = before.exchange_id
        WHERE before.role = 'assistant'
            AND (e.erased_at IS NOT NULL OR e.carried + 2 = $10 OR right(before.content, length($18::text)) = $18::text)
    ) THEN nullif($18::text, '') END
    FROM counted
)
INSERT INTO messages (
    user_id, id, session_id, turn_index, role, speaker, content, tokens, alternate, created_at, exchange_id,
    marked, hidden
)
SELECT $1, $5, $3, turn_index, 'user', $13, $14, $15, false, $9, $2, $16, false
FROM counted;

-- name: open_exchanges_before
-- The user's open exchanges of a chat that were said until then, but that with a certain key, in order.
SELECT id, session_id, key, parent, anchor, said_at, message_id
FROM exchanges
WHERE user_id = $1 AND session_id = $2 AND key <> $3 AND said_at <= $4 AND state = 'open'
ORDER BY id;

-- name: users_with_open_exchanges
-- Who has an exchange that is open since before a time; or before another one, where nobody asks for its answer any more;
-- over all users.
SELECT DISTINCT user_id FROM exchanges
WHERE state = 'open' AND (said_at < $1 OR said_at < $2 AND asking = '{}');

-- name: open_exchanges_of_user
-- Those exchanges of the user, in order.
SELECT id, session_id, key, parent, anchor, said_at, message_id
FROM exchanges
WHERE user_id = $1 AND state = 'open' AND (said_at < $2 OR said_at < $3 AND asking = '{}')
ORDER BY id;

-- name: ask_too
-- Note a further request that asks for the answer of the user's open exchange.
UPDATE exchanges SET asking = array_append(array_remove(asking, $3), $3)
WHERE user_id = $1 AND id = $2 AND state = 'open';

-- name: ask_no_more
-- Note that a request no longer asks for the answer of an open exchange of the user; whether another one does.
UPDATE exchanges SET asking = array_remove(asking, $4)
WHERE user_id = $1 AND session_id = $2 AND key = $3 AND state = 'open' AND $4 = ANY (asking)
RETURNING id, cardinality(asking) > 0 AS is_asked;

-- name: end_exchange
-- The answer of an exchange of the user is no longer under way.
UPDATE exchanges SET state = $3, asking = '{}'
WHERE user_id = $1 AND id = $2 AND state = 'open';

-- name: note_unanswered
-- Note that an exchange of the user never got its answer.
UPDATE exchanges SET unanswered = true WHERE user_id = $1 AND id = $2;

-- name: say_again
-- Write other words for a message of the user that is not indexed yet.
UPDATE messages SET content = $3, tokens = $4
WHERE user_id = $1 AND id = $2 AND NOT indexed AND content <> $3;

-- name: delete_exchange
-- Delete an exchange of the user.
DELETE FROM exchanges WHERE user_id = $1 AND id = $2;

-- name: delete_messages_of_exchange
-- Delete what was said in an exchange of the user.
DELETE FROM messages WHERE user_id = $1 AND exchange_id = $2;

-- name: delete_session_without_exchange
-- Delete a chat of the user in which nothing was said.
DELETE FROM sessions
WHERE user_id = $1 AND id = $2
    AND NOT EXISTS (SELECT FROM exchanges AS e WHERE e.user_id = $1 AND e.session_id = $2);

-- name: next_turn_index
-- Count a turn and its reply in a session of the user; the turn's index.
INSERT INTO sessions (user_id, id, started_at, last_at, next_turn_index)
VALUES ($1, $2, $3, $3, 2)
ON CONFLICT (user_id, id) DO UPDATE
SET last_at = greatest(sessions.last_at, $3), next_turn_index = sessions.next_turn_index + 2
RETURNING next_turn_index - 2;

-- name: insert_message
-- Write one message of the user's log; it is recalled no more where it is abandoned, or where what it answers is not.
INSERT INTO messages (
    user_id, id, session_id, turn_index, role, speaker, content, tokens, alternate, created_at, exchange_id,
    marked, hidden
) VALUES (
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,
    $13 OR EXISTS (SELECT FROM messages AS said WHERE said.user_id = $1 AND said.exchange_id = $11 AND said.hidden)
);

-- name: insert_exchange
-- Write an exchange of the user: to be formed, or abandoned.
INSERT INTO exchanges (
    user_id, id, session_id, key, turn_index, message_id, reply_id, model, authorized, said_at, not_before,
    carried, anchor, parent, state, told_with, upstream, answered
) VALUES (
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $12, $13, $14, $15, $16,
    CASE WHEN NOT EXISTS (
        SELECT
        FROM (
            SELECT m.role, m.content, m.exchange_id FROM messages AS m
            WHERE m.user_id = $1 AND m.session_id = $3 AND m.turn_index < $5 AND NOT m.alternate
            ORDER BY m.turn_index DESC LIMIT 1
        ) AS before
        JOIN exchanges AS e ON e.user_id = $1 AND e.id = before.exchange_id
        WHERE before.role = 'assistant'
            AND (e.erased_at IS NOT NULL OR e.carried + 2 = $11 OR right(before.content, length($17::text)) = $17::text)
    ) THEN nullif($17::text, '') END
);

-- name: note_answer_id
-- Note under which id the LLM's server keeps an answer to the user's exchange.
UPDATE exchanges SET answer_ids = array_append(array_remove(answer_ids, $3::text), $3::text) WHERE user_id = $1 AND id = $2;

-- name: note_failure
-- Note how an answer to the user's exchange failed, and as much as came of it. Not where it has an answer that is none of it.
UPDATE exchanges AS e SET failed_at = $3, failed_status = $4, partial = $5
WHERE e.user_id = $1 AND e.id = $2
    AND ($3::text = 'client' OR NOT EXISTS (SELECT FROM messages AS m WHERE m.user_id = $1 AND m.id = e.reply_id));

-- name: exchange_of_answer
-- The user's exchange whose answer the LLM's server keeps under an id, as the log has it.
SELECT e.id, e.session_id, e.key, e.message_id, e.reply_id, e.model, e.upstream, e.authorized, e.said_at, said.content AS said,
    said.speaker, reply.content AS reply
FROM exchanges AS e
JOIN messages AS said ON said.user_id = $1 AND said.id = e.message_id
LEFT JOIN messages AS reply ON reply.user_id = $1 AND reply.id = e.reply_id
WHERE e.user_id = $1 AND e.answer_ids <> '{}' AND e.answer_ids @> ARRAY[$2::text]
ORDER BY e.said_at DESC LIMIT 1;

-- name: session_of_answer
-- In which chat of the user the LLM's server answered under an id.
SELECT session_id FROM exchanges
WHERE user_id = $1 AND answer_ids <> '{}' AND answer_ids @> ARRAY[$2::text]
ORDER BY said_at DESC LIMIT 1;

-- name: continue_reply
-- Write over the longest reply of the user's exchange that this one begins with; which message that is. The same again, as a
-- spool may bring it, changes nothing.
UPDATE messages SET content = $3, tokens = $4
WHERE user_id = $1 AND id = (
    SELECT m.id
    FROM messages AS m
    WHERE m.user_id = $1 AND m.exchange_id = $2 AND m.role = 'assistant' AND starts_with($3, rtrim(m.content, E' \n\t'))
    ORDER BY m.alternate, length(m.content) DESC, m.id
    LIMIT 1
)
RETURNING id;

-- name: set_reply
-- Give an exchange of the user the reply it had not: what was left out of the index as unanswered is to be indexed. What
-- somebody called valuable is indexed all the same, and once is enough.
WITH answered AS (
    UPDATE exchanges AS e SET reply_id = $3, unanswered = false, failed_at = NULL, failed_status = NULL, partial = NULL
    FROM exchanges AS before
    WHERE e.user_id = $1 AND e.id = $2 AND before.user_id = $1 AND before.id = e.id
    RETURNING e.message_id, before.unanswered
)
UPDATE messages AS m SET indexed = false
FROM answered
WHERE m.user_id = $1 AND m.id = answered.message_id AND answered.unanswered AND NOT m.hidden
    AND NOT EXISTS (SELECT FROM message_chunks AS k WHERE k.user_id = $1 AND k.message_id = m.id);
