-- Versions: processes keep a user's memory, and ask for what changed since the version they have.
--
-- A row for each user who has anything, and one for the commons ('*'). The first change of a transaction raises the version and locks
-- the row until the end, so versions rise in the order of commits. Each changed row carries the version in `changed`: a reader that
-- has an older one reads the rows above it. What is removed leaves no such row: then the floor is raised to the version, and a reader
-- below the floor reads all. Erasing a user deletes the row last; the next change makes it again with another epoch.
--
-- Locks are taken in one order: of a project its person's, shared; of a member's part the team's, shared for a turn; the user's (pg_advisory_xact_lock), that of the commons, the user's row, the row of the commons.
-- Without the first two, transactions that lock rows of a table in different orders would wait crosswise.

CREATE TABLE users (
    user_id text PRIMARY KEY,
    epoch uuid NOT NULL DEFAULT gen_random_uuid(),
    statements_version bigint NOT NULL DEFAULT 0,
    statements_floor bigint NOT NULL DEFAULT 0,
    log_version bigint NOT NULL DEFAULT 0,
    log_floor bigint NOT NULL DEFAULT 0,
    next_document integer NOT NULL DEFAULT 0,
    reading smallint,
    reread_to uuid,
    embedded_at timestamptz,
    updates bigint NOT NULL DEFAULT 0,
    updates_sent bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

COMMENT ON COLUMN users.epoch IS 'Another one whenever the row is made: who has an older one reads all.';
COMMENT ON COLUMN users.statements_version IS 'Of memories, links to them (but for how often they were used), and confirmed entries of the profile.';
COMMENT ON COLUMN users.statements_floor IS 'The version in which a memory or a link was last removed.';
COMMENT ON COLUMN users.log_version IS 'Of chunks, their embeddings, and what chunks show of their messages.';
COMMENT ON COLUMN users.log_floor IS 'The version in which a chunk was last removed.';
COMMENT ON COLUMN users.next_document IS 'The number of the next chunk of a message.';
COMMENT ON COLUMN users.reading IS 'By which reading the user''s messages were indexed; -1: all are to be indexed again; NULL: none was.';
COMMENT ON COLUMN users.reread_to IS 'The last message that was indexed again.';
COMMENT ON COLUMN users.updates IS 'The number of the last row of the user''s audit.';
COMMENT ON COLUMN users.updates_sent IS 'Up to which of these numbers a webhook has been sent.';
COMMENT ON COLUMN users.embedded_at IS 'When nothing of the user''s was found that lacks an embedding of those in use; NULL: not known.';

ALTER TABLE users ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY of_the_user ON users USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_person ON users FOR SELECT
    USING (user_id = person_of(current_setting('recollect.user_id', true)));
-- Whoever shares a memory raises the version of the commons.
CREATE POLICY commons_seen ON users FOR SELECT USING (user_id = '*');
CREATE POLICY commons_added ON users FOR INSERT WITH CHECK (user_id = '*');
CREATE POLICY commons_raised ON users FOR UPDATE USING (user_id = '*');
-- The operator sees whose memory changed. It holds no text.
CREATE POLICY over_all_users ON users FOR SELECT
    USING (current_setting('recollect.over_all_users', true) = 'on');
CREATE POLICY raised_by_the_operator ON users FOR UPDATE
    USING (current_setting('recollect.over_all_users', true) = 'on');

-- Finds the users of whom a webhook is to be sent something.
CREATE INDEX users_unsent ON users (user_id) WHERE updates > updates_sent;

-- The row of the user stays locked until the commit, so numbers rise in the order of commits, as versions do.
CREATE FUNCTION number_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO recollect.users AS u (user_id, updates) VALUES (NEW.user_id, 1)
    ON CONFLICT (user_id) DO UPDATE SET updates = u.updates + 1
    RETURNING u.updates INTO NEW.number;
    RETURN NEW;
END
$$;

CREATE TRIGGER number BEFORE INSERT ON memory_updates FOR EACH ROW EXECUTE FUNCTION number_update();

CREATE TRIGGER note_project AFTER INSERT ON users FOR EACH ROW
    WHEN (person_of(NEW.user_id) <> NEW.user_id) EXECUTE FUNCTION note_project_of_row();

-- An epoch as this run of the server has it, and this file of the table. A server that was restored or failed over, or whose tables
-- were filled from a dump while it ran, may have given the versions that a process knows to other changes: then that process must know
-- none of them.
CREATE FUNCTION epoch_here(epoch uuid) RETURNS uuid LANGUAGE sql STABLE AS $$
    SELECT md5(epoch::text || pg_postmaster_start_time()::text || pg_relation_filenode('recollect.users')::text)::uuid
$$;

-- The members of the team of someone's part, as `members_around` has them, each with the versions of their part: an array in the order
-- of the columns, without those of the commons. NULL where the person is not in the team. Versions hold no text, so the operator may see them.
CREATE FUNCTION versions_around(part text) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
    members jsonb := members_around(part);
    found jsonb;
BEGIN
    PERFORM set_config('recollect.over_all_users', 'on', true);
    SELECT jsonb_object_agg(m.key, m.value || jsonb_build_object('versions', jsonb_build_array(
        epoch_here(u.epoch), u.statements_version, u.statements_floor, u.log_version, u.log_floor
    ))) INTO found
    FROM jsonb_each(members) AS m
    LEFT JOIN users AS u ON u.user_id = m.key || chr(31) || 'team:' || team_of(part);
    PERFORM set_config('recollect.over_all_users', '', true);
    RETURN found;
END
$$;

-- Raise a version ('statements' or 'log') of a user once in this transaction, for a removal with its floor, and return it. A setting
-- of the transaction remembers the number, negative with the floor, and the user. A savepoint that is rolled back takes both back.
CREATE FUNCTION raise_version(person text, part text, is_removal boolean) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    setting text := 'recollect.' || part || CASE WHEN person = '*' THEN '_of_commons' ELSE '_version' END;
    known text := current_setting(setting, true);
    sharing text := current_setting('recollect.user_id', true);
    raised bigint;
BEGIN
    IF substr(known, strpos(known, ' ') + 1) = person THEN
        raised := split_part(known, ' ', 1)::bigint;
        IF raised < 0 OR NOT is_removal THEN
            RETURN abs(raised);
        END IF;
        UPDATE recollect.users AS u
        SET statements_floor = CASE part WHEN 'statements' THEN u.statements_version ELSE u.statements_floor END,
            log_floor = CASE part WHEN 'log' THEN u.log_version ELSE u.log_floor END
        WHERE u.user_id = person;
    ELSE
        IF person = '*' AND sharing <> '' THEN  -- the order of locks
            PERFORM recollect.raise_version(sharing, 'statements', false);
        END IF;
        INSERT INTO recollect.users AS u (user_id, statements_version, statements_floor, log_version, log_floor)
        VALUES (
            person, (part = 'statements')::integer, (part = 'statements' AND is_removal)::integer,
            (part = 'log')::integer, (part = 'log' AND is_removal)::integer
        )
        ON CONFLICT (user_id) DO UPDATE
        SET statements_version = u.statements_version + excluded.statements_version,
            log_version = u.log_version + excluded.log_version,
            statements_floor = CASE excluded.statements_floor WHEN 1 THEN u.statements_version + 1 ELSE u.statements_floor END,
            log_floor = CASE excluded.log_floor WHEN 1 THEN u.log_version + 1 ELSE u.log_floor END
        RETURNING CASE part WHEN 'log' THEN u.log_version ELSE u.statements_version END INTO raised;
    END IF;
    PERFORM set_config(setting, CASE WHEN is_removal THEN '-' ELSE '' END || raised || ' ' || person, true);
    RETURN raised;
END
$$;

-- A memory that is past no longer has no link to remove.
CREATE FUNCTION version_vector() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed := recollect.raise_version(
        NEW.owner, 'statements', TG_OP = 'UPDATE' AND OLD.ended_at IS NOT NULL AND NEW.ended_at IS NULL
    );
    RETURN NEW;
END
$$;

CREATE FUNCTION version_removed_vector() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM recollect.raise_version(OLD.owner, 'statements', true);
    RETURN NULL;
END
$$;

CREATE TRIGGER version BEFORE INSERT OR UPDATE ON vectors FOR EACH ROW EXECUTE FUNCTION version_vector();
CREATE TRIGGER version_of_removal AFTER DELETE ON vectors FOR EACH ROW EXECUTE FUNCTION version_removed_vector();

CREATE FUNCTION version_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed := recollect.raise_version(NEW.user_id, 'statements', false);
    IF TG_OP = 'INSERT' THEN  -- it may have come back
        NEW.not_helpful := EXISTS (
            SELECT FROM recollect.not_helpful AS n WHERE n.user_id = NEW.user_id AND n.memory_id = NEW.vector_id
        );
    END IF;
    RETURN NEW;
END
$$;

CREATE FUNCTION version_removed_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM recollect.raise_version(OLD.user_id, 'statements', true);
    RETURN NULL;
END
$$;

CREATE TRIGGER version_of_insert BEFORE INSERT ON users_vectors FOR EACH ROW EXECUTE FUNCTION version_link();
-- Not the counters of use: else a recall would outdate what it read.
CREATE TRIGGER version BEFORE UPDATE OF user_id, vector_id, owner, content_hash, linked_at, doubt, expires_at ON users_vectors FOR EACH ROW
    WHEN (
        (OLD.user_id, OLD.vector_id, OLD.owner, OLD.content_hash, OLD.linked_at, OLD.doubt, OLD.expires_at)
        IS DISTINCT FROM (NEW.user_id, NEW.vector_id, NEW.owner, NEW.content_hash, NEW.linked_at, NEW.doubt, NEW.expires_at)
    )
    EXECUTE FUNCTION version_link();
CREATE TRIGGER version_of_removal AFTER DELETE ON users_vectors FOR EACH ROW EXECUTE FUNCTION version_removed_link();

-- A profile is read whole when the version has risen, so its rows carry none.
CREATE FUNCTION version_profile() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.state = 'confirmed' THEN
        PERFORM recollect.raise_version(OLD.user_id, 'statements', false);
    ELSIF TG_OP <> 'DELETE' AND NEW.state = 'confirmed' THEN
        PERFORM recollect.raise_version(NEW.user_id, 'statements', false);
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER version AFTER INSERT OR UPDATE OR DELETE ON profile_entries FOR EACH ROW EXECUTE FUNCTION version_profile();

CREATE FUNCTION version_not_helpful() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    row record := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    UPDATE recollect.users_vectors
    SET changed = recollect.raise_version(row.user_id, 'statements', false), not_helpful = EXISTS (
        SELECT FROM recollect.not_helpful AS n WHERE n.user_id = row.user_id AND n.memory_id = row.memory_id
    )
    WHERE user_id = row.user_id AND vector_id = row.memory_id;
    IF NOT FOUND THEN  -- the memory may be past: its own trigger writes the version
        UPDATE recollect.vectors SET ended_at = ended_at
        WHERE owner = row.user_id AND id = row.memory_id AND ended_at IS NOT NULL;
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER version AFTER INSERT OR UPDATE OR DELETE ON not_helpful FOR EACH ROW EXECUTE FUNCTION version_not_helpful();

CREATE FUNCTION version_chunk() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed := recollect.raise_version(NEW.user_id, 'log', false);
    RETURN NEW;
END
$$;

CREATE FUNCTION version_removed_chunk() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM recollect.raise_version(OLD.user_id, 'log', true);
    RETURN NULL;
END
$$;

CREATE TRIGGER version BEFORE INSERT OR UPDATE ON message_chunks FOR EACH ROW EXECUTE FUNCTION version_chunk();
CREATE TRIGGER version_of_removal AFTER DELETE ON message_chunks FOR EACH ROW EXECUTE FUNCTION version_removed_chunk();

CREATE FUNCTION version_chunk_of_embedding() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    place record := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    version bigint := recollect.raise_version(place.user_id, 'log', false);
BEGIN
    UPDATE recollect.message_chunks AS k SET changed = version
    WHERE k.user_id = place.user_id AND k.document = place.document AND k.changed <> version;
    RETURN NULL;
END
$$;

CREATE TRIGGER version AFTER INSERT OR UPDATE OR DELETE ON chunk_vectors FOR EACH ROW
    EXECUTE FUNCTION version_chunk_of_embedding();

-- A message that has no chunks yet raises nothing: no passage shows it.
CREATE FUNCTION version_chunks_of_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE recollect.message_chunks AS k SET changed = 0 WHERE k.user_id = OLD.user_id AND k.message_id = OLD.id;
    IF FOUND AND (TG_OP = 'DELETE' OR NEW.hidden) THEN
        PERFORM recollect.raise_version(OLD.user_id, 'log', true);
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER version AFTER UPDATE OF
    session_id, turn_index, role, speaker, content, alternate, created_at, exchange_id, hidden, changed_at, marked, self_share,
    states_taste, lists, words
ON messages FOR EACH ROW
    WHEN (
        (
            OLD.session_id, OLD.turn_index, OLD.role, OLD.speaker, OLD.content, OLD.alternate, OLD.created_at, OLD.exchange_id,
            OLD.hidden, OLD.changed_at, OLD.marked, OLD.self_share, OLD.states_taste, OLD.lists, OLD.words
        ) IS DISTINCT FROM (
            NEW.session_id, NEW.turn_index, NEW.role, NEW.speaker, NEW.content, NEW.alternate, NEW.created_at, NEW.exchange_id,
            NEW.hidden, NEW.changed_at, NEW.marked, NEW.self_share, NEW.states_taste, NEW.lists, NEW.words
        )
    )
    EXECUTE FUNCTION version_chunks_of_message();
CREATE TRIGGER version_of_removal AFTER DELETE ON messages FOR EACH ROW EXECUTE FUNCTION version_chunks_of_message();
