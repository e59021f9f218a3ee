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

-- name: erase_chat_requests
-- Delete what the user asked of the memory in chats, and was listed.
DELETE FROM chat_requests WHERE user_id = $1;

-- name: erase_chats_left_out
-- Delete which chats the user left out.
DELETE FROM chats_left_out WHERE user_id = $1;

-- name: forgetting_of_exchange
-- What was forgotten by its number for the message of an exchange of a chat of the user.
SELECT r.anchor, r.asking, r.items, r.at FROM chat_requests AS r
JOIN exchanges AS e ON e.user_id = r.user_id AND e.session_id = r.session_id AND e.anchor = r.anchor
WHERE r.user_id = $1 AND r.session_id = $2 AND e.key = $3 AND r.asking = 'forget_listed';

-- name: erase_chat_requests_of_session
-- Delete what the user asked of the memory in a chat, and was listed.
DELETE FROM chat_requests WHERE user_id = $1 AND session_id = $2;
