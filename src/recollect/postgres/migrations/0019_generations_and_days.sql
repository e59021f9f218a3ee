-- Embeddings of two generations stand beside each other until all are of today's; and what requests were like goes day by day.

-- Versions from before a migration that only adds go on with it; one that takes away says so.
ALTER TABLE recollect.schema_migrations ADD COLUMN IF NOT EXISTS contracts boolean NOT NULL DEFAULT false;

-- Which embedders are in use, or were and have embeddings in the store still. `made_by` says how one is made again: no key.
-- A row goes once nothing of it is left.
CREATE TABLE embedders (
    place text NOT NULL CHECK (place IN ('first', 'second')),
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

ALTER TABLE corpora ADD COLUMN embedded_at timestamptz;

COMMENT ON COLUMN corpora.embedded_at IS 'When nothing of the user''s was found that lacks an embedding of those in use; NULL: not known.';

-- The ids of requests rise with time (RFC 9562, version 7), so a day of requests is a range of ids.
CREATE FUNCTION first_id_of(moment timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT (lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

ALTER TABLE request_metrics RENAME TO request_metrics_before;
ALTER INDEX request_metrics_pkey RENAME TO request_metrics_before_pkey;
ALTER INDEX request_metrics_at RENAME TO request_metrics_before_at;
ALTER INDEX request_metrics_id RENAME TO request_metrics_before_id;

CREATE TABLE request_metrics (LIKE request_metrics_before INCLUDING DEFAULTS INCLUDING COMMENTS)
PARTITION BY RANGE (id);

ALTER TABLE request_metrics ADD PRIMARY KEY (user_id, id);
CREATE INDEX request_metrics_at ON request_metrics (at);
CREATE INDEX request_metrics_id ON request_metrics (id);

ALTER TABLE request_metrics ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY of_the_user ON request_metrics USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY over_all_users ON request_metrics
    USING (current_setting('recollect.over_all_users', true) = 'on');

-- What has no day of its own: from a clock that is wrong, or restored from long ago. Policies are the whole table's: a part
-- has none, so that nobody reads it by its own name.
CREATE TABLE request_metrics_rest PARTITION OF request_metrics DEFAULT;
ALTER TABLE request_metrics_rest ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

-- What was kept until today is one part, which goes as a day goes. It is not copied.
DO $$
DECLARE
    tomorrow uuid := first_id_of(date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + interval '1 day');
BEGIN
    PERFORM set_config('recollect.over_all_users', 'on', true);
    WITH ahead AS (DELETE FROM request_metrics_before WHERE id >= tomorrow RETURNING *)
    INSERT INTO request_metrics SELECT * FROM ahead;
    PERFORM set_config('recollect.over_all_users', '', true);
    EXECUTE format(
        'ALTER TABLE request_metrics ATTACH PARTITION request_metrics_before FOR VALUES FROM (MINVALUE) TO (%L)', tomorrow
    );
END
$$;
DROP POLICY of_the_user ON request_metrics_before;
DROP POLICY over_all_users ON request_metrics_before;

-- Makes the part of a day; false where there is one, or other parts hold that day. Not as the role of users' transactions.
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

-- Drops the parts that end before a time, and returns how many rows they had. A part that is in use is left for the next time.
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
