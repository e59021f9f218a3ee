-- name: take_lease
-- Take the right to form for the user unless another holder has it. By the database's clock, which
-- all holders share.
INSERT INTO leases (user_id, holder, expires_at)
-- Not now(), which is when the transaction began: this statement may have waited for another holder's.
VALUES ($1, $2, clock_timestamp() + $3::interval)
ON CONFLICT (user_id) DO UPDATE
SET holder = excluded.holder, expires_at = excluded.expires_at
WHERE leases.expires_at < clock_timestamp()
RETURNING holder;

-- name: renew_lease
-- Keep the right to form for the user, if this holder still has it.
UPDATE leases
SET expires_at = clock_timestamp() + $3::interval
WHERE user_id = $1 AND holder = $2
RETURNING holder;

-- name: release_lease
-- Give up the right to form for the user.
DELETE FROM leases WHERE user_id = $1 AND holder = $2;

-- name: pending_exchanges
-- What is to be formed next of the user: exchanges of one chat, the oldest first, up to the first of another chat.
SELECT e.id, e.session_id, e.key, e.turn_index, e.message_id, e.reply_id, e.model, e.upstream, e.authorized, e.said_at,
    e.attempts, e.not_before, e.waits, e.answered, said.content AS said, said.speaker, coalesce(reply.content, '') AS reply
FROM (
    SELECT *, bool_and(session_id = first_session) OVER (ORDER BY id) AS follows
    FROM (
        SELECT *, first_value(session_id) OVER (ORDER BY id) AS first_session
        FROM (
            SELECT * FROM exchanges WHERE user_id = $1 AND state = 'pending' AND waits_for IS NULL ORDER BY id LIMIT $2
        ) AS oldest
    ) AS beside_the_first
) AS e
JOIN messages AS said ON said.user_id = $1 AND said.id = e.message_id
LEFT JOIN messages AS reply ON reply.user_id = $1 AND reply.id = e.reply_id AND NOT reply.hidden
WHERE e.follows
ORDER BY e.id;

-- name: messages_before
-- What was said last in a session of the user before a turn, newest first; replies once each, and what is recalled no
-- more not at all.
SELECT turn_index, role, content, speaker
FROM messages
WHERE user_id = $1 AND session_id = $2 AND turn_index < $3 AND NOT alternate AND NOT hidden
ORDER BY turn_index DESC
LIMIT $4;

-- name: blocks_of_chat
-- What was added last to the prompts of a chat of the user, newest first; also what is attached no more.
SELECT block
FROM injections
WHERE user_id = $1 AND session_id = $2
ORDER BY at DESC, anchor DESC
LIMIT $3;

-- name: known_of_hashes
-- What some of the user's memories say, by the hashes of their contents.
SELECT v.content
FROM users_vectors AS l
JOIN vectors AS v ON v.owner = l.owner AND v.id = l.vector_id
WHERE l.user_id = $1 AND l.content_hash = ANY ($2);

-- name: mark_formed
-- Mark pending exchanges of the user formed, all of them or, where one is not pending, none. Those that were read only in
-- part go on waiting. Return which of them had been formed before without a model that read them.
WITH before AS (
    SELECT id, fallback FROM exchanges
    WHERE user_id = $1 AND id = ANY ($2::uuid[]) AND state = 'pending' FOR UPDATE
)
UPDATE exchanges AS e
SET state = CASE WHEN decided.unread = 'unreadable' THEN 'pending' ELSE 'formed' END, formed_at = $4,
    fallback = decided.unread, error = CASE WHEN decided.unread = 'unreadable' THEN $5 END, attempts = 0,
    waits_for = CASE WHEN decided.unread = 'unreadable' THEN decided.unread END,
    wakes_at = CASE WHEN decided.unread = 'unreadable' THEN $6::timestamptz END,
    asked = CASE WHEN decided.unread = 'unreadable' THEN $7 ELSE e.asked END,
    waits = CASE WHEN decided.unread = 'unreadable' THEN e.waits + 1 ELSE e.waits END
FROM unnest($2::uuid[], $3::text[]) AS decided (id, unread)
JOIN before ON before.id = decided.id
WHERE e.user_id = $1 AND e.id = decided.id AND (SELECT count(*) FROM before) = cardinality($2::uuid[])
RETURNING e.message_id, before.fallback IS NOT NULL AS again;

-- name: verbatim_of_messages
-- The user's memories that are exchanges as they were said, of those in which these messages were.
SELECT v.id
FROM vectors AS v
JOIN users_vectors AS l ON l.user_id = $1 AND l.vector_id = v.id
WHERE v.owner = $1 AND v.source = 'qa_turn' AND v.valid_to IS NULL AND v.message_ids && $2::uuid[];

-- name: taken_back_of_exchange
-- What an exchange of the user changed and somebody undid.
SELECT u.memory_id, u.replaced_id, u.after
FROM memory_updates AS u
WHERE u.user_id = $1 AND u.exchange_id = $2 AND u.undoes IS NULL
    AND EXISTS (SELECT FROM memory_updates AS by WHERE by.user_id = $1 AND by.undoes = u.id);

-- name: note_made
-- Note what formation made of an exchange of the user.
UPDATE exchanges SET made = $3 WHERE user_id = $1 AND id = $2;

-- name: index_what_taught
-- Have the user's messages indexed anew that no search finds, and of whose turns memories were formed: a question may tell something.
UPDATE messages AS m SET indexed = false
WHERE m.user_id = $1 AND m.exchange_id = ANY ($2::uuid[]) AND m.role = 'user' AND m.indexed AND NOT m.hidden
    AND NOT EXISTS (SELECT FROM message_chunks AS k WHERE k.user_id = $1 AND k.message_id = m.id);

-- name: postpone
-- Note a failed attempt of the user's exchange: again later, or held as failed.
UPDATE exchanges
SET attempts = attempts + $5::integer, error = $3, not_before = coalesce($4, not_before),
    state = CASE WHEN $4::timestamptz IS NULL THEN 'failed' ELSE 'pending' END
WHERE user_id = $1 AND id = $2 AND state = 'pending';

-- name: wait_for_model
-- Note that exchanges of the user wait for a model.
UPDATE exchanges
SET waits_for = $3, error = $4, wakes_at = $5, asked = $6, waits = waits + $7::integer, attempts = 0
WHERE user_id = $1 AND id = ANY ($2::uuid[]) AND state = 'pending';

-- name: wait_too
-- Note that what else is to be formed of the user waits for the same; NULL: whatever the upstream, or the model.
UPDATE exchanges
SET waits_for = $2, error = $3, wakes_at = $4, asked = $5
WHERE user_id = $1 AND state = 'pending' AND waits_for IS NULL
    AND upstream = coalesce($6, upstream) AND model = coalesce($7, model);

-- name: wake_approvals
-- Have the user's exchanges tried again that wait as their list of memories to approve was full.
UPDATE exchanges SET waits_for = NULL, wakes_at = NULL
WHERE user_id = $1 AND state = 'pending' AND waits_for = 'approval'
RETURNING id;

-- name: wake_due
-- Have the user's waiting exchanges tried again whose time has come: those that failed for a reason of their own, and of
-- those that wait for the same the first one, which tries it for all.
UPDATE exchanges SET waits_for = NULL, wakes_at = NULL
WHERE user_id = $1 AND id IN (
    SELECT id FROM (
        -- Those that wait for the same have no id of their own here, and are one row of an upstream.
        SELECT DISTINCT ON (upstream, own) id, wakes_at FROM (
            SELECT id, upstream, wakes_at,
                CASE WHEN waits_for IN ('unreadable', 'approval') OR waits_for = 'outage' AND waits > 0 THEN id END AS own
            FROM exchanges WHERE user_id = $1 AND state = 'pending' AND waits_for IS NOT NULL
        ) AS waiting ORDER BY upstream, own, id
    ) AS first WHERE wakes_at <= $2
)
RETURNING id;

-- name: keyed_at
-- When the last of the user's exchanges that are to be formed over an upstream came with a key.
SELECT said_at FROM exchanges
WHERE user_id = $1 AND state = 'pending' AND authorized AND upstream = $2
ORDER BY id DESC LIMIT 1;

-- name: next_wake
-- When the first of them is due.
SELECT min(wakes_at) FROM (
    SELECT DISTINCT ON (upstream, own) id, wakes_at FROM (
        SELECT id, upstream, wakes_at,
            CASE WHEN waits_for IN ('unreadable', 'approval') OR waits_for = 'outage' AND waits > 0 THEN id END AS own
        FROM exchanges WHERE user_id = $1 AND state = 'pending' AND waits_for IS NOT NULL
    ) AS waiting ORDER BY upstream, own, id
) AS first;

-- name: wake_the_rest
-- Have the user's other waiting exchanges tried again, as a model has just been asked: what waited for a key or a model
-- asks that one. But not what this model could not be asked about, nor what failed again and again, whatever the model.
UPDATE exchanges
SET waits_for = NULL, wakes_at = NULL, upstream = $2,
    model = CASE WHEN waits_for IN ('key', 'model') THEN $3 ELSE model END,
    authorized = CASE WHEN waits_for IN ('key', 'model') THEN $4 ELSE authorized END
WHERE user_id = $1 AND state = 'pending' AND waits_for <> 'approval' AND (upstream = $2 OR model = '')
    AND (asked IS DISTINCT FROM $5 AND waits < 10 OR waits_for <> 'unreadable' AND waits < 5);

-- name: users_who_wait
-- Of whom something waits for a model, or was formed without one, over all users but those who have switched formation off.
SELECT user_id FROM exchanges WHERE state = 'pending' AND waits_for IS NOT NULL
UNION
SELECT user_id FROM exchanges WHERE state = 'formed' AND fallback IS NOT NULL
EXCEPT
SELECT e.user_id
FROM exchanges AS e
JOIN user_settings AS s ON s.user_id = person_of(e.user_id) AND s.flags ->> 'formation' = 'off';

-- name: reopen_unread
-- Let what no model has read of the user be formed again, but for what is recalled no more.
UPDATE exchanges AS e
SET state = 'pending', waits_for = 'model', wakes_at = $2, attempts = 0, waits = 0
FROM messages AS said
WHERE e.user_id = $1 AND e.state = 'formed' AND e.fallback IS NOT NULL
    AND said.user_id = $1 AND said.id = e.message_id AND NOT said.hidden;

-- name: wake_first
-- Have the first of each user's waiting exchanges tried again, one of each upstream; what waits for room in a list; and what was
-- unreadable, all of it or where another model, or other settings, ask now. What another transaction is just changing is left to it.
WITH due AS (
    (
        SELECT DISTINCT ON (user_id, upstream) user_id, id FROM exchanges
        WHERE state = 'pending' AND waits_for NOT IN ('unreadable', 'approval')
            AND person_of(user_id) NOT IN (SELECT user_id FROM user_settings WHERE flags ->> 'formation' = 'off')
        ORDER BY user_id, upstream, id
    )
    UNION ALL
    SELECT user_id, id FROM exchanges
    WHERE state = 'pending' AND waits_for IN ('unreadable', 'approval')
        AND person_of(user_id) NOT IN (SELECT user_id FROM user_settings WHERE flags ->> 'formation' = 'off')
        -- `Policy.asked` is a model's name, " #" and the settings; without a name the settings alone are compared.
        AND ($1 OR waits_for = 'approval' OR $2 <> '' AND asked IS DISTINCT FROM $2 AND NOT (starts_with($2, ' #') AND right(asked, length($2)) = $2))
), free AS (
    SELECT user_id, id FROM exchanges
    WHERE (user_id, id) IN (SELECT user_id, id FROM due) AND state = 'pending' AND waits_for IS NOT NULL
    FOR UPDATE SKIP LOCKED
)
UPDATE exchanges AS e
SET wakes_at = NULL, attempts = 0, waits = CASE WHEN waits_for = 'unreadable' THEN 0 ELSE waits END, waits_for = NULL
FROM free
WHERE e.user_id = free.user_id AND e.id = free.id;

-- name: spoken_with
-- With which model the user chatted last, over which upstream, and whether that needed a key.
SELECT model, upstream, authorized FROM exchanges
WHERE user_id = $1 AND model <> ''
ORDER BY id DESC LIMIT 1;

-- name: progress_of_exchange
-- How far an exchange of a chat of the user is.
SELECT id, state, message_id, reply_id FROM exchanges WHERE user_id = $1 AND session_id = $2 AND key = $3;

-- name: take_news
-- Note that what this turn taught, or with $4 this chat and each exchange from that id on, and was shown with no answer yet,
-- is shown with this turn's. What another answer is just taking is left to it. Of which nothing can be shown (as said again, held back, undone),
-- it was shown with no answer: none takes it back.
UPDATE exchanges AS e
SET told_with = CASE WHEN EXISTS (
    SELECT FROM memory_updates AS u
    WHERE u.user_id = $1 AND u.exchange_id = e.id AND u.undoes IS NULL AND u.reason <> 'kept_verbatim'
        AND (
            u.action IN ('add', 'retire', 'erase')
            OR u.action IN ('replace', 'edit', 'restore') AND u.after <> '' AND u.after IS DISTINCT FROM u.before
        )
        AND NOT EXISTS (SELECT FROM memory_updates AS by WHERE by.user_id = $1 AND by.undoes = u.id)
) THEN $2 || '/' || $3 ELSE '' END
WHERE e.user_id = $1 AND e.id IN (
    SELECT id FROM exchanges
    WHERE user_id = $1 AND (session_id = $2 AND (key = $3 OR $4::uuid IS NOT NULL) OR id >= $4::uuid) AND told_with IS NULL
        AND (state = 'formed' OR state = 'pending' AND fallback = 'unreadable')
    FOR UPDATE SKIP LOCKED
)
RETURNING e.id;

-- name: requeue_news
-- Note that what these exchanges of the user taught was not shown after all.
UPDATE exchanges SET told_with = NULL WHERE user_id = $1 AND id = ANY ($2::uuid[]) AND told_with <> '';

-- name: erase_told_with_session
-- Let no other turn of the user name a chat with whose answers it was shown what they taught: none of them takes it back any more.
UPDATE exchanges SET told_with = '' WHERE user_id = $1 AND told_with <> '' AND starts_with(told_with, $2 || '/');

-- name: turns_told_with
-- Of which other turns of the user it was shown with this one's answer what they taught, the newest first.
-- told_with <> '' is the condition of the partial index, which the planner can't conclude.
SELECT session_id, key FROM exchanges
WHERE user_id = $1 AND told_with = $2 || '/' || $3 AND told_with <> '' AND NOT (session_id = $2 AND key = $3)
ORDER BY id DESC;

-- name: backlog
-- What is pending, or has its answer under way; what waits, failed, and is formed; over all users.
SELECT count(*) FILTER (WHERE state = 'open' OR state = 'pending' AND waits_for IS NULL) AS pending,
    count(*) FILTER (WHERE state = 'failed') AS failed,
    count(*) FILTER (WHERE state = 'formed') AS formed,
    min(said_at) FILTER (WHERE state = 'pending' AND waits_for IS NULL) AS oldest_pending_at,
    min(said_at) FILTER (WHERE state = 'pending' AND waits_for IS NOT NULL) AS oldest_waiting_at,
    min(coalesce(arrived_at, said_at)) FILTER (WHERE state = 'pending' AND waits_for IS NULL) AS pending_since
FROM exchanges;

-- name: waiting_by_reason
-- How much waits for a model, by what for, over all users.
SELECT CASE WHEN waits_for = 'unreadable' AND wakes_at IS NULL THEN 'given-up' ELSE waits_for END AS reason, count(*) AS exchanges
FROM exchanges WHERE state = 'pending' AND waits_for IS NOT NULL GROUP BY 1;

-- name: unread_by_reason
-- How many formed exchanges no model has read, by reason, over all users.
SELECT fallback AS reason, count(*) AS exchanges
FROM exchanges WHERE state = 'formed' AND fallback IS NOT NULL GROUP BY fallback;

-- name: answers_under_way
-- How many exchanges have their answer under way that were said since a time, over all users; nobody asks any more for that of
-- one that failed.
SELECT count(*) FROM exchanges WHERE state = 'open' AND asking <> '{}' AND said_at >= $1;

-- name: retry_failed
-- Put every held exchange back to pending, over all users.
UPDATE exchanges
SET state = 'pending', attempts = 0, not_before = $1, error = NULL, waits_for = NULL
WHERE state = 'failed'
RETURNING user_id;

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
-- NULLs come last: chats that nobody asked a summary of. Postgres 16 has no min() of UUIDs, whose texts sort alike.
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

-- name: prune_job_log
-- Delete what the queue logged longer ago than this.
DELETE FROM recollect.pgqueuer_log WHERE created < now() - $1::interval;

-- name: take_over_jobs
-- Delete the waiting jobs of a user: the job that runs does their work.
DELETE FROM recollect.pgqueuer WHERE entrypoint = $1 AND payload = $2 AND status = 'queued';

-- name: jobs_lack_index
-- Whether the queue's table has no index yet by which a user's waiting jobs are found. To create it if it is not there would wait
-- for whoever writes jobs, at each start.
SELECT to_regclass('recollect.pgqueuer_waiting_of_users') IS NULL;

-- name: index_jobs
-- Find a user's waiting jobs without reading everybody's.
CREATE INDEX pgqueuer_waiting_of_users ON recollect.pgqueuer (payload) WHERE status = 'queued';

-- name: unended_attempts
-- How often a step for the user on this subject was begun and did not end.
SELECT tries FROM tries WHERE user_id = $1 AND step = $2 AND subject = $3;

-- name: begin_attempt
-- Count an attempt of a step for the user before it begins: one more where the last one on this subject did not end.
INSERT INTO tries AS t (user_id, step, subject, tries, begun_at)
VALUES ($1, $2, $3, 1, $4)
ON CONFLICT (user_id, step) DO UPDATE
SET tries = CASE WHEN t.subject = excluded.subject AND NOT $5::boolean THEN t.tries + 1 ELSE 1 END,
    subject = excluded.subject, begun_at = excluded.begun_at
WHERE t.user_id = $1
RETURNING tries;

-- name: end_attempt
-- Forget the attempts of a step for the user: it has ended.
DELETE FROM tries WHERE user_id = $1 AND step = $2;
