-- name: chat_to_summarize
-- The chat of the user that is due for a summary and waits longest for it: with so many formed exchanges since its last
-- one, or so many tokens in them; 0 makes none due. What is recalled no more counts for nothing. Chats that nothing was
-- said in for long, by the time of what the user said last, are not looked at, however many they are. Before all of them
-- comes one that somebody asked a summary of, whatever is new in it.
SELECT s.id AS session_id, last.id AS summary_id, CASE WHEN last.id IS NULL THEN -1 ELSE s.summarized_turn END AS since
FROM sessions AS s
JOIN exchanges AS e ON e.user_id = $1 AND e.session_id = s.id AND e.turn_index > s.summarized_turn
JOIN messages AS said ON said.user_id = $1 AND said.id = e.message_id
LEFT JOIN messages AS reply ON reply.user_id = $1 AND reply.id = e.reply_id AND NOT reply.hidden
LEFT JOIN LATERAL (
    SELECT v.id
    FROM vectors AS v
    WHERE v.owner = $1 AND v.session_id = s.id AND v.kind = 'summary' AND v.valid_to IS NULL
    ORDER BY v.id DESC
    LIMIT 1
) AS last ON true
WHERE s.user_id = $1 AND (s.summary_asked_at IS NOT NULL OR s.next_turn_index > s.summarized_turn + 2)
    AND e.state = 'formed' AND NOT said.hidden
    AND s.id <> ALL ($4::text[])
    AND (
        s.summary_asked_at IS NOT NULL
        OR s.last_at >= (SELECT max(newest.last_at) FROM sessions AS newest WHERE newest.user_id = $1) - $5::interval
    )
GROUP BY s.id, s.summarized_turn, s.summary_asked_at, last.id
HAVING s.summary_asked_at IS NOT NULL OR count(*) >= nullif($2::integer, 0)
    OR sum(said.tokens + coalesce(reply.tokens, 0)) >= nullif($3::integer, 0)
ORDER BY s.summary_asked_at, min(e.id::text)
LIMIT 1;

-- name: exchanges_to_summarize
-- The last formed exchanges of a chat of the user after a turn, newest first, each with what was said in it and may be
-- recalled, cut to a length.
SELECT e.id, e.turn_index, e.model, e.upstream, e.authorized, e.said_at, e.message_id, said.speaker,
    left(said.content, $5) AS said, reply.id AS reply_id, left(reply.content, $5) AS reply
FROM exchanges AS e
JOIN messages AS said ON said.user_id = $1 AND said.id = e.message_id
LEFT JOIN messages AS reply ON reply.user_id = $1 AND reply.id = e.reply_id AND NOT reply.hidden
WHERE e.user_id = $1 AND e.session_id = $2 AND e.turn_index > $3 AND e.state = 'formed' AND NOT said.hidden
ORDER BY e.turn_index DESC
LIMIT $4;

-- name: summary_of_chat
-- Up to which turn a chat of the user is summarized, and its newest summary.
SELECT s.summarized_turn, (
    SELECT v.id
    FROM vectors AS v
    WHERE v.owner = $1 AND v.session_id = $2 AND v.kind = 'summary' AND v.valid_to IS NULL
    ORDER BY v.id DESC
    LIMIT 1
) AS summary_id
FROM sessions AS s
WHERE s.user_id = $1 AND s.id = $2;

-- name: are_told
-- Whether the log has all these messages of the user, and each may be recalled.
SELECT count(*) = cardinality($2::uuid[]) FROM messages WHERE user_id = $1 AND id = ANY ($2::uuid[]) AND NOT hidden;

-- name: note_summarized
-- Note up to which turn a chat of the user is summarized, that a summary was made, and whether it was kept.
UPDATE sessions
SET summarized_turn = $3, summary_asked_at = NULL, summaries_made = summaries_made + 1,
    summaries_kept = summaries_kept + $4::integer
WHERE user_id = $1 AND id = $2;

-- name: ask_for_summary
-- Ask for a summary of a chat of the user, from its beginning where the last one is gone; return how many of its turns are in
-- none yet and may be recalled. Nothing is asked for where that is none. One that waits already waits since then.
WITH chat AS (
    SELECT s.id, CASE WHEN EXISTS (
        SELECT FROM vectors AS v
        WHERE v.owner = $1 AND v.session_id = $2 AND v.kind = 'summary' AND v.valid_to IS NULL
    ) THEN s.summarized_turn ELSE -1 END AS since
    FROM sessions AS s
    WHERE s.user_id = $1 AND s.id = $2
), news AS (
    SELECT count(*) AS turns
    FROM chat
    JOIN exchanges AS e ON e.user_id = $1 AND e.session_id = $2 AND e.turn_index > chat.since
    JOIN messages AS said ON said.user_id = $1 AND said.id = e.message_id
    WHERE e.state IN ('open', 'pending', 'formed') AND NOT said.hidden
), asked AS (
    UPDATE sessions AS s
    SET summarized_turn = chat.since, summary_asked_at = coalesce(s.summary_asked_at, $3)
    FROM chat, news
    WHERE s.user_id = $1 AND s.id = $2 AND news.turns > 0
)
SELECT turns FROM news;
