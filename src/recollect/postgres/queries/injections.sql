-- name: injections_of_chat
-- What was added to the prompts of a chat of the user, oldest first.
SELECT anchor, place, block, items, tokens, at, standing
FROM injections
WHERE user_id = $1 AND session_id = $2 AND NOT detached
ORDER BY at, anchor;

-- name: is_gone
-- Whether any of these is neither a memory that the user sees, or that serves everybody, nor a statement of their profile,
-- nor a message of theirs that may be recalled.
SELECT EXISTS (
    SELECT FROM unnest($2::uuid[]) AS item (id)
    WHERE NOT EXISTS (SELECT FROM users_vectors AS l WHERE l.user_id = $1 AND l.vector_id = item.id)
        AND NOT EXISTS (SELECT FROM messages AS m WHERE m.user_id = $1 AND m.id = item.id AND NOT m.hidden)
        AND NOT EXISTS (
            SELECT FROM profile_entries AS p WHERE p.user_id = $1 AND p.id = item.id AND p.state = 'confirmed'
        )
        AND NOT EXISTS (
            SELECT FROM vectors AS v
            WHERE v.owner = '*' AND v.id = item.id AND v.source = 'global' AND v.valid_to IS NULL
        )
);

-- name: add_injection
-- Note what was added to a turn of the user; what was noted first stays, unless it is added no more.
INSERT INTO injections (user_id, session_id, anchor, place, block, items, tokens, at, standing)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (user_id, session_id, anchor) DO UPDATE
SET place = excluded.place, block = excluded.block, items = excluded.items, tokens = excluded.tokens,
    at = excluded.at, standing = excluded.standing, detached = false
WHERE injections.detached;

-- name: detach_injections
-- Add these to the prompts of a chat of the user no more.
UPDATE injections SET detached = true WHERE user_id = $1 AND session_id = $2 AND anchor = ANY ($3::text[]);

-- name: delete_injections
-- Delete what was added to prompts of the user and speaks of one of these items.
DELETE FROM injections WHERE user_id = $1 AND items && $2::uuid[];

-- name: exchanges_of_chat
-- The last exchanges of a chat of the user, newest first, but what is to be recalled no more, and what was abandoned for
-- another version; none of a chat that begins with a certain message, in which its secrets may stand unmasked: then what
-- stands before the first mark and behind the last bracket tells, where that is 20 characters or more.
SELECT e.key, e.turn_index, e.carried, e.anchor, left(said.content, 8000) AS said, said.speaker,
    coalesce(left(reply.content, 8000), '') AS reply
FROM exchanges AS e
JOIN messages AS said ON said.user_id = $1 AND said.id = e.message_id
LEFT JOIN messages AS reply ON reply.user_id = $1 AND reply.id = e.reply_id AND NOT reply.hidden
WHERE e.user_id = $1 AND e.session_id = $2 AND e.state <> 'abandoned' AND NOT said.hidden AND NOT EXISTS (
    SELECT
    FROM (
        SELECT begun.message_id
        FROM exchanges AS begun
        WHERE begun.user_id = $1 AND begun.session_id = $2 AND begun.state <> 'abandoned'
        ORDER BY begun.turn_index
        LIMIT 1
    ) AS beginning
    JOIN messages AS first ON first.user_id = $1 AND first.id = beginning.message_id
    CROSS JOIN LATERAL (
        SELECT split_part(first.content, '[secret: ', 1) AS before, split_part(first.content, ']', -1) AS behind
    ) AS masked
    WHERE first.content = $4 OR (
        first.content LIKE '%[secret: %]%'
        AND starts_with($4, masked.before)
        AND right($4, length(masked.behind)) = masked.behind
        AND length($4) > length(masked.before) + length(masked.behind)
        AND length(masked.before) + length(masked.behind) >= 20
    )
)
ORDER BY e.turn_index DESC
LIMIT $3;

-- name: around_chat
-- What else is known when a turn of a chat of the user comes: what is otherwise than the settings have it, for everybody
-- and for the user; the chat's newest summary; whether anything was asked for in it; which messages it abandons, as
-- it is another version of one with the same parent.
SELECT (SELECT flags FROM user_settings WHERE user_id = '*') AS flags_of_everybody,
    (SELECT flags FROM user_settings WHERE user_id = $1) AS flags_of_user,
    (
        SELECT v.content
        FROM vectors AS v
        WHERE v.owner = $1 AND v.session_id = $2 AND v.kind = 'summary' AND v.valid_to IS NULL
        ORDER BY v.id DESC
        LIMIT 1
    ) AS summary,
    EXISTS (
        SELECT FROM memory_updates
        WHERE user_id = $1 AND session_id = $2 AND reason IN ('asked', 'forgotten', 'corrected')
    ) OR EXISTS (
        SELECT FROM memory_updates WHERE user_id = $1 AND session_id = $2 AND reason = 'erased'
    ) AS was_asked,
    (
        SELECT array_agg(message.id)
        FROM exchanges AS e, unnest(ARRAY[e.message_id, e.reply_id]) AS message (id)
        WHERE e.user_id = $1 AND e.session_id = $2 AND e.said_at <= $5 AND e.turn_index >= (
            SELECT min(version.turn_index)
            FROM exchanges AS version
            WHERE version.user_id = $1 AND version.session_id = $2 AND version.parent = $3 AND version.key <> $4
                AND version.said_at <= $5
        ) AND NOT EXISTS (  -- answered anew, it abandons nothing more
            SELECT FROM exchanges AS logged
            WHERE logged.user_id = $1 AND logged.session_id = $2 AND logged.key = $4 AND logged.state <> 'open'
        )
    ) AS abandoned;

-- name: done_in_chat
-- What the user asked for in a chat and was done since its last turn was said, oldest first, but what was undone. The turn
-- that comes is open by now, or is not in the log yet.
SELECT u.id, u.at, u.action, u.actor, u.reason, u.memory_id, u.replaced_id, u.before, u.after, u.session_id,
    u.exchange_id, u.undoes, u.details
FROM (
    SELECT * FROM memory_updates
    WHERE user_id = $1 AND session_id = $2 AND reason IN ('asked', 'forgotten', 'corrected')
    UNION ALL
    SELECT * FROM memory_updates WHERE user_id = $1 AND session_id = $2 AND reason = 'erased'
) AS u
WHERE u.at > (
        SELECT e.said_at
        FROM exchanges AS e
        WHERE e.user_id = $1 AND e.session_id = $2 AND e.state NOT IN ('abandoned', 'open')
        ORDER BY e.turn_index DESC
        LIMIT 1
    )
    AND NOT EXISTS (SELECT FROM memory_updates AS undone WHERE undone.user_id = $1 AND undone.undoes = u.id)
ORDER BY u.at, u.id
LIMIT $3;
