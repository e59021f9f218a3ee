-- name: users
-- Who has an account.
SELECT id FROM "user"

-- name: memories
-- All memories, the oldest first; older releases have fewer columns.
SELECT * FROM memory ORDER BY created_at, id

-- name: chats
-- All chats with their owners, the oldest first.
SELECT id, user_id FROM chat ORDER BY created_at, id

-- name: chat
-- One chat; older releases have fewer columns.
SELECT * FROM chat WHERE id = $1
