-- name: lock_schema
-- Let one process at a time look after the schema.
SELECT pg_advisory_lock($1);

-- name: unlock_schema
-- Let the next process look after the schema.
SELECT pg_advisory_unlock($1);

-- name: schema_exists
-- Whether our schema is there.
SELECT to_regnamespace('recollect') IS NOT NULL;

-- name: create_schema
-- Create our schema.
CREATE SCHEMA recollect;

-- name: vector_extension
-- The version of pgvector in this database, its schema, and the search path that finds it and our tables.
SELECT extversion AS version, format('recollect, %I', nspname) AS search_path, nspname AS vector_schema
FROM pg_extension AS e
JOIN pg_namespace AS n ON n.oid = e.extnamespace
WHERE extname = 'vector';

-- name: create_vector_extension
-- Create pgvector where every role finds it.
CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;

-- name: lock_schema_for_transaction
-- The same until the transaction ends: a pooler may run the next one elsewhere.
SELECT pg_advisory_xact_lock($1);

-- name: process_of_server
-- The number of the process that answers.
SELECT pg_backend_pid();

-- name: set_search_path
-- Find our tables and pgvector on this connection.
SELECT set_config('search_path', $1, false);

-- name: set_search_path_for_transaction
-- Find our tables and pgvector in this transaction.
SELECT set_config('search_path', $1, true);

-- name: create_schema_migrations
-- Create the record of the migrations.
CREATE TABLE IF NOT EXISTS recollect.schema_migrations (
    version integer PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL,
    contracts boolean NOT NULL DEFAULT false
);

-- name: applied_migrations
-- The migrations this database has; a record that is older than the column has none that contracts.
SELECT m.version, m.name, m.checksum, coalesce((to_jsonb(m) ->> 'contracts')::boolean, false) AS contracts
FROM recollect.schema_migrations AS m
ORDER BY m.version;

-- name: record_migration
-- Note that a migration was applied.
INSERT INTO recollect.schema_migrations (version, name, checksum, applied_at) VALUES ($1, $2, $3, $4);

-- name: record_contraction
-- Note that versions from before a migration can't work with it.
UPDATE recollect.schema_migrations SET contracts = true WHERE version = $1;

-- name: is_bound_by_no_policy
-- Whether row-level security means nothing to this database user.
SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user;

-- name: user_role_exists
-- Whether the role for users' transactions is there, in this server.
SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = 'recollect_user');

-- name: user_role_lacks_grants
-- Whether the role for users' transactions may not use one of our tables yet, or number what it inserts.
SELECT NOT has_schema_privilege('recollect_user', 'recollect', 'USAGE') OR EXISTS (
    SELECT FROM pg_class
    WHERE relnamespace = 'recollect'::regnamespace AND (
        relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'schema_migrations'
            AND NOT has_table_privilege('recollect_user', oid, 'INSERT')
        OR relkind = 'S' AND NOT has_sequence_privilege('recollect_user', oid, 'USAGE')
    )
);

-- name: create_user_role
-- Create the role for users' transactions: it owns nothing and can't log in.
CREATE ROLE recollect_user NOLOGIN;

-- name: grant_user_role
-- Let this database user take on the role for users' transactions.
GRANT recollect_user TO current_user;

-- name: grant_tables
-- Let the role for users' transactions use our tables, the queue's among them.
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA recollect TO recollect_user;

-- name: keep_migrations
-- The record of migrations is none of its business.
REVOKE ALL ON recollect.schema_migrations FROM recollect_user;

-- name: keep_erasures
-- Tombstones are left, and stay.
REVOKE SELECT, UPDATE, DELETE ON recollect.erasures FROM recollect_user;

-- name: grant_sequences
-- Let it number what it inserts.
GRANT USAGE ON ALL SEQUENCES IN SCHEMA recollect TO recollect_user;

-- name: grant_schema
-- Let it find our tables.
GRANT USAGE ON SCHEMA recollect TO recollect_user;

-- name: as_user
-- Let the rest of the transaction see and write one user's rows alone; `none` leaves the role as it is.
-- A statement whose client is gone ends by itself. What is deleted is taken from posting_pages by us: no trigger has to note it. Plans are made once: each of our queries is of one user, whoever that is,
-- and to plan the search anew takes about as long as to run it.
SELECT set_config('role', $2, true), set_config('recollect.user_id', $1, true),
    set_config('plan_cache_mode', 'force_generic_plan', true), set_config('statement_timeout', '60s', true),
    set_config('recollect.knows_pages', 'on', true);

-- name: as_user_alone
-- The same, and let one transaction at a time change what this user has; freed at its end.
SELECT set_config('role', $2, true), set_config('recollect.user_id', $1, true),
    set_config('plan_cache_mode', 'force_generic_plan', true), set_config('statement_timeout', '60s', true),
    set_config('recollect.knows_pages', 'on', true), pg_advisory_xact_lock(hashtextextended($1, 0));

-- name: over_all_users
-- Let the rest of the transaction see what is to be formed for all users.
SELECT set_config('recollect.over_all_users', 'on', true);

-- name: over_no_users
-- Let the rest of the transaction see again what it saw before.
SELECT set_config('recollect.over_all_users', '', true);
