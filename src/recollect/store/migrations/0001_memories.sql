-- Memories, links from users to memories, and what belongs to them: audit, quarantine, profile, settings.
--
-- Every table leads with its user, in its primary key and indexes, so that it can be distributed by user. No foreign keys: a link's
-- user and its memory's owner may differ (the commons, owner '*'), and transactions under the user's lock keep the tables in step.
--
-- Row-level security is a second wall behind the predicate of every query: a transaction sees and writes the rows of its user
-- alone, and none without a user. FORCE binds the owner of the tables too. A superuser or a role with BYPASSRLS takes on
-- recollect_user for its users' transactions: a role that owns nothing. The operator's statements set recollect.over_all_users.

-- A user is a person, or a project of a person: the person's id, U+001F and the project's name. All that keeps users apart keeps
-- projects apart. A transaction of a project may read its person's settings and versions; one of the person may end blocks in
-- prompts of their projects, which may speak of what the person forgets.
CREATE FUNCTION person_of(user_id text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN split_part(user_id, chr(31), 1);

CREATE TABLE projects (
    user_id text PRIMARY KEY,
    owner text NOT NULL,
    title text NOT NULL DEFAULT '',
    alone boolean NOT NULL DEFAULT false,
    -- Of another id its name could not be told, so that nothing would find it, and nothing erase it.
    CHECK (user_id = owner || chr(31) || split_part(user_id, chr(31), 2))
);

CREATE INDEX projects_of_person ON projects (owner, user_id);

COMMENT ON COLUMN projects.user_id IS 'The project''s own id: with U+001F and its name.';
COMMENT ON COLUMN projects.owner IS 'The person.';
COMMENT ON COLUMN projects.title IS 'Its name for people to read; empty: it has no other.';
COMMENT ON COLUMN projects.alone IS 'Whether its chats recall its memories alone, without the person''s own.';

ALTER TABLE projects ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY of_the_person ON projects
    USING (current_setting('recollect.user_id', true) IN (user_id, owner))
    WITH CHECK (owner = person_of(user_id) AND current_setting('recollect.user_id', true) IN (user_id, owner));

-- The operator looks for the parts of a team.
CREATE POLICY over_all_users ON projects FOR SELECT
    USING (current_setting('recollect.over_all_users', true) = 'on');

-- Note that a person has a project, with the first that is written of it: whoever is erased is erased with all of them.
CREATE FUNCTION note_project(user_id text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO recollect.projects (user_id, owner) VALUES ($1, recollect.person_of($1)) ON CONFLICT DO NOTHING
$$;

-- A team: people who share what each of them states in it. A member's part is a project of theirs, `team:` and the team's id, in which
-- nobody else writes by a chat; the team's memory is what all parts have. So each statement has its speaker in its owner.
CREATE TABLE teams (
    id text PRIMARY KEY,
    title text NOT NULL DEFAULT '',
    members jsonb NOT NULL DEFAULT '{}'
);

COMMENT ON COLUMN teams.members IS 'By a person''s id their role, and their name in prompts. Who is `former` reads nothing; their part stays.';

ALTER TABLE teams ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY of_the_members ON teams FOR SELECT USING (members ? person_of(current_setting('recollect.user_id', true)));
CREATE POLICY over_all_users ON teams USING (current_setting('recollect.over_all_users', true) = 'on');

-- The team of a member's part, by its id; NULL for anything else.
CREATE FUNCTION team_of(user_id text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN substring(split_part(user_id, chr(31), 2) FROM '^team:(.+)$');

-- The members of the team of someone's part, if they are in it: row-level security shows teams to their members alone, also former ones.
CREATE FUNCTION members_around(part text) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT t.members FROM recollect.teams AS t
    WHERE t.id = recollect.team_of($1) AND t.members -> recollect.person_of($1) ->> 'role' <> 'former'
$$;

-- The other scopes recalled in a project: the person's own; and in a team the parts of the other members.
CREATE FUNCTION scopes_around(project text) RETURNS text[] LANGUAGE sql STABLE AS $$
    SELECT recollect.person_of($1) || ARRAY(
        SELECT m.key || chr(31) || 'team:' || recollect.team_of($1)
        FROM jsonb_each(recollect.members_around($1)) AS m
        WHERE m.value ->> 'role' <> 'reader' AND m.key <> recollect.person_of($1)
    )
$$;

-- Delete what was added to prompts of a team's other members, and speaks of one of these items of this part.
CREATE FUNCTION end_blocks_around(part text, ended uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    other text;
    others text[] := ARRAY(
        SELECT m.key || chr(31) || 'team:' || t.id FROM teams AS t, jsonb_each(t.members) AS m
        WHERE t.id = team_of(part) AND m.key <> person_of(part)
    );
BEGIN
    FOREACH other IN ARRAY others LOOP
        PERFORM set_config('recollect.user_id', other, true);
        DELETE FROM injections WHERE user_id = other AND items && ended;
    END LOOP;
    PERFORM set_config('recollect.user_id', part, true);
END
$$;

CREATE FUNCTION note_project_of_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM recollect.note_project(NEW.user_id);
    RETURN NULL;
END
$$;

-- valid_from and valid_to say when a memory was believed; holds_from and holds_until when its content is true.
CREATE TABLE vectors (
    owner text NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    source text NOT NULL,
    valid_from timestamptz NOT NULL,
    valid_to timestamptz,
    content text NOT NULL,
    content_hash bytea NOT NULL,
    "values" halfvec,
    embedding_model text,
    importance real NOT NULL CHECK (importance BETWEEN 0 AND 1),
    confidence real NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    event_at timestamptz,
    observed_at timestamptz NOT NULL,
    session_id text,
    message_ids uuid[] NOT NULL,
    evidence text,
    created_at timestamptz NOT NULL,
    holds_from timestamptz,
    holds_until timestamptz,
    extractor text,
    outline jsonb,
    changed bigint NOT NULL DEFAULT 0,
    terms text,
    counts bytea,
    terms_by smallint,
    use text CHECK (use IN ('always', 'topic', 'asked')),
    topics text[],
    questions text[],
    ended_at timestamptz,
    ended_as text CHECK (ended_as IN ('changed', 'done', 'dropped')),
    heir uuid,
    tags text[] NOT NULL DEFAULT '{}',
    metadata jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (owner, id),
    CHECK (num_nulls(use, topics, questions) IN (0, 3)),
    CHECK ((ended_at IS NULL) = (ended_as IS NULL))
) WITH (toast_tuple_target = 8160);

COMMENT ON COLUMN vectors.outline IS 'The parts of a summary: facts, preferences, decisions, todos, entities.';
COMMENT ON COLUMN vectors."values" IS 'Embeddings end to end: of the content; of a statement with hints then of the content with its topics, and of each question.';
COMMENT ON COLUMN vectors.terms IS 'The terms of its content, a line each; NULL: not read yet.';
COMMENT ON COLUMN vectors.counts IS 'Two bytes a term: how often it stands there, twice.';
COMMENT ON COLUMN vectors.terms_by IS 'The version of the rules by which its terms were read.';
COMMENT ON COLUMN vectors.use IS 'When the statement is needed; NULL: no hints were made yet.';
COMMENT ON COLUMN vectors.topics IS 'Requests that need it.';
COMMENT ON COLUMN vectors.questions IS 'Questions that need it.';
COMMENT ON COLUMN vectors.ended_at IS 'Until when it was true, of the owner''s past; NULL: it is current, or was never true, or is not wanted.';
COMMENT ON COLUMN vectors.heir IS 'The memory that holds since it ended.';
COMMENT ON COLUMN vectors.metadata IS 'A few texts, numbers and truth values by name, of the user''s programs.';
COMMENT ON COLUMN vectors.changed IS 'The version of the owner''s memories in which it changed last.';

-- ANALYZE would keep words of it.
ALTER TABLE vectors
    ALTER COLUMN terms SET STATISTICS 0,
    ALTER COLUMN counts SET STATISTICS 0,
    ALTER COLUMN topics SET STATISTICS 0,
    ALTER COLUMN questions SET STATISTICS 0,
    ALTER COLUMN tags SET STATISTICS 0,
    ALTER COLUMN metadata SET STATISTICS 0;

-- A snapshot reads these columns of each of a user's rows. MAIN and the largest toast_tuple_target keep them in the row while the
-- row fits its page (embeddings of up to about 3,900 dimensions), and still take larger ones; PLAIN would refuse those.
ALTER TABLE vectors
    ALTER COLUMN owner SET STORAGE MAIN,
    ALTER COLUMN kind SET STORAGE MAIN,
    ALTER COLUMN source SET STORAGE MAIN,
    ALTER COLUMN "values" SET STORAGE MAIN,
    ALTER COLUMN embedding_model SET STORAGE MAIN,
    ALTER COLUMN use SET STORAGE MAIN,
    ALTER COLUMN topics SET STORAGE MAIN,
    ALTER COLUMN questions SET STORAGE MAIN,
    ALTER COLUMN tags SET STORAGE MAIN,
    ALTER COLUMN metadata SET STORAGE MAIN;

-- Finds a chat's newest summary among all memories of a user.
CREATE INDEX vectors_summaries ON vectors (owner, session_id, id) WHERE kind = 'summary' AND valid_to IS NULL;
-- Finds what serves everybody for a user who has few memories.
CREATE INDEX vectors_global ON vectors (owner, id) WHERE source = 'global' AND valid_to IS NULL;
-- Finds the memories that changed since a snapshot was read.
CREATE INDEX vectors_changed ON vectors (owner, changed) WHERE valid_to IS NULL;
-- Finds the past.
CREATE INDEX vectors_past ON vectors (owner, changed) WHERE ended_at IS NOT NULL;

-- Finds what was said last, without a look at all of a user's memories.
CREATE INDEX vectors_said ON vectors (owner, observed_at DESC, id DESC) WHERE valid_to IS NULL;
-- Finds what to ask the user about: overdue to-dos, and important statements that are old.
CREATE INDEX vectors_due ON vectors (owner, event_at) WHERE kind = 'todo' AND event_at IS NOT NULL AND valid_to IS NULL;
CREATE INDEX vectors_important ON vectors (owner, importance DESC, id, observed_at) WHERE valid_to IS NULL;

-- Finds the memories that have no hints yet.
CREATE INDEX vectors_unhinted ON vectors (owner, id) WHERE use IS NULL AND valid_to IS NULL;

-- Each recall changes the counters: room in the page lets them change without new index entries.
CREATE TABLE users_vectors (
    user_id text NOT NULL,
    vector_id uuid NOT NULL,
    owner text NOT NULL,
    content_hash bytea NOT NULL,
    linked_at timestamptz NOT NULL,
    last_recalled_at timestamptz,
    recall_count integer NOT NULL DEFAULT 0,
    reinforcement_count integer NOT NULL DEFAULT 0,
    changed bigint NOT NULL DEFAULT 0,
    hints_asked smallint NOT NULL DEFAULT 0,
    doubt text CHECK (doubt IN ('disputed', 'suspect')),
    not_helpful boolean NOT NULL DEFAULT false,
    expires_at timestamptz,
    PRIMARY KEY (user_id, vector_id),
    UNIQUE (user_id, content_hash)
) WITH (fillfactor = 75);

COMMENT ON COLUMN users_vectors.changed IS 'The version of the user''s memories in which it changed last.';
COMMENT ON COLUMN users_vectors.hints_asked IS 'How often a model was asked for the hints of its content and gave none.';
COMMENT ON COLUMN users_vectors.not_helpful IS 'Whether the table not_helpful has rows of it: only then a snapshot looks there.';
COMMENT ON COLUMN users_vectors.doubt IS 'The user''s own view: one user may dispute a memory that another does not.';

COMMENT ON COLUMN users_vectors.expires_at IS 'When the user''s maintenance forgets it; NULL: it has no day of its own.';

-- Finds the memories whose day has come.
CREATE INDEX users_vectors_expiring ON users_vectors (user_id, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX users_vectors_changed ON users_vectors (user_id, changed);
-- Finds shared memories among a user's links.
CREATE INDEX users_vectors_shared ON users_vectors (user_id, vector_id) WHERE owner = '*';

-- The audit. It holds enough to undo each change; by exchange_id all that an edited message taught is undone.
CREATE TABLE memory_updates (
    user_id text NOT NULL,
    id uuid NOT NULL,
    at timestamptz NOT NULL,
    action text NOT NULL,
    actor text NOT NULL,
    reason text NOT NULL,
    memory_id uuid NOT NULL,
    replaced_id uuid,
    before text,
    after text,
    session_id text,
    exchange_id uuid,
    undoes uuid,
    details jsonb NOT NULL DEFAULT '{}',
    number bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, id)
);

COMMENT ON COLUMN memory_updates.number IS 'The user''s rows in the order of commits, which ids are not if the clocks of two processes differ.';

CREATE INDEX memory_updates_in_order ON memory_updates (user_id, number);
CREATE INDEX memory_updates_of_exchange ON memory_updates (user_id, exchange_id) WHERE exchange_id IS NOT NULL;
CREATE INDEX memory_updates_asked ON memory_updates (user_id, session_id, at)
    WHERE reason IN ('asked', 'forgotten', 'corrected');
CREATE INDEX memory_updates_erased ON memory_updates (user_id, session_id) WHERE reason = 'erased';
CREATE INDEX memory_updates_at ON memory_updates (user_id, at);
CREATE INDEX memory_updates_stood_behind ON memory_updates (user_id, memory_id)
    WHERE action = 'restore' AND reason = 'undone'
        OR reason IN ('asked', 'corrected', 'approved', 'edited', 'written');
-- Finds what a person confirmed by hand.
CREATE INDEX memory_updates_confirmed ON memory_updates (user_id, memory_id, at)
    WHERE action = 'reinforce' AND actor IN ('user', 'admin');
-- Finds what opened done to-dos again.
CREATE INDEX memory_updates_opening ON memory_updates (user_id, id) WHERE action = 'restore' AND reason = 'contradicts';
CREATE UNIQUE INDEX memory_updates_undone ON memory_updates (user_id, undoes) WHERE undoes IS NOT NULL;

-- What its user has to approve first. Nothing that recalls reads it. A refused row keeps only the hash, by which the same
-- content is known when it comes again.
CREATE TABLE quarantine (
    user_id text NOT NULL,
    id uuid NOT NULL,
    at timestamptz NOT NULL,
    reason text NOT NULL,
    kind text NOT NULL,
    source text NOT NULL,
    content text NOT NULL,
    content_hash bytea NOT NULL,
    importance real NOT NULL CHECK (importance BETWEEN 0 AND 1),
    confidence real NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    observed_at timestamptz NOT NULL,
    event_at timestamptz,
    holds_from timestamptz,
    holds_until timestamptz,
    session_id text,
    message_ids uuid[] NOT NULL,
    evidence text,
    extractor text,
    created_at timestamptz NOT NULL,
    use text CHECK (use IN ('always', 'topic', 'asked')),
    topics text[],
    questions text[],
    refused boolean NOT NULL DEFAULT false,
    tags text[] NOT NULL DEFAULT '{}',
    metadata jsonb NOT NULL DEFAULT '{}',
    further jsonb NOT NULL DEFAULT '[]',
    expires_at timestamptz,
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, content_hash)
);

COMMENT ON COLUMN quarantine.further IS 'Which other memories its approval replaces, ends or limits.';

-- A proposal to end a statement has the statement's words: it goes with them.
CREATE FUNCTION drop_proposed_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR NEW.content_hash <> OLD.content_hash THEN
        DELETE FROM recollect.quarantine AS q
        WHERE q.user_id = OLD.user_id AND q.reason = 'ended'
            AND q.further @> jsonb_build_array(jsonb_build_object('memory', OLD.vector_id));
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER drop_proposed_end AFTER DELETE OR UPDATE OF content_hash ON users_vectors
    FOR EACH ROW EXECUTE FUNCTION drop_proposed_end();

-- What a user says of themselves, or confirms; kept only while flags ->> 'profile' of their settings allows it. Proposed and
-- refused entries name a memory and have no text: who forgets the memory forgets them, too.
CREATE TABLE profile_entries (
    user_id text NOT NULL,
    id uuid NOT NULL,
    field text NOT NULL,
    state text NOT NULL CHECK (state IN ('proposed', 'confirmed', 'refused')),
    content text,
    content_hash bytea,
    memory_id uuid,
    own_words boolean NOT NULL,
    created_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL,
    "values" halfvec,
    embedding_model text,
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, memory_id),
    UNIQUE (user_id, content_hash),
    CHECK (CASE state WHEN 'confirmed' THEN content IS NOT NULL AND content_hash IS NOT NULL
        ELSE content IS NULL AND content_hash IS NULL AND memory_id IS NOT NULL END)
);

COMMENT ON COLUMN profile_entries.memory_id IS 'The memory that proposed it; NULL: it was written by hand.';
COMMENT ON COLUMN profile_entries.own_words IS 'The person wrote it so: it stays when the memory goes.';

-- Which memories a user called not helpful for a question. Of the question only its embedding is kept here, once it is made.
CREATE TABLE not_helpful (
    user_id text NOT NULL,
    memory_id uuid NOT NULL,
    request_id uuid NOT NULL,
    session_id text NOT NULL,
    message_id uuid NOT NULL,
    at timestamptz NOT NULL,
    "values" halfvec,
    embedding_model text,
    PRIMARY KEY (user_id, memory_id, request_id)
);

COMMENT ON COLUMN not_helpful.request_id IS 'The request that was given the memory.';
COMMENT ON COLUMN not_helpful.message_id IS 'The message with the question.';

-- Changes of settings while the engine runs: of a user, and of '*' for everybody.
CREATE TABLE user_settings (
    user_id text PRIMARY KEY,
    flags jsonb NOT NULL,
    changed_at timestamptz NOT NULL
);

ALTER TABLE vectors ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE users_vectors ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE memory_updates ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE quarantine ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE profile_entries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE not_helpful ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE user_settings ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY of_the_user ON memory_updates USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON quarantine USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON profile_entries USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON not_helpful USING (user_id = current_setting('recollect.user_id', true));
-- The operator counts them.
CREATE POLICY over_all_users ON not_helpful FOR SELECT
    USING (current_setting('recollect.over_all_users', true) = 'on');

-- Every user sees and adds shared memories (owner '*'), and no user changes them. The planner can't tell that this condition and
-- the query's own say the same, and would expect few rows; in coalesce it gives the condition no weight. The SELECT runs once.
CREATE POLICY seen_by_the_user ON vectors FOR SELECT
    USING (coalesce(owner = (SELECT current_setting('recollect.user_id', true)) OR owner = '*', false));
CREATE POLICY added_by_the_user ON vectors FOR INSERT WITH CHECK (
    owner = current_setting('recollect.user_id', true)
    OR owner = '*' AND (source <> 'global' OR current_setting('recollect.over_all_users', true) = 'on')
);
CREATE POLICY changed_by_the_user ON vectors FOR UPDATE
    USING (owner = current_setting('recollect.user_id', true));
CREATE POLICY deleted_by_the_user ON vectors FOR DELETE
    USING (owner = current_setting('recollect.user_id', true));
-- The operator embeds shared memories, and ends those that serve everybody.
CREATE POLICY globals_of_the_operator ON vectors FOR UPDATE
    USING (owner = '*' AND source = 'global' AND current_setting('recollect.over_all_users', true) = 'on');
CREATE POLICY shared_of_the_operator ON vectors FOR UPDATE
    USING (owner = '*' AND current_setting('recollect.over_all_users', true) = 'on');
-- A shared memory goes with the last user who is linked to it.
CREATE POLICY shared_by_nobody ON vectors FOR DELETE
    USING (owner = '*' AND source <> 'global' AND current_setting('recollect.over_all_users', true) = 'on');

-- The operator counts memories. In coalesce, and each setting read once, the planner gives the condition no weight, as above.
CREATE POLICY seen_by_the_user ON users_vectors FOR SELECT USING (coalesce(
    user_id = (SELECT current_setting('recollect.user_id', true))
        OR (SELECT current_setting('recollect.over_all_users', true)) = 'on',
    false
));
CREATE POLICY added_by_the_user ON users_vectors FOR INSERT
    WITH CHECK (user_id = current_setting('recollect.user_id', true));
CREATE POLICY changed_by_the_user ON users_vectors FOR UPDATE
    USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY deleted_by_the_user ON users_vectors FOR DELETE
    USING (user_id = current_setting('recollect.user_id', true));

CREATE POLICY of_the_user ON user_settings
    USING (user_id = current_setting('recollect.user_id', true))
    WITH CHECK (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_person ON user_settings FOR SELECT
    USING (user_id = person_of(current_setting('recollect.user_id', true)));
CREATE POLICY of_everybody ON user_settings FOR SELECT USING (user_id = '*');
CREATE POLICY over_all_users ON user_settings
    USING (current_setting('recollect.over_all_users', true) = 'on');
