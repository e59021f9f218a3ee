-- name: unindexed_messages
-- The user's messages that are not indexed yet, oldest first, each with what was said before it, if it may be recalled.
-- Not those of an exchange whose answer is under way: it may still be refused.
SELECT m.id, m.session_id, m.turn_index, m.role, m.speaker, m.content, m.created_at, m.marked,
    before.id AS before_id, before.content AS before, EXISTS (
        SELECT FROM exchanges AS f WHERE f.user_id = $1 AND f.id = m.exchange_id AND f.unanswered
    ) AS failed, EXISTS (
        SELECT FROM exchanges AS f, jsonb_object_keys(f.made) AS change
        WHERE f.user_id = $1 AND f.id = m.exchange_id AND split_part(change, ':', 1) IN ('add', 'replace')
            AND split_part(change, ':', 2) <> 'kept_verbatim'
    ) AS taught
FROM messages AS m
LEFT JOIN LATERAL (
    SELECT p.id, CASE WHEN NOT p.hidden THEN p.content END AS content
    FROM messages AS p
    WHERE p.user_id = $1 AND p.session_id = m.session_id AND p.turn_index < m.turn_index AND NOT p.alternate
    ORDER BY p.turn_index DESC
    LIMIT 1
) AS before ON true
WHERE m.user_id = $1 AND NOT m.indexed AND NOT m.alternate AND m.exchange_id NOT IN (
    SELECT e.id FROM exchanges AS e WHERE e.user_id = $1 AND e.state = 'open'
)
ORDER BY m.id
LIMIT $2;

-- name: mark_indexed
-- Mark a message of the user indexed; nothing if it was, or is gone, or if the message was hidden meanwhile whose words its context has.
UPDATE messages
SET indexed = true, self_share = $3, states_taste = $4, lists = $5, words = $6
WHERE user_id = $1 AND id = $2 AND NOT indexed AND NOT alternate AND (
    $7::uuid IS NULL OR EXISTS (SELECT FROM messages AS p WHERE p.user_id = $1 AND p.id = $7 AND NOT p.hidden)
)
RETURNING session_id, turn_index, hidden;

-- name: document_before
-- The last chunk of what was said right before a turn in a session of the user, and how many terms it has.
SELECT k.document, k.terms, k.counts, k.followed
FROM (
    SELECT m.id
    FROM messages AS m
    WHERE m.user_id = $1 AND m.session_id = $2 AND m.turn_index < $3 AND NOT m.alternate
    ORDER BY m.turn_index DESC
    LIMIT 1
) AS before
JOIN message_chunks AS k ON k.user_id = $1 AND k.message_id = before.id
ORDER BY k.part DESC
LIMIT 1;

-- name: mark_followed
-- Note that the context of a chunk of the user holds the beginning of what was said next.
UPDATE message_chunks SET followed = true, terms = $3, counts = $4 WHERE user_id = $1 AND document = $2;

-- name: insert_chunk
-- Keep where a chunk of a message of the user stands.
INSERT INTO message_chunks (
    user_id, document, message_id, part, begins, ends, code, terms, counts, length,
    embeddable, embedding_model, pasted, cuts
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14);

-- name: number_documents
-- Give numbers to more chunks of the user; the first of them.
INSERT INTO users (user_id, next_document, reading) VALUES ($1, $2, $3)
ON CONFLICT (user_id) DO UPDATE SET next_document = users.next_document + $2, reading = coalesce(users.reading, $3)
-- As it was before.
RETURNING next_document - $2;

-- name: delete_chunks
-- Delete the chunks of messages of the user; which they were.
DELETE FROM message_chunks WHERE user_id = $1 AND message_id = ANY ($2::uuid[]) RETURNING document;

-- name: insert_chunk_vector
-- Keep the embedding of a piece of a chunk of the user.
INSERT INTO chunk_vectors (user_id, document, piece, "values", embedding_model)
VALUES ($1, $2, $3, $4::halfvec, $5)
ON CONFLICT (user_id, document, piece) DO UPDATE
SET "values" = excluded."values", embedding_model = excluded.embedding_model;

-- name: chunks_said_with
-- The chunks of what the user said before a time that have, with their context, all of some terms, newest first.
SELECT k.message_id, k.begins, k.cuts, substr(m.content, k.begins + 1, k.ends - k.begins) AS content
FROM message_chunks AS k
JOIN messages AS m ON m.user_id = $1 AND m.id = k.message_id
WHERE k.user_id = $1 AND m.role = 'user' AND m.created_at < $3 AND string_to_array(k.terms, E'\n') @> $2::text[]
ORDER BY k.document DESC
LIMIT $4;

-- name: unembedded_chunks
-- The user's chunks that are to have embeddings of a model and have none, newest first.
SELECT k.document, k.begins, k.cuts, substr(m.content, k.begins + 1, k.ends - k.begins) AS content
FROM message_chunks AS k
JOIN messages AS m ON m.user_id = $1 AND m.id = k.message_id
WHERE k.user_id = $1 AND k.embeddable AND k.embedding_model IS DISTINCT FROM $2
ORDER BY k.document DESC
LIMIT $3;

-- name: unembedded_memories
-- The memories that the user sees, their own and those they were given, that have no embedding of a model, newest first. Only
-- what is missing is read in full.
SELECT {memory},
    l.last_recalled_at, coalesce(l.recall_count, 0) AS recall_count,
    coalesce(l.reinforcement_count, 0) AS reinforcement_count, l.doubt, l.expires_at
FROM (
    (
        SELECT own.owner, own.id
        FROM vectors AS own
        WHERE own.owner = $1 AND (own.valid_to IS NULL OR own.ended_at IS NOT NULL)
            AND (own.embedding_model IS DISTINCT FROM $2 OR own."values" IS NULL)
        ORDER BY own.id DESC
        LIMIT $3
    )
    UNION ALL
    SELECT shared.owner, shared.id
    FROM users_vectors AS given
    JOIN vectors AS shared ON shared.owner = given.owner AND shared.id = given.vector_id
    WHERE given.user_id = $1 AND given.owner = '*'
        AND (shared.embedding_model IS DISTINCT FROM $2 OR shared."values" IS NULL)
    ORDER BY id DESC
    LIMIT $3
) AS missing
LEFT JOIN users_vectors AS l ON l.user_id = $1 AND l.vector_id = missing.id
JOIN vectors AS v ON v.owner = missing.owner AND v.id = missing.id
ORDER BY missing.id DESC;

-- name: count_unembedded
-- How many memories, chunks and entries of the profile of the user are to have embeddings of the models in use and have none.
SELECT (
    SELECT count(*)
    FROM users_vectors AS l
    JOIN vectors AS v ON v.owner = l.owner AND v.id = l.vector_id
    WHERE l.user_id = $1 AND v.owner IN ($1, '*') AND v.valid_to IS NULL
        AND (v.embedding_model IS DISTINCT FROM $2 OR v."values" IS NULL)
) + (
    SELECT count(*)
    FROM message_chunks AS k
    WHERE k.user_id = $1 AND k.embeddable AND k.embedding_model IS DISTINCT FROM $3
) + (
    SELECT count(*)
    FROM profile_entries AS p
    WHERE p.user_id = $1 AND p.state = 'confirmed' AND p.embedding_model IS DISTINCT FROM $2
);

-- name: embed_memory
-- Give a memory of an owner its missing embeddings; not if its content or its hints changed meanwhile.
UPDATE vectors SET "values" = $3::halfvec, embedding_model = $4
WHERE owner = $1 AND id = $2 AND (valid_to IS NULL OR ended_at IS NOT NULL)
    AND content = $5 AND (use, topics, questions) IS NOT DISTINCT FROM ($6, $7::text[], $8::text[])
    AND (embedding_model IS DISTINCT FROM $4 OR "values" IS NULL);

-- name: is_given
-- Whether a memory that the user sees is everybody's.
SELECT owner = '*' FROM users_vectors WHERE user_id = $1 AND vector_id = $2;

-- name: mark_embedded
-- Note by which model a chunk of the user is embedded; nothing if it is gone, or to be found no more.
UPDATE message_chunks SET embedding_model = $3
WHERE user_id = $1 AND document = $2
RETURNING document;

-- name: delete_chunk_vectors
-- Delete the embeddings of chunks of the user.
DELETE FROM chunk_vectors WHERE user_id = $1 AND document = ANY ($2::integer[]);

-- name: hide_messages
-- Recall messages of the user no more, nor what was answered to them.
UPDATE messages SET hidden = true
WHERE user_id = $1 AND exchange_id IN (
    SELECT said.exchange_id FROM messages AS said WHERE said.user_id = $1 AND said.id = ANY ($2::uuid[])
)
RETURNING id;

-- name: answers_given
-- What the user was answered in turns that were given one of these items, and is recalled so far.
SELECT id, content FROM messages
WHERE user_id = $1 AND role = 'assistant' AND NOT hidden AND exchange_id IN (
    SELECT e.id
    FROM injections AS i
    JOIN exchanges AS e ON e.user_id = $1 AND e.session_id = i.session_id AND e.anchor = i.anchor
    WHERE i.user_id = $1 AND i.items && $2::uuid[]
);

-- name: answers_behind
-- What the user was answered behind one of these messages in its chat, and is recalled so far.
SELECT m.id, m.content FROM messages AS m
WHERE m.user_id = $1 AND m.role = 'assistant' AND NOT m.hidden AND EXISTS (
    SELECT FROM messages AS said
    WHERE said.user_id = $1 AND said.id = ANY ($2::uuid[]) AND said.session_id = m.session_id
        AND said.turn_index < m.turn_index
);

-- name: told_by_items
-- What these memories and messages of the user say.
SELECT content FROM vectors WHERE owner IN ('*', $1) AND id = ANY ($2::uuid[])
UNION ALL
SELECT content FROM messages WHERE user_id = $1 AND id = ANY ($2::uuid[]) AND role = 'user';

-- name: hide_answers
-- Recall these answers to the user no more.
UPDATE messages SET hidden = true WHERE user_id = $1 AND id = ANY ($2::uuid[]);

-- name: note_change
-- Note since when something understood from messages of the user is no longer so; what was noted first stays.
UPDATE messages SET changed_at = coalesce(changed_at, $3)
WHERE user_id = $1 AND exchange_id IN (
    SELECT said.exchange_id FROM messages AS said WHERE said.user_id = $1 AND said.id = ANY ($2::uuid[])
);

-- name: users_without_index
-- Who has said something and has no index yet, or one by an older reading, over all users.
SELECT DISTINCT e.user_id
FROM exchanges AS e
WHERE NOT EXISTS (
    SELECT FROM users AS u WHERE u.user_id = e.user_id AND u.reading >= $1
);

-- name: reading_of
-- By which reading the user's messages were indexed, and up to which of them they were read anew.
SELECT reading, reread_to FROM users WHERE user_id = $1;

-- name: indexed_messages
-- The user's messages that are indexed and may be recalled, behind one, in order.
SELECT id FROM messages
WHERE user_id = $1 AND indexed AND NOT alternate AND NOT hidden AND ($2::uuid IS NULL OR id > $2)
ORDER BY id
LIMIT $3;

-- name: note_reading
-- Note by which reading the user's messages are indexed, and up to which of them they were read anew.
UPDATE users SET reading = $2, reread_to = $3 WHERE user_id = $1;

-- name: ask_for_rebuild
-- Have all that the user said, and all that they see, indexed anew; nothing where nothing is indexed.
UPDATE users SET reading = -1, reread_to = NULL WHERE user_id = $1 AND reading IS NOT NULL RETURNING true;

-- name: users_being_rebuilt
-- Whose index is being built anew, over all users, and up to which message it is.
SELECT user_id, reread_to FROM users WHERE reading = $1;

-- name: unindex_messages
-- Let messages of the user be indexed again.
UPDATE messages SET indexed = false WHERE user_id = $1 AND id = ANY ($2::uuid[]);

-- name: mark_turn
-- Note whether the turn of a message of a chat of the user, with its answers, is valuable; which messages that changes, and
-- whether each may be found.
UPDATE messages SET marked = $4
WHERE user_id = $1 AND marked <> $4 AND exchange_id IN (
    SELECT said.exchange_id FROM messages AS said WHERE said.user_id = $1 AND said.session_id = $2 AND said.id = $3
)
RETURNING id, NOT hidden AND NOT alternate AS is_findable;

-- name: largest_users
-- Who has most memories and parts of messages, over all users, the largest first.
SELECT user_id
FROM (
    SELECT u.user_id, u.next_document + (SELECT count(*) FROM users_vectors AS l WHERE l.user_id = u.user_id) AS documents
    FROM users AS u
    WHERE u.user_id <> '*'
) AS counted
WHERE documents > 0
ORDER BY documents DESC, user_id
LIMIT $1;

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
