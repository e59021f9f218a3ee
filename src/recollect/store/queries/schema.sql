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
-- Without IF NOT EXISTS, which asks for the right to create one even where it is there.
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

-- name: allow_long_statements
-- Let a statement take an hour, in this transaction or on this connection: a migration may have to read all that was ever said.
SELECT set_config('statement_timeout', '1h', $1);

-- name: end_by_itself
-- Let a statement of this transaction whose client is gone end by itself.
SELECT set_config('statement_timeout', '60s', true);

-- name: allow_seconds
-- Let statements on this connection take so many seconds.
SELECT set_config('statement_timeout', $1::integer || 's', false);

-- name: allow_what_was_allowed
-- Let statements on this connection take as long as those of every connection.
RESET statement_timeout;

-- name: limit_lock_waits
-- Let no statement wait longer for a lock than others can wait behind it, in this transaction or on this connection.
SELECT set_config('lock_timeout', '500ms', $1);

-- name: limit_no_lock_waits
-- Let statements on this connection wait for locks as the server is set.
RESET lock_timeout;

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
-- The migrations this database has.
SELECT m.version, m.name, m.checksum, m.contracts
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
-- A statement whose client is gone ends by itself. Plans are made once: each of our queries is of one user, whoever that is,
-- and to plan the search anew takes about as long as to run it.
SELECT set_config('role', $2, true), set_config('recollect.user_id', $1, true),
    set_config('plan_cache_mode', 'force_generic_plan', true), set_config('statement_timeout', '60s', true);

-- name: as_user_alone
-- The same, and let one transaction at a time change what this user has; freed at its end. Whoever changes what a person has of
-- their own waits for changes in all of their projects, and whoever changes a part of a team for turns in all of its parts.
SELECT set_config('role', $2, true), set_config('recollect.user_id', $1, true),
    set_config('plan_cache_mode', 'force_generic_plan', true), set_config('statement_timeout', '60s', true),
    CASE WHEN $1 <> person_of($1) THEN pg_advisory_xact_lock_shared(hashtextextended(person_of($1), 0)) END,
    -- Of no team the number is NULL, for which the function, being strict, takes no lock.
    pg_advisory_xact_lock(hashtextextended(chr(31) || team_of($1), 0)),
    pg_advisory_xact_lock(hashtextextended($1, 0));

-- name: over_all_users
-- Let the rest of the transaction see what is to be formed for all users. A statement whose client is gone ends by itself.
SELECT set_config('recollect.over_all_users', 'on', true), set_config('statement_timeout', '60s', true);

-- name: over_no_users
-- Let the rest of the transaction see again what it saw before.
SELECT set_config('recollect.over_all_users', '', true);

-- name: encoding
-- How this database writes letters; asked alone, as a question with other letters than ASCII's fails in some.
SELECT current_setting('server_encoding');

-- name: look_before_start
-- What a start asks of the server and of this database user; changes nothing.
SELECT
    split_part(current_setting('server_version'), ' ', 1) AS server,
    current_setting('server_version_num')::integer AS server_number,
    current_setting('max_connections')::integer AS connections,
    pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS is_read_only,
    lower('Ä') = 'ä' AS knows_letters,
    (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS vector,
    (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS vector_offered,
    me.rolsuper OR EXISTS (
        SELECT FROM pg_available_extension_versions AS offered
        WHERE offered.name = 'vector' AND offered.trusted AND has_database_privilege(current_database(), 'CREATE')
    ) AS may_create_vector,
    ours.oid IS NOT NULL AS has_schema,
    has_database_privilege(current_database(), 'CREATE') AS may_create_schema,
    coalesce(has_schema_privilege(ours.oid, 'USAGE') AND has_schema_privilege(ours.oid, 'CREATE'), false) AS may_write_schema,
    migrations.oid IS NOT NULL AS has_migrations,
    coalesce(has_schema_privilege(ours.oid, 'USAGE') AND has_table_privilege(migrations.oid, 'SELECT'), false)
        AS may_read_migrations,
    EXISTS (
        SELECT FROM pg_class AS c
        WHERE c.relnamespace = ours.oid AND c.relkind IN ('r', 'p') AND NOT pg_has_role(c.relowner, 'USAGE')
    ) AS foreign_tables,
    NOT me.rolbypassrls OR me.rolsuper OR me.rolcreaterole
        OR coalesce(pg_has_role(to_regrole('recollect_user'), 'MEMBER'), false) AS can_be_bound
FROM pg_roles AS me
LEFT JOIN pg_namespace AS ours ON ours.nspname = 'recollect'
LEFT JOIN pg_class AS migrations ON migrations.relnamespace = ours.oid AND migrations.relname = 'schema_migrations'
WHERE me.rolname = current_user;
