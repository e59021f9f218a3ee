-- What a request with an Idempotency-Key was answered, so that it is done once. Kept for a day.

CREATE TABLE kept_answers (
    user_id text NOT NULL,
    key text NOT NULL,
    request bytea NOT NULL,
    at timestamptz NOT NULL,
    answer bytea,
    etag text,
    PRIMARY KEY (user_id, key)
);

COMMENT ON COLUMN kept_answers.request IS 'A hash of what was asked for: another request with the same key is refused.';
COMMENT ON COLUMN kept_answers.answer IS 'NULL while it is under way.';

CREATE INDEX kept_answers_at ON kept_answers (at);

ALTER TABLE kept_answers ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY of_the_user ON kept_answers USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY over_all_users ON kept_answers FOR SELECT
    USING (current_setting('recollect.over_all_users', true) = 'on');
CREATE POLICY pruned_by_the_operator ON kept_answers FOR DELETE
    USING (current_setting('recollect.over_all_users', true) = 'on');
