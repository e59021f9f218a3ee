-- Which chats there are, and whose, the oldest first.
SELECT id, user_id FROM chat ORDER BY created_at, id
