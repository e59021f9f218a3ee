-- One chat; older releases have fewer columns.
SELECT * FROM chat WHERE id = $1
