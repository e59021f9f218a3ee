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

-- name: erase_profile_entries
-- Delete the user's profile.
DELETE FROM profile_entries WHERE user_id = $1;

-- name: erase_admin_reads
-- Delete who read what of the user.
DELETE FROM admin_reads WHERE user_id = $1;

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

-- name: erase_users
-- Delete the versions of what the user has.
DELETE FROM users WHERE user_id = $1;

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

-- name: erased_since
-- Who was erased, or which chat, since a time.
SELECT mark, erased_at FROM erased WHERE erased_at >= $1;

-- name: prune_erased
-- Forget who was erased until a time.
DELETE FROM erased WHERE erased_at < $1;

-- name: left_of_user
-- How many rows each table and queue has of the user; of the queue's log, of these jobs.
SELECT 'exchanges' AS name, count(*) AS rows FROM exchanges WHERE user_id = $1
UNION ALL
SELECT 'leases' AS name, count(*) AS rows FROM leases WHERE user_id = $1
UNION ALL
SELECT 'tries' AS name, count(*) AS rows FROM tries WHERE user_id = $1
UNION ALL
SELECT 'kept_answers' AS name, count(*) AS rows FROM kept_answers WHERE user_id = $1
UNION ALL
SELECT 'injections' AS name, count(*) AS rows FROM injections WHERE user_id = $1
UNION ALL
SELECT 'request_metrics' AS name, count(*) AS rows FROM request_metrics WHERE user_id = $1
UNION ALL
SELECT 'chunk_vectors' AS name, count(*) AS rows FROM chunk_vectors WHERE user_id = $1
UNION ALL
SELECT 'message_chunks' AS name, count(*) AS rows FROM message_chunks WHERE user_id = $1
UNION ALL
SELECT 'messages' AS name, count(*) AS rows FROM messages WHERE user_id = $1
UNION ALL
SELECT 'sessions' AS name, count(*) AS rows FROM sessions WHERE user_id = $1
UNION ALL
SELECT 'memory_updates' AS name, count(*) AS rows FROM memory_updates WHERE user_id = $1
UNION ALL
SELECT 'quarantine' AS name, count(*) AS rows FROM quarantine WHERE user_id = $1
UNION ALL
SELECT 'profile_entries' AS name, count(*) AS rows FROM profile_entries WHERE user_id = $1
UNION ALL
SELECT 'admin_reads' AS name, count(*) AS rows FROM admin_reads WHERE user_id = $1
UNION ALL
SELECT 'chat_requests' AS name, count(*) AS rows FROM chat_requests WHERE user_id = $1
UNION ALL
SELECT 'chats_left_out' AS name, count(*) AS rows FROM chats_left_out WHERE user_id = $1
UNION ALL
SELECT 'user_settings' AS name, count(*) AS rows FROM user_settings WHERE user_id = $1
UNION ALL
SELECT 'model_usage' AS name, count(*) AS rows FROM model_usage WHERE user_id = $1
UNION ALL
SELECT 'users_vectors' AS name, count(*) AS rows FROM users_vectors WHERE user_id = $1
UNION ALL
SELECT 'vectors' AS name, count(*) AS rows FROM vectors WHERE owner = $1
UNION ALL
SELECT 'users' AS name, count(*) AS rows FROM users WHERE user_id = $1
UNION ALL
SELECT 'pgqueuer', count(*) FROM pgqueuer WHERE entrypoint = $3 AND payload = $2
UNION ALL
SELECT 'pgqueuer_log', count(*) FROM pgqueuer_log WHERE job_id = ANY ($4::bigint[]);

-- name: left_of_shared
-- How many of these memories of the commons nobody sees any more, over all users; not what serves everybody.
SELECT count(*)
FROM vectors AS v
WHERE v.owner = '*' AND v.id = ANY ($1::uuid[]) AND v.source <> 'global'
    AND NOT EXISTS (SELECT FROM users_vectors AS l WHERE l.vector_id = v.id AND l.owner = '*');

-- name: may_vacuum
-- Which of these tables this database user may vacuum: its own, or all as the owner of the database or a superuser.
SELECT c.relname AS name
FROM pg_class AS c
JOIN pg_database AS d ON d.datname = current_database()
WHERE c.relnamespace = 'recollect'::regnamespace AND c.relname = ANY ($1::text[])
    AND (pg_has_role(c.relowner, 'USAGE') OR pg_has_role(d.datdba, 'USAGE'))
ORDER BY c.relname;

-- name: vacuum
-- Make free what deleted rows took; outside of any transaction. What this database user may not, is passed over.
VACUUM recollect.exchanges, recollect.leases, recollect.tries, recollect.kept_answers, recollect.injections, recollect.chat_requests, recollect.chats_left_out, recollect.request_metrics, recollect.chunk_vectors, recollect.message_chunks, recollect.users, recollect.messages, recollect.sessions, recollect.memory_updates, recollect.quarantine, recollect.profile_entries, recollect.admin_reads, recollect.user_settings, recollect.model_usage, recollect.users_vectors, recollect.vectors, recollect.pgqueuer, recollect.pgqueuer_log;
