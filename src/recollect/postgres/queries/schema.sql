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
-- The version of pgvector in this database, and the search path that finds it and our tables.
SELECT extversion AS version, format('recollect, %I', nspname) AS search_path
FROM pg_extension AS e
JOIN pg_namespace AS n ON n.oid = e.extnamespace
WHERE extname = 'vector';

-- name: create_vector_extension
-- Create pgvector where every role finds it.
CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;

-- name: set_search_path
-- Find our tables and pgvector on this connection.
SELECT set_config('search_path', $1, false);

-- name: create_schema_migrations
-- Create the record of the migrations.
CREATE TABLE IF NOT EXISTS recollect.schema_migrations (
    version integer PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL
);

-- name: applied_migrations
-- The migrations this database has.
SELECT version, name, checksum FROM recollect.schema_migrations ORDER BY version;

-- name: record_migration
-- Note that a migration was applied.
INSERT INTO recollect.schema_migrations (version, name, checksum, applied_at) VALUES ($1, $2, $3, $4);
