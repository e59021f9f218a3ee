-- A second wall behind the predicate in every query: rows of one user are all that a transaction of
-- that user's sees and writes, also where a query forgets to ask. Without a user it sees none.
--
-- FORCE binds the owner of the tables too. What is bound by nothing, a superuser or a role with
-- BYPASSRLS, takes on recollect_user for its users' transactions: a role that owns nothing.

ALTER TABLE vectors ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE users_vectors ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE memory_updates ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE messages ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE exchanges ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE leases ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY of_the_user ON users_vectors
    USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON memory_updates
    USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON sessions
    USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON messages
    USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON exchanges
    USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON leases
    USING (user_id = current_setting('recollect.user_id', true));

-- What users share, '*', is seen and added to by all, and changed by none. The planner can't tell
-- that this condition and the query's own say the same, and would take the rows for a few; in
-- coalesce it gives it no weight. The SELECT is run once, not for each row.
CREATE POLICY seen_by_the_user ON vectors FOR SELECT
    USING (coalesce(owner = (SELECT current_setting('recollect.user_id', true)) OR owner = '*', false));
CREATE POLICY added_by_the_user ON vectors FOR INSERT
    WITH CHECK (owner IN (current_setting('recollect.user_id', true), '*'));
CREATE POLICY changed_by_the_user ON vectors FOR UPDATE
    USING (owner = current_setting('recollect.user_id', true));
CREATE POLICY deleted_by_the_user ON vectors FOR DELETE
    USING (owner = current_setting('recollect.user_id', true));

-- Finds what users share among a user's links.
CREATE INDEX users_vectors_shared ON users_vectors (user_id, vector_id) WHERE owner = '*';

-- The operator's own statements, over all users: the few that say so.
CREATE POLICY over_all_users ON exchanges
    USING (current_setting('recollect.over_all_users', true) = 'on');
