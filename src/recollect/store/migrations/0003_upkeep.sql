-- What the engine does and counts: background work, erasures, embedders, kept answers, reads by administrators, requests.

CREATE TABLE leases (
    user_id text PRIMARY KEY,
    holder uuid NOT NULL,
    expires_at timestamptz NOT NULL
) WITH (fillfactor = 50);

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

-- Proof that a user was erased: no user, no content.
CREATE TABLE erasures (
    id uuid PRIMARY KEY,
    erased_at timestamptz NOT NULL,
    counts jsonb NOT NULL
);

-- When a user, or a chat, was erased: what was said before, and waited elsewhere, is not written any more. A mark is a hash, as a
-- tombstone names nobody; it is kept for no longer than anything waits.
CREATE TABLE erased (
    mark bytea PRIMARY KEY,
    erased_at timestamptz NOT NULL
);

-- The process whose turn it is to send webhooks; without the row no webhook is set.
CREATE TABLE webhook_turn (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    holder uuid NOT NULL,
    held_until timestamptz NOT NULL
) WITH (fillfactor = 50);

-- The erased users of whom a webhook still has to be told. Each row goes once it is told, or after three days.
CREATE TABLE untold_erasures (
    id uuid PRIMARY KEY,
    erased text NOT NULL,
    erased_at timestamptz NOT NULL
);

ALTER TABLE untold_erasures ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY of_the_user ON untold_erasures FOR INSERT WITH CHECK (erased = current_setting('recollect.user_id', true));
CREATE POLICY over_all_users ON untold_erasures USING (current_setting('recollect.over_all_users', true) = 'on');

-- Which embedders are in use, or were and have embeddings in the store still. `made_by` says how one is made again, without its
-- key. A row goes once nothing of it is left.
CREATE TABLE embedders (
    place text NOT NULL CHECK (place IN ('statements', 'log')),
    model text NOT NULL,
    made_by jsonb NOT NULL,
    chosen_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL,
    completed_at timestamptz,
    held_by uuid,
    held_until timestamptz,
    PRIMARY KEY (place, model)
) WITH (fillfactor = 50);

COMMENT ON COLUMN embedders.chosen_at IS 'Since when it is today''s: of those in use the last one chosen embeds what others embedded.';
COMMENT ON COLUMN embedders.seen_at IS 'When a process was last seen that uses it.';
COMMENT ON COLUMN embedders.completed_at IS 'When all was found to be embedded by it; NULL: not yet.';
COMMENT ON COLUMN embedders.held_by IS 'Which process goes from user to user, until when.';

-- Tokens that background calls of models took.
CREATE TABLE model_usage (
    user_id text NOT NULL,
    day date NOT NULL,
    tokens bigint NOT NULL,
    calls integer NOT NULL,
    summary_tokens bigint DEFAULT 0,
    PRIMARY KEY (user_id, day)
);

CREATE INDEX model_usage_day ON model_usage (day);

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

-- The answer to a request with an Idempotency-Key, so that it is done once. Kept for a day.
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

ALTER TABLE leases ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE tries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE model_usage ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE admin_reads ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE kept_answers ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY of_the_user ON leases USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON tries USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON model_usage USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON admin_reads USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON kept_answers USING (user_id = current_setting('recollect.user_id', true));

CREATE POLICY over_all_users ON model_usage FOR SELECT
    USING (current_setting('recollect.over_all_users', true) = 'on');
CREATE POLICY pruned_by_the_operator ON model_usage FOR DELETE
    USING (current_setting('recollect.over_all_users', true) = 'on');
CREATE POLICY counted_by_the_operator ON admin_reads FOR SELECT
    USING (current_setting('recollect.over_all_users', true) = 'on');
CREATE POLICY pruned_by_the_operator ON admin_reads FOR DELETE
    USING (current_setting('recollect.over_all_users', true) = 'on');
CREATE POLICY over_all_users ON kept_answers FOR SELECT
    USING (current_setting('recollect.over_all_users', true) = 'on');
CREATE POLICY pruned_by_the_operator ON kept_answers FOR DELETE
    USING (current_setting('recollect.over_all_users', true) = 'on');

CREATE TRIGGER note_project AFTER INSERT ON kept_answers FOR EACH ROW
    WHEN (person_of(NEW.user_id) <> NEW.user_id) EXECUTE FUNCTION note_project_of_row();

-- The ids of requests rise with time (RFC 9562, version 7), so a day of requests is a range of ids.
CREATE FUNCTION first_id_of(moment timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT (lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- One row a request, in a part for each day, which is dropped after 30 days. `story` says what was found and why it was taken or
-- left, by ids and scores: no text.
CREATE TABLE request_metrics (
    user_id text NOT NULL,
    id uuid NOT NULL,
    at timestamptz NOT NULL,
    session_id text NOT NULL,
    path text NOT NULL,
    model text NOT NULL,
    skipped text,
    degraded text[] NOT NULL,
    error_stage text,
    candidates integer NOT NULL,
    dense_hits integer NOT NULL,
    lexical_hits integer NOT NULL,
    log_hits integer NOT NULL,
    items integer NOT NULL,
    tokens integer NOT NULL,
    history_tokens integer NOT NULL,
    truncated integer NOT NULL,
    top_scores real[] NOT NULL,
    gate_score real,
    recall_ms real NOT NULL,
    embedding_ms real,
    search_ms real,
    flags text[] NOT NULL,
    story jsonb NOT NULL,
    turn_key text,
    found_by text,
    budget integer,
    block_tokens integer,
    given jsonb,
    marked boolean,
    complains boolean,
    PRIMARY KEY (user_id, id)
) PARTITION BY RANGE (id);

COMMENT ON COLUMN request_metrics.turn_key IS 'By which the message log knows its question: there secrets are masked, and it can be forgotten.';
COMMENT ON COLUMN request_metrics.found_by IS 'Which way the search went: dense, lexical, important, none.';
COMMENT ON COLUMN request_metrics.budget IS 'Tokens that the turn''s memories might take.';
COMMENT ON COLUMN request_metrics.block_tokens IS 'Tokens that they took.';
COMMENT ON COLUMN request_metrics.given IS 'How many went into the prompt, by what they are: statements, log, summaries, profile.';
COMMENT ON COLUMN request_metrics.marked IS 'Somebody called the message valuable by hand.';
COMMENT ON COLUMN request_metrics.complains IS 'The message says that something told was forgotten.';

CREATE INDEX request_metrics_at ON request_metrics (at);
CREATE INDEX request_metrics_id ON request_metrics (id);

ALTER TABLE request_metrics ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY of_the_user ON request_metrics USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY over_all_users ON request_metrics
    USING (current_setting('recollect.over_all_users', true) = 'on');

-- Requests without a day of their own: from a clock that is wrong, or restored from long ago. Policies belong to the whole table:
-- a part has none, so that no transaction of a user reads it by its own name.
CREATE TABLE request_metrics_rest PARTITION OF request_metrics DEFAULT;
ALTER TABLE request_metrics_rest ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

-- Make the part of a day; return false if there is one, or other parts hold that day. Not as the role of users' transactions.
CREATE FUNCTION add_request_day(day date) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    name text := 'request_metrics_' || to_char(day, 'YYYYMMDD');
    begins timestamptz := day::timestamp AT TIME ZONE 'UTC';
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('request_metrics', 0));
    IF to_regclass('recollect.' || name) IS NOT NULL THEN
        RETURN false;
    END IF;
    EXECUTE format('CREATE TABLE recollect.%I (LIKE recollect.request_metrics INCLUDING DEFAULTS)', name);
    EXECUTE format('ALTER TABLE recollect.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
    EXECUTE format(
        'ALTER TABLE recollect.request_metrics ATTACH PARTITION recollect.%I FOR VALUES FROM (%L) TO (%L)',
        name, first_id_of(begins), first_id_of(begins + interval '1 day')
    );
    RETURN true;
EXCEPTION
    -- Another part holds it, or the rest holds rows of it: those are deleted one by one.
    WHEN invalid_object_definition OR check_violation OR lock_not_available OR insufficient_privilege THEN
        RETURN false;
END
$$;

-- Drop the parts that end before a time, and return how many rows they had. A part that is in use is left for the next time.
CREATE FUNCTION drop_request_days(before timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    part record;
    gone bigint := 0;
    held bigint;
BEGIN
    FOR part IN
        SELECT c.relname AS name, substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([0-9a-f-]{36})''\)')::uuid AS ends
        FROM pg_inherits AS i
        JOIN pg_class AS c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'recollect.request_metrics'::regclass
    LOOP
        CONTINUE WHEN part.ends IS NULL OR part.ends > first_id_of(before);
        BEGIN
            SELECT count(*) INTO held FROM recollect.request_metrics AS r WHERE r.tableoid = format('recollect.%I', part.name)::regclass;
            EXECUTE format('DROP TABLE recollect.%I', part.name);
            gone := gone + held;
        EXCEPTION WHEN lock_not_available OR insufficient_privilege THEN
            CONTINUE;
        END;
    END LOOP;
    RETURN gone;
END
$$;

-- Count what there is over all users, user by user: each is seen under their own policies, so none has to open texts to the
-- operator. It runs as its caller, over all users.
CREATE FUNCTION count_everything(
    OUT users bigint, OUT sessions bigint, OUT messages bigint, OUT chunks bigint, OUT memories bigint, OUT summaries bigint,
    OUT summaries_made bigint, OUT summaries_kept bigint, OUT profile_consents bigint
) LANGUAGE plpgsql AS $$
DECLARE
    person text;
    counted record;
BEGIN
    users := 0; sessions := 0; messages := 0; chunks := 0; memories := 0; summaries := 0;
    summaries_made := 0; summaries_kept := 0;
    SELECT count(*) INTO profile_consents
    FROM user_settings AS u
    WHERE u.user_id <> '*' AND u.flags ->> 'profile' = 'true';
    FOR person IN SELECT e.user_id FROM exchanges AS e UNION SELECT l.user_id FROM users_vectors AS l LOOP
        PERFORM set_config('recollect.user_id', person, true);
        SELECT
            (SELECT count(*) FROM messages AS m WHERE m.user_id = person) AS messages,
            (SELECT count(*) FROM message_chunks AS k WHERE k.user_id = person) AS chunks,
            (SELECT count(*) FROM users_vectors AS l WHERE l.user_id = person) AS memories,
            (
                SELECT count(*) FROM vectors AS v
                WHERE v.owner = person AND v.kind = 'summary' AND v.valid_to IS NULL
            ) AS summaries,
            s.sessions, s.made, s.kept
        INTO counted
        FROM (
            SELECT count(*) AS sessions, coalesce(sum(c.summaries_made), 0) AS made,
                coalesce(sum(c.summaries_kept), 0) AS kept
            FROM sessions AS c
            WHERE c.user_id = person
        ) AS s;
        users := users + (person = person_of(person))::integer;
        sessions := sessions + counted.sessions;
        messages := messages + counted.messages;
        chunks := chunks + counted.chunks;
        memories := memories + counted.memories;
        summaries := summaries + counted.summaries;
        summaries_made := summaries_made + counted.made;
        summaries_kept := summaries_kept + counted.kept;
    END LOOP;
    PERFORM set_config('recollect.user_id', '', true);
END
$$;

SELECT add_request_day((now() AT TIME ZONE 'UTC')::date);
