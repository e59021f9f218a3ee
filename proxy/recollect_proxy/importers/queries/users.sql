-- Who has an account.
SELECT id FROM "user"
