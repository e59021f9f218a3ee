-- name: write_turn
-- Write the parts of a user's turn, under the user's lock: as one JSON document, after the user and the role of users.
SELECT outcome, logged, zone FROM write_turn($1, $2, $3::jsonb);

-- name: exchange_by_key
-- The user's exchange that a turn belongs to, if there is one: whether it has a reply with text, and whether this one is kept.
SELECT e.id, e.key, e.parent, e.anchor, e.said_at, e.message_id, e.state,
    EXISTS (SELECT FROM messages AS m WHERE m.user_id = $1 AND m.id = e.reply_id) AS replied,
    EXISTS (SELECT FROM messages AS m WHERE m.user_id = $1 AND m.id = $4) AS kept
FROM (VALUES (true)) AS always
LEFT JOIN exchanges AS e ON e.user_id = $1 AND e.session_id = $2 AND e.key = $3;

-- name: users_with_open_exchanges
-- Who has an exchange that is open since before a time; or before another one, where nobody asks for its answer any more;
-- over all users.
SELECT DISTINCT user_id FROM exchanges
WHERE state = 'open' AND (said_at < $1 OR said_at < $2 AND asking = '{}');

-- name: end_unanswered
-- End those exchanges of the user: they are to be formed without their answers; a late one is still kept. What they are other
-- versions of stays: an edit that was never answered costs nothing.
UPDATE exchanges SET state = 'pending', asking = '{}', unanswered = true
WHERE user_id = $1 AND state = 'open' AND (said_at < $2 OR said_at < $3 AND asking = '{}')
RETURNING id;

-- name: ask_no_more
-- Note that a request no longer asks for the answer of an open exchange of the user; whether another one does.
UPDATE exchanges SET asking = array_remove(asking, $4)
WHERE user_id = $1 AND session_id = $2 AND key = $3 AND state = 'open' AND $4 = ANY (asking)
RETURNING id, cardinality(asking) > 0 AS is_asked;

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

-- name: note_answer_id
-- Note under which id the LLM's server keeps an answer to the user's exchange.
UPDATE exchanges SET answer_ids = array_append(array_remove(answer_ids, $3::text), $3::text) WHERE user_id = $1 AND id = $2;

-- name: note_failure
-- Note how an answer to the user's exchange failed, and as much as came of it.
SELECT note_failure($1, $2, $3, $4, $5);

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

-- name: form_no_more
-- Note that nothing is to be formed any more of what was said in these messages of the user.
UPDATE exchanges
SET state = 'formed', formed_at = $3, error = NULL, asking = '{}', waits_for = NULL, fallback = NULL
WHERE user_id = $1 AND state IN ('open', 'pending', 'failed') AND message_id = ANY ($2::uuid[]);

-- name: summaries_resting_on
-- The user's summaries that rest on one of these messages of the log.
SELECT v.id
FROM vectors AS v
JOIN users_vectors AS l ON l.user_id = $1 AND l.vector_id = v.id
WHERE v.owner = $1 AND v.kind = 'summary' AND v.valid_to IS NULL AND v.message_ids && $2::uuid[];

-- name: summarize_anew
-- Let a chat of the user be summarized from its beginning.
UPDATE sessions SET summarized_turn = -1 WHERE user_id = $1 AND id = $2;
