-- name: note_embedder
-- Note that a process uses an embedder. One that nobody has used for a while, as another one was meanwhile, is chosen anew.
-- The database's clock tells all of these times: they are compared with each other, and processes' clocks differ.
INSERT INTO embedders AS known (place, model, made_by, chosen_at, seen_at)
VALUES ($1, $2, $3::jsonb, clock_timestamp(), clock_timestamp())
ON CONFLICT (place, model) DO UPDATE
SET made_by = excluded.made_by,
    seen_at = excluded.seen_at,
    (chosen_at, completed_at) = (
        SELECT CASE WHEN count(*) > 0 THEN excluded.chosen_at ELSE known.chosen_at END,
            CASE WHEN count(*) > 0 THEN NULL ELSE known.completed_at END
        FROM embedders AS other
        WHERE other.place = known.place AND other.model <> known.model AND other.seen_at > known.seen_at
            AND known.seen_at < excluded.seen_at - $4::interval
    );

-- name: known_embedders
-- The embedders that are in use, or have embeddings in the store still; the last one chosen first.
SELECT place, model, made_by, chosen_at, seen_at, completed_at, seen_at > clock_timestamp() - $1::interval AS is_used
FROM embedders
ORDER BY chosen_at DESC, model;

-- name: hold_reembedding
-- Let one process at a time go from user to user; nothing where another one does.
UPDATE embedders SET held_by = $2, held_until = clock_timestamp() + $3::interval
WHERE place = 'log' AND model = $1
    AND (held_until IS NULL OR held_until < clock_timestamp() OR held_by = $2)
RETURNING true;

-- name: users_to_embed
-- Of whom it is not known that all is embedded by today's embedders, over all users.
SELECT c.user_id
FROM users AS c
WHERE c.user_id <> '*' AND (c.embedded_at IS NULL OR c.embedded_at <= $1) AND NOT c.user_id = ANY ($2::text[])
LIMIT $3;

-- name: count_users_to_embed
-- How many users, and how many of their documents, are embedded by today's embedders, over all users.
SELECT count(*) AS users, count(*) FILTER (WHERE c.embedded_at > $1) AS users_done,
    coalesce(sum(c.texts), 0)::bigint AS texts, coalesce(sum(c.texts) FILTER (WHERE c.embedded_at > $1), 0)::bigint AS texts_done
FROM (
    SELECT u.embedded_at, u.next_document + (SELECT count(*) FROM users_vectors AS l WHERE l.user_id = u.user_id) AS texts
    FROM users AS u
    WHERE u.user_id <> '*'
) AS c;

-- name: mark_all_embedded
-- Note that nothing of the user's lacks an embedding of those in use.
UPDATE users SET embedded_at = clock_timestamp() WHERE user_id = $1;

-- name: complete_embedders
-- Note that all of everybody's is embedded by an embedder.
UPDATE embedders SET completed_at = clock_timestamp() WHERE place = $1 AND model = $2;

-- name: drop_embedders
-- Forget the embedders of which nothing is left in the store, and that nobody uses.
DELETE FROM embedders WHERE place = $1 AND model <> $2 AND seen_at <= clock_timestamp() - $3::interval;
