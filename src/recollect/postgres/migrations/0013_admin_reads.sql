-- What others read of a person is kept, and the person sees it.

CREATE TABLE admin_reads (
    user_id text NOT NULL,
    id uuid NOT NULL,
    at timestamptz NOT NULL,
    reader text NOT NULL,
    operation text NOT NULL,
    PRIMARY KEY (user_id, id)
);

COMMENT ON TABLE admin_reads IS 'What administrators read of a user: who, when, and which operation of the API; never what it said.';

CREATE INDEX admin_reads_at ON admin_reads (at);

ALTER TABLE admin_reads ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY of_the_user ON admin_reads
    USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY pruned_by_the_operator ON admin_reads FOR DELETE
    USING (current_setting('recollect.over_all_users', true) = 'on');
CREATE POLICY counted_by_the_operator ON admin_reads FOR SELECT
    USING (current_setting('recollect.over_all_users', true) = 'on');
