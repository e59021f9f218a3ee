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
