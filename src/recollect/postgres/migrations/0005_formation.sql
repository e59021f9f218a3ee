-- Memories worth keeping: what is held back, undone, abandoned, summarized, shared with everybody; and what it cost.

-- Since and until when a memory says it holds; valid_from and valid_to tell since and until when it was believed.
ALTER TABLE vectors
    ADD COLUMN holds_from timestamptz,
    ADD COLUMN holds_until timestamptz,
    ADD COLUMN extractor text,
    ADD COLUMN outline jsonb;

COMMENT ON COLUMN vectors.outline IS 'The parts of a summary: facts, preferences, decisions, todos, entities.';

-- Finds what serves every user who has few memories of their own.
CREATE INDEX vectors_global ON vectors (owner, id) WHERE source = 'global' AND valid_to IS NULL;

-- Of a user's own eyes on a memory: what one disputes, another may not.
ALTER TABLE users_vectors ADD COLUMN standing text CHECK (standing IN ('disputed', 'suspect'));

-- Enough to undo each change. Of its exchange: what an edited message taught is undone.
ALTER TABLE memory_updates
    ADD COLUMN session_id text,
    ADD COLUMN exchange_id uuid,
    ADD COLUMN undoes uuid,
    ADD COLUMN details jsonb NOT NULL DEFAULT '{}';

CREATE INDEX memory_updates_of_exchange ON memory_updates (user_id, exchange_id) WHERE exchange_id IS NOT NULL;
CREATE INDEX memory_updates_asked ON memory_updates (user_id, session_id, at)
    WHERE reason IN ('asked', 'forgotten', 'corrected');
CREATE INDEX memory_updates_at ON memory_updates (user_id, at);
CREATE INDEX memory_updates_stood_behind ON memory_updates (user_id, memory_id)
    WHERE action = 'restore' AND reason = 'undone'
        OR reason IN ('asked', 'corrected', 'approved', 'edited', 'written');
CREATE UNIQUE INDEX memory_updates_undone ON memory_updates (user_id, undoes) WHERE undoes IS NOT NULL;

-- What a turn follows on: two with one parent are two versions of one message.
ALTER TABLE exchanges
    ADD COLUMN parent text,
    DROP CONSTRAINT exchanges_state_check,
    ADD CONSTRAINT exchanges_state_check CHECK (state IN ('pending', 'formed', 'failed', 'abandoned'));

CREATE INDEX exchanges_of_parent ON exchanges (user_id, session_id, parent) WHERE parent IS NOT NULL;

-- Up to which turn the chat's summary goes.
ALTER TABLE sessions ADD COLUMN summarized_turn integer NOT NULL DEFAULT -1;

-- The chats that were there before are not all due at once: what is said in them from now on is summarized. And what was
-- forgotten before it was formed never is. The owner of the tables is bound by no policy where none is forced.
ALTER TABLE sessions NO FORCE ROW LEVEL SECURITY;
ALTER TABLE messages NO FORCE ROW LEVEL SECURITY;
ALTER TABLE exchanges NO FORCE ROW LEVEL SECURITY;
UPDATE sessions SET summarized_turn = next_turn_index - 1;
UPDATE exchanges AS e
SET state = 'formed', formed_at = e.said_at, error = NULL
FROM messages AS said
WHERE e.state IN ('pending', 'failed') AND said.user_id = e.user_id AND said.id = e.message_id AND said.hidden;
ALTER TABLE sessions FORCE ROW LEVEL SECURITY;
ALTER TABLE messages FORCE ROW LEVEL SECURITY;
ALTER TABLE exchanges FORCE ROW LEVEL SECURITY;

-- What a person has to approve first. Nothing that recalls reads it. Of what was refused only the hash is kept, by
-- which it is known when it comes again.
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
    refused boolean NOT NULL DEFAULT false,
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, content_hash)
);

-- What was changed while the engine runs: of a user, and of '*' for everybody.
CREATE TABLE user_settings (
    user_id text PRIMARY KEY,
    flags jsonb NOT NULL,
    changed_at timestamptz NOT NULL
);

-- Tokens that background calls of models took.
CREATE TABLE model_usage (
    user_id text NOT NULL,
    day date NOT NULL,
    tokens bigint NOT NULL,
    calls integer NOT NULL,
    PRIMARY KEY (user_id, day)
);

CREATE INDEX model_usage_day ON model_usage (day);

ALTER TABLE quarantine ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE user_settings ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE model_usage ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY of_the_user ON quarantine USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON model_usage USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY over_all_users ON model_usage FOR SELECT
    USING (current_setting('recollect.over_all_users', true) = 'on');
CREATE POLICY pruned_by_the_operator ON model_usage FOR DELETE
    USING (current_setting('recollect.over_all_users', true) = 'on');
CREATE POLICY of_the_user ON user_settings
    USING (user_id = current_setting('recollect.user_id', true))
    WITH CHECK (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_everybody ON user_settings FOR SELECT USING (user_id = '*');
CREATE POLICY over_all_users ON user_settings
    USING (current_setting('recollect.over_all_users', true) = 'on');

-- The operator's own statements: how many memories there are, and what is kept for everybody. Of two policies beside
-- each other the planner can't tell that the query's own condition says the same, and would take a user's links for a
-- few; in coalesce, and each setting read once, it gives them no weight.
DROP POLICY of_the_user ON users_vectors;
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
-- What was shared and nobody sees any more goes with the last who did.
CREATE POLICY shared_by_nobody ON vectors FOR DELETE
    USING (owner = '*' AND source <> 'global' AND current_setting('recollect.over_all_users', true) = 'on');
-- What serves nobody any more is added to prompts no more.
CREATE POLICY seen_by_the_operator ON injections FOR SELECT
    USING (current_setting('recollect.over_all_users', true) = 'on');
CREATE POLICY deleted_by_the_operator ON injections FOR DELETE
    USING (current_setting('recollect.over_all_users', true) = 'on');
CREATE POLICY globals_of_the_operator ON vectors FOR UPDATE
    USING (owner = '*' AND source = 'global' AND current_setting('recollect.over_all_users', true) = 'on');

-- What serves everybody is added by the operator alone.
DROP POLICY added_by_the_user ON vectors;
CREATE POLICY added_by_the_user ON vectors FOR INSERT WITH CHECK (
    owner = current_setting('recollect.user_id', true)
    OR owner = '*' AND (source <> 'global' OR current_setting('recollect.over_all_users', true) = 'on')
);
