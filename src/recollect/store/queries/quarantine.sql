-- name: quarantine_with_content
-- What is held back of the user with this content, or was refused.
SELECT id, reason, refused FROM quarantine WHERE user_id = $1 AND content_hash = $2;

-- name: insert_quarantined
-- Hold a memory of the user back.
INSERT INTO quarantine (
    user_id, id, at, reason, kind, source, content, content_hash, importance, confidence, observed_at, event_at,
    holds_from, holds_until, session_id, message_ids, evidence, extractor, created_at, use, topics, questions,
    tags, metadata, further, expires_at
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
    $23, $24, $25, $26);

-- name: quarantined_again
-- Note in which further messages of the log something held back was said.
UPDATE quarantine
SET message_ids = message_ids || ARRAY(
    SELECT further.id
    FROM unnest($3::uuid[]) WITH ORDINALITY AS further (id, place)
    WHERE further.id <> ALL (message_ids)
    ORDER BY further.place
)
WHERE user_id = $1 AND id = $2;

-- name: quarantined
-- So much of what is held back of the user, newest first, behind a time and an id; with an id alone, that one.
SELECT at, reason, user_id AS owner, id, kind, source, content, importance, confidence, observed_at,
    event_at, created_at, session_id, message_ids, evidence, extractor, NULL AS embedding_model, holds_from,
    holds_until, NULL AS outline, use, topics, questions, NULL::timestamptz AS last_recalled_at, 0 AS recall_count,
    0 AS reinforcement_count, NULL AS standing, tags, metadata, further, expires_at
FROM quarantine
WHERE user_id = $1 AND NOT refused AND ($2::uuid IS NULL OR id = $2) AND ($6::text IS NULL OR session_id = $6)
    AND ($4::timestamptz IS NULL OR (at, id) < ($4, $5::uuid))
ORDER BY at DESC, id DESC
LIMIT $3;

-- name: release_quarantined
-- Hold something of the user's back no longer.
DELETE FROM quarantine WHERE user_id = $1 AND id = $2;

-- name: drop_waiting
-- Delete what waits for the user's approval, without noting it as refused; return in which messages of the log it was said.
DELETE FROM quarantine WHERE user_id = $1 AND id = $2 AND NOT refused RETURNING message_ids;

-- name: release_with_content
-- Hold back no longer what is held back of the user with this content, or was refused.
DELETE FROM quarantine WHERE user_id = $1 AND content_hash = $2;

-- name: refuse_quarantined
-- Keep of something held back of the user only by what it is known again.
UPDATE quarantine
SET refused = true, content = '', evidence = NULL, message_ids = '{}', session_id = NULL, event_at = NULL,
    holds_from = NULL, holds_until = NULL, use = NULL, topics = NULL, questions = NULL,
    tags = '{}', metadata = '{}', further = '[]', expires_at = NULL
WHERE user_id = $1 AND id = $2;

-- name: abandon_quarantined
-- Delete what is held back of the user and was said in these messages of the log alone.
DELETE FROM quarantine
WHERE user_id = $1 AND NOT refused AND message_ids && $2::uuid[] AND message_ids <@ $2::uuid[];

-- name: count_quarantined
-- How much is held back of the user.
SELECT count(*) FROM quarantine WHERE user_id = $1 AND NOT refused;
