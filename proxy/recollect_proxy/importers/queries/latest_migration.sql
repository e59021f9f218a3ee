-- Up to which migration Recollect's tables are; null: none was applied.
SELECT max(version) FROM recollect.schema_migrations
