-- name: write_turn
-- Write the parts of a user's turn, under the user's lock: as one JSON document, after the user and the role of users.
SELECT outcome, logged, zone FROM write_turn($1, $2, $3::jsonb);

-- name: exchange_by_key
-- The user's exchange that a turn belongs to, if there is one: whether it has a reply with text, and whether this one is kept.
SELECT e.id, e.key, e.parent, e.anchor, e.said_at, e.message_id, e.state,
    EXISTS (SELECT FROM messages AS m WHERE m.user_id = $1 AND m.id = e.reply_id) AS replied,
    EXISTS (SELECT FROM messages AS m WHERE m.user_id = $1 AND m.id = $4) AS kept
-- One row, whether there is an exchange or not.
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
-- The first condition on them is that of the partial index.
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

-- name: recall_state
-- All that the next turn of a chat of the user needs, in one round trip: see the function.
SELECT * FROM recall_state($1, $2, $3, $4, $5, $6, $7, $8);

-- name: delete_injections
-- Delete what was added to prompts of the user, also in projects, and speaks of one of these items.
WITH of_projects AS (
    DELETE FROM injections AS i USING projects AS p
    WHERE p.owner = $1 AND i.user_id = p.user_id AND i.items && $2::uuid[]
)
DELETE FROM injections WHERE user_id = $1 AND items && $2::uuid[];

-- name: note_chat_request
-- Note what a message in a chat of the user asked for, or what was listed with its answer.
INSERT INTO chat_requests (user_id, session_id, anchor, asking, items, at) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (user_id, session_id, anchor) DO UPDATE
SET asking = excluded.asking, items = excluded.items, at = excluded.at;

-- name: chat_requests_of
-- What was asked for and listed in a chat of the user, the newest first.
SELECT anchor, asking, items, at FROM chat_requests
WHERE user_id = $1 AND session_id = $2
ORDER BY at DESC, anchor
LIMIT $3;

-- name: last_exchanges_of_chat
-- The last exchanges of a chat of the user before a turn, the newest first: by what each is known, whether anything that was
-- asked for in it was done and not undone, and whether what others taught was told with its answer.
SELECT e.key, e.anchor,
    EXISTS (
        SELECT FROM memory_updates AS u
        WHERE u.user_id = $1 AND u.exchange_id = e.id AND u.reason IN ('asked', 'forgotten', 'corrected', 'erased')
            AND NOT EXISTS (SELECT FROM memory_updates AS by WHERE by.user_id = $1 AND by.undoes = u.id)
    ) AS did_as_asked,
    EXISTS (
        SELECT FROM exchanges AS told
        WHERE told.user_id = $1 AND told.told_with = $2 || '/' || e.key AND told.told_with <> ''
    ) AS told_news
FROM exchanges AS e
WHERE e.user_id = $1 AND e.session_id = $2 AND e.key <> $3 AND e.said_at <= $4 AND e.state <> 'abandoned'
ORDER BY e.turn_index DESC
LIMIT $5;

-- name: open_exchange_of_turn
-- The open exchange of a turn of the user.
SELECT id FROM exchanges WHERE user_id = $1 AND session_id = $2 AND key = $3 AND state = 'open';

-- name: leave_chat_out
-- Keep nothing of a chat of the user from now on.
INSERT INTO chats_left_out (user_id, session_id, since) VALUES ($1, $2, $3)
ON CONFLICT (user_id, session_id) DO NOTHING;

-- name: take_chat_in
-- Keep what is said in a chat of the user again; nothing where it was not left out.
DELETE FROM chats_left_out WHERE user_id = $1 AND session_id = $2 RETURNING session_id;

-- name: forgetting_of_exchange
-- What was forgotten by its number for the message of an exchange of a chat of the user.
SELECT r.anchor, r.asking, r.items, r.at FROM chat_requests AS r
JOIN exchanges AS e ON e.user_id = r.user_id AND e.session_id = r.session_id AND e.anchor = r.anchor
WHERE r.user_id = $1 AND r.session_id = $2 AND e.key = $3 AND r.asking = 'forget_listed';
