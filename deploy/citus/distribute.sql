-- Distributes Recollect's tables by user over a Citus cluster, once: on the coordinator, after `recollect migrate`, with every
-- Recollect stopped. As a superuser: psql --set try_it=1 --file=distribute.sql URL
--
-- NOT FOR PRODUCTION YET. All that belongs to a user stands on one node, so that each query of theirs is one node's; but what
-- everybody shares (rows of owner '*') is asked for beside each user's rows, and no node can answer that. Citus refuses these queries,
-- whether there are such rows or not. They are to become reference tables, which is decided and not built: docs/explanation/scaling.md. Until then
-- this script is for trying the distribution on a copy. The tests keep the tables, their keys and the queries fit for it; it was not run
-- on Citus.

\set ON_ERROR_STOP on
BEGIN;

\if :{?try_it}
\else
DO $$
BEGIN
    RAISE EXCEPTION 'Nothing was distributed: Recollect does not run on distributed tables yet.'
        USING HINT = 'docs/explanation/scaling.md, "Shared memories", says why. To try it on a copy: psql --set try_it=1';
END
$$;
\endif

-- Rows of everybody can't be distributed by user, so a store that has any stays as it is. Row-level security would hide them from the
-- tables' own owner: without it, or not at all.
SET LOCAL row_security = off;
DO $$
DECLARE
    place record;
    has_any boolean;
BEGIN
    FOR place IN
        SELECT c.table_name, c.column_name
        FROM information_schema.columns AS c
        JOIN information_schema.tables AS t USING (table_schema, table_name)
        WHERE c.table_schema = 'recollect' AND c.column_name IN ('user_id', 'owner') AND t.table_type = 'BASE TABLE'
    LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM recollect.%I WHERE %I = ''*'')', place.table_name, place.column_name) INTO has_any;
        IF has_any THEN
            RAISE EXCEPTION 'Nothing was distributed: %.% has rows of everybody (*), which can''t be distributed by user.',
                place.table_name, place.column_name
                USING HINT = 'docs/explanation/scaling.md, "Shared memories", says why and what is planned.';
        END IF;
    END LOOP;
END
$$;

SELECT create_distributed_table('recollect.users_vectors', 'user_id', shard_count => 128);
SELECT create_distributed_table('recollect.admin_reads', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.chat_requests', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.chats_left_out', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.chunk_vectors', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.exchanges', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.injections', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.kept_answers', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.leases', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.memory_updates', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.message_chunks', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.messages', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.model_usage', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.not_helpful', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.projects', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.profile_entries', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.quarantine', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.request_metrics', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.sessions', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.tries', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.user_settings', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.users', 'user_id', colocate_with => 'recollect.users_vectors');
SELECT create_distributed_table('recollect.vectors', 'owner', colocate_with => 'recollect.users_vectors');

-- Of nobody in particular: small, and whole on every node.
SELECT create_reference_table('recollect.erasures');
SELECT create_reference_table('recollect.erased');
SELECT create_reference_table('recollect.embedders');
SELECT create_reference_table('recollect.teams');
SELECT create_reference_table('recollect.untold_erasures');
SELECT create_reference_table('recollect.webhook_turn');
SELECT create_reference_table('recollect.schema_migrations');

-- The queue (pgqueuer...) stays on the coordinator: a worker takes whatever job is next, whoever's it is.

COMMIT;
