-- name: erase_exchanges
-- Delete what is and was to be formed for the user.
DELETE FROM exchanges WHERE user_id = $1;

-- name: erase_leases
-- Delete the user's lease, which ends a formation under way.
DELETE FROM leases WHERE user_id = $1;

-- name: erase_tries
-- Delete what is done for the user just now.
DELETE FROM tries WHERE user_id = $1;

-- name: erase_injections
-- Delete what was added to the user's prompts.
DELETE FROM injections WHERE user_id = $1;

-- name: erase_request_metrics
-- Delete what the user's requests were like.
DELETE FROM request_metrics WHERE user_id = $1;

-- name: erase_chunk_vectors
-- Delete the embeddings of the user's log.
DELETE FROM chunk_vectors WHERE user_id = $1;

-- name: erase_message_chunks
-- Delete the chunks of the user's log.
DELETE FROM message_chunks WHERE user_id = $1;

-- name: erase_postings
-- Delete the words by which the user's memories and log are found.
DELETE FROM postings WHERE user_id = $1;

-- name: erase_corpora
-- Delete what counts those words.
DELETE FROM corpora WHERE user_id = $1;

-- name: erase_messages
-- Delete the user's message log.
DELETE FROM messages WHERE user_id = $1;

-- name: erase_sessions
-- Delete the user's sessions.
DELETE FROM sessions WHERE user_id = $1;

-- name: erase_memory_updates
-- Delete the audit of the user's memories.
DELETE FROM memory_updates WHERE user_id = $1;

-- name: erase_quarantine
-- Delete what the user had still to approve.
DELETE FROM quarantine WHERE user_id = $1;

-- name: erase_user_settings
-- Delete what was changed for the user.
DELETE FROM user_settings WHERE user_id = $1;

-- name: erase_model_usage
-- Delete what models took for the user.
DELETE FROM model_usage WHERE user_id = $1;

-- name: erase_users_vectors
-- Delete the user's links to memories, their own and shared ones.
DELETE FROM users_vectors WHERE user_id = $1;

-- name: erase_vectors
-- Delete the memories that belong to the user, retired ones too.
DELETE FROM vectors WHERE owner = $1;

-- name: memories_of_user
-- Which memories the user ever saw.
SELECT vector_id AS id FROM users_vectors WHERE user_id = $1
UNION
SELECT memory_id FROM memory_updates WHERE user_id = $1;

-- name: erase_shared
-- Delete memories of the commons that nobody sees any more, over all users; not what serves everybody.
DELETE FROM vectors AS v
WHERE v.owner = '*' AND v.id = ANY ($1::uuid[]) AND v.source <> 'global'
    AND NOT EXISTS (SELECT FROM users_vectors AS l WHERE l.vector_id = v.id AND l.owner = '*');

-- name: erase_jobs
-- Delete the user's jobs; the queue knows the user by the payload alone.
DELETE FROM pgqueuer WHERE entrypoint = $2 AND payload = $1 RETURNING id;

-- name: erase_job_log
-- Delete what the queue logged of jobs.
DELETE FROM pgqueuer_log WHERE job_id = ANY ($1::bigint[]);

-- name: insert_erasure
-- Leave a tombstone: when, and how many rows, but not whose.
INSERT INTO erasures (id, erased_at, counts) VALUES ($1, $2, $3);

-- name: mark_erased
-- Note until when somebody, or a chat of theirs, was erased.
INSERT INTO erased (mark, erased_at) VALUES ($1, $2)
ON CONFLICT (mark) DO UPDATE SET erased_at = greatest(erased.erased_at, excluded.erased_at);

-- name: prune_erased
-- Forget who was erased until a time.
DELETE FROM erased WHERE erased_at < $1;
