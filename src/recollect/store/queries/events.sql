-- name: places_of_users
-- The last number in the audit of each of some users, and the epoch in which it counts, over all users.
SELECT user_id, epoch, updates FROM users WHERE user_id = ANY ($1::text[]);

-- name: updates_behind
-- The user's epoch and last number, as often as there are rows of their audit behind a number (NULL: behind what was sent), and these rows.
SELECT n.epoch, n.updates, u.number, {update}, v.kind
FROM users AS n
LEFT JOIN LATERAL (
    SELECT * FROM memory_updates AS m
    WHERE m.user_id = $1 AND m.number > coalesce($2, n.updates_sent)
    ORDER BY m.number
    LIMIT $3
) AS u ON true
LEFT JOIN vectors AS v ON v.owner = $1 AND v.id = u.memory_id
WHERE n.user_id = $1
ORDER BY u.number;

-- name: take_webhook_turn
-- Take the turn to send webhooks, or keep it, for a while; nothing if it is another process's.
INSERT INTO webhook_turn AS t (holder, held_until) VALUES ($1, now() + $2::interval)
ON CONFLICT (single) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
WHERE t.holder = excluded.holder OR t.held_until < now()
RETURNING holder;

-- name: unsent_users
-- Some users of whom there is something to send, but for these, over all users.
SELECT user_id FROM users WHERE updates > updates_sent AND user_id <> ALL ($1::text[]) ORDER BY user_id LIMIT $2;

-- name: note_sent
-- Note up to which number a user's changes were sent, over all users; not of a user who was erased meanwhile.
UPDATE users SET updates_sent = greatest(updates_sent, $3) WHERE user_id = $1 AND epoch = $2;

-- name: add_untold_erasure
-- Note that a webhook has to be told of the user's erasure, if one was sent in the last three days.
INSERT INTO untold_erasures (id, erased, erased_at)
SELECT $1, $2, $3 FROM webhook_turn WHERE held_until > now() - interval '3 days';

-- name: untold_erasures
-- Some erasures that a webhook has to be told of, but for these users', over all users.
SELECT id, erased, erased_at FROM untold_erasures WHERE erased <> ALL ($1::text[]) ORDER BY id LIMIT $2;

-- name: delete_untold_erasure
-- Forget who was erased, over all users.
DELETE FROM untold_erasures WHERE id = $1;

-- name: prune_untold_erasures
-- Forget who was erased before a time, over all users.
DELETE FROM untold_erasures WHERE erased_at < $1 RETURNING id;
