-- name: update_to_undo
-- One row of the user's audit, and whether another undid it.
SELECT u.id, u.at, u.action, u.actor, u.reason, u.memory_id, u.replaced_id, u.before, u.after, u.session_id,
    u.exchange_id, u.undoes, u.details,
    EXISTS (SELECT FROM memory_updates AS by WHERE by.user_id = $1 AND by.undoes = u.id) AS undone
FROM memory_updates AS u
WHERE u.user_id = $1 AND u.id = $2;

-- name: updates_of_exchanges
-- What some exchanges of the user taught and nobody undid, newest first.
SELECT u.id, u.at, u.action, u.actor, u.reason, u.memory_id, u.replaced_id, u.before, u.after, u.session_id,
    u.exchange_id, u.undoes, u.details
FROM memory_updates AS u
WHERE u.user_id = $1 AND u.exchange_id = ANY ($2::uuid[]) AND u.undoes IS NULL
    AND NOT EXISTS (SELECT FROM memory_updates AS by WHERE by.user_id = $1 AND by.undoes = u.id)
ORDER BY u.id DESC;

-- name: limits_caused_by
-- What gave a memory of the user an end because of another one of theirs, and nobody undid, newest first.
SELECT u.id, u.at, u.action, u.actor, u.reason, u.memory_id, u.replaced_id, u.before, u.after, u.session_id,
    u.exchange_id, u.undoes, u.details
FROM memory_updates AS u
WHERE u.user_id = $1 AND u.action = 'mark' AND u.details ->> 'cause' = $2 AND u.details ? 'limited_to'
    AND NOT EXISTS (SELECT FROM memory_updates AS by WHERE by.user_id = $1 AND by.undoes = u.id)
ORDER BY u.id DESC;

-- name: unlinked_memory
-- A memory that the user sees no longer.
SELECT v.owner, v.id, v.kind, v.source, v.content, v.importance, v.confidence, v.observed_at, v.event_at,
    v.created_at, v.session_id, v.message_ids, v.evidence, v.extractor, v.embedding_model, v.holds_from,
    v.holds_until, v.outline, NULL::timestamptz AS last_recalled_at, 0 AS recall_count, 0 AS reinforcement_count,
    NULL AS standing
FROM vectors AS v
WHERE v.owner IN ($1, '*') AND v.id = $2 AND NOT EXISTS (
    SELECT FROM users_vectors AS l WHERE l.user_id = $1 AND l.vector_id = $2
);

-- name: unnote_change
-- Forget that something understood from messages of the user was no longer so since a time.
UPDATE messages SET changed_at = NULL
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
SELECT u.id, u.at, u.action, u.actor, u.reason, u.memory_id, u.replaced_id, u.before, u.after, u.session_id,
    u.exchange_id, u.undoes, u.details
FROM memory_updates AS u
WHERE u.user_id = $1 AND u.id > $2::uuid AND u.details ->> 'run' = $2::text AND u.undoes IS NULL
    AND u.action <> 'quarantine'
    AND NOT EXISTS (SELECT FROM memory_updates AS by WHERE by.user_id = $1 AND by.undoes = u.id)
ORDER BY u.id DESC;

-- name: users_of_repair
-- Of whom a run of repairs changed something, over all users.
SELECT DISTINCT user_id FROM memory_updates WHERE id > $1::uuid AND details ->> 'run' = $1::text ORDER BY user_id;
