-- Whether Recollect's tables are there, and since which migration is noted.
SELECT to_regclass('recollect.schema_migrations') IS NOT NULL
