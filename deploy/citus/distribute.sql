-- Distributes Recollect's tables by user over a Citus cluster, once: on the coordinator, after `recollect migrate`, with every
-- Recollect stopped. As the owner of the tables: psql --set ON_ERROR_STOP=1 --single-transaction --file=distribute.sql URL
--
-- All that belongs to a user stands on one node, so that each query of theirs is one node's. The tests keep the tables, their
-- keys and the queries fit for it; it was not run on Citus. docs/scaling.md says what to try before you rely on it.

-- What everybody shares lies on one node and is asked for beside each user's rows, which no node can answer then: docs/scaling.md
-- says what is to become of it. Until then such a store is not distributed.
DO $$
BEGIN
    IF EXISTS (SELECT FROM recollect.vectors WHERE owner = '*')
        OR EXISTS (SELECT FROM recollect.users_vectors WHERE owner = '*')
        OR EXISTS (SELECT FROM recollect.user_settings WHERE user_id = '*') THEN
        RAISE EXCEPTION 'This store has memories or settings of everybody, which cannot be distributed by user.'
            USING HINT = 'docs/scaling.md, "What everybody shares", says why and what is planned.';
    END IF;
END
$$;

-- Triggers look after what versions from before the migration of posting pages delete; none of these runs any more.
DROP TRIGGER IF EXISTS note_posting_removal ON recollect.message_chunks;
DROP TRIGGER IF EXISTS note_posting_removal ON recollect.users_vectors;
DROP TRIGGER IF EXISTS note_posting_removal_of_change ON recollect.users_vectors;
DROP TRIGGER IF EXISTS delete_posting_pages ON recollect.corpora;

SELECT create_distributed_table('recollect.users_vectors', 'user_id', shard_count => 128);
SELECT create_distributed_table('recollect.admin_reads', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.chat_requests', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.chats_left_out', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.chunk_vectors', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.corpora', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.document_lengths', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.exchanges', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.injections', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.kept_answers', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.leases', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.memory_updates', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.message_chunks', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.messages', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.model_usage', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.posting_pages', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.posting_removals', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.postings', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.profile_entries', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.quarantine', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.request_metrics', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.sessions', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.tries', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.user_settings', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.waiting_documents', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.vectors', 'owner', colocate_with => 'recollect.users_vectors');

-- Of nobody in particular: small, and whole on every node.
SELECT create_reference_table('recollect.erasures');
SELECT create_reference_table('recollect.erased');
SELECT create_reference_table('recollect.embedders');
SELECT create_reference_table('recollect.schema_migrations');

-- The queue (pgqueuer...) stays on the coordinator: a worker takes whatever job is next, whoever's it is.
