-- A try is counted before it begins: one that takes its worker down with it is counted all the same.

CREATE TABLE tries (
    user_id text NOT NULL,
    step text NOT NULL,
    subject text NOT NULL,
    tries integer NOT NULL,
    begun_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, step)
) WITH (fillfactor = 50);

COMMENT ON TABLE tries IS 'What is done for a user in the background just now, or was when a worker died of it.';

ALTER TABLE tries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY of_the_user ON tries
    USING (user_id = current_setting('recollect.user_id', true));
