-- What was remembered there, the oldest first; older releases have fewer columns.
SELECT * FROM memory ORDER BY created_at, id
