-- What was added to a chat's prompts, so that it can be added again byte for byte; and what each request was like.

-- Messages of user and assistant that the request carried before the turn; NULL where nobody counted.
-- The anchor is the key by which the user's message is known again in the chat's later requests.
ALTER TABLE exchanges
    ADD COLUMN carried integer,
    ADD COLUMN anchor text;

CREATE INDEX exchanges_in_order ON exchanges (user_id, session_id, turn_index);

-- Finds a chat's newest summary among all that a user remembers.
CREATE INDEX vectors_summaries ON vectors (owner, session_id, id) WHERE kind = 'summary' AND valid_to IS NULL;

-- `items` are the memories, and the messages of the log, that the block speaks of.
CREATE TABLE injections (
    user_id text NOT NULL,
    session_id text NOT NULL,
    anchor text NOT NULL,
    place text NOT NULL CHECK (place IN ('system', 'beside')),
    block text NOT NULL,
    items uuid[] NOT NULL,
    tokens integer NOT NULL,
    at timestamptz NOT NULL,
    detached boolean NOT NULL DEFAULT false,
    PRIMARY KEY (user_id, session_id, anchor)
);

COMMENT ON COLUMN injections.detached IS 'It is attached no more: the chat had too many.';

-- One row a request, kept for 30 days. `story` tells what was found and why it was taken or left, by ids
-- and scores: no word of anybody.
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
    lexical_ms real,
    search_ms real,
    flags text[] NOT NULL,
    story jsonb NOT NULL,
    PRIMARY KEY (user_id, id)
);

CREATE INDEX request_metrics_at ON request_metrics (at);
CREATE INDEX request_metrics_id ON request_metrics (id);

ALTER TABLE injections ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE request_metrics ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY of_the_user ON injections USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON request_metrics USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY over_all_users ON request_metrics
    USING (current_setting('recollect.over_all_users', true) = 'on');
