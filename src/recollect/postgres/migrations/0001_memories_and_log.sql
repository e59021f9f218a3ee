-- The memories, who sees them, their audit, the message log and what is still to be formed.
--
-- Every table leads with the user it belongs to, in its primary key and indexes, so that it can be
-- distributed by user. No foreign keys: a link's user and its memory's owner may differ (the
-- commons), and transactions under the user's lock keep the tables in step.

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
    PRIMARY KEY (owner, id)
) WITH (toast_tuple_target = 8160);

-- Retrieval reads these columns of each of a user's rows. MAIN and the largest toast_tuple_target
-- keep them in the row itself while the row fits its page (embeddings of up to about 3,900
-- dimensions), and still take larger ones; PLAIN would refuse those.
ALTER TABLE vectors
    ALTER COLUMN owner SET STORAGE MAIN,
    ALTER COLUMN kind SET STORAGE MAIN,
    ALTER COLUMN source SET STORAGE MAIN,
    ALTER COLUMN "values" SET STORAGE MAIN,
    ALTER COLUMN embedding_model SET STORAGE MAIN;

-- The counters change with every recall: room in the page lets them change without new index entries.
CREATE TABLE users_vectors (
    user_id text NOT NULL,
    vector_id uuid NOT NULL,
    owner text NOT NULL,
    content_hash bytea NOT NULL,
    linked_at timestamptz NOT NULL,
    last_recalled_at timestamptz,
    recall_count integer NOT NULL DEFAULT 0,
    reinforcement_count integer NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, vector_id),
    UNIQUE (user_id, content_hash)
) WITH (fillfactor = 75);

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
    PRIMARY KEY (user_id, id)
);

CREATE TABLE sessions (
    user_id text NOT NULL,
    id text NOT NULL,
    started_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    next_turn_index integer NOT NULL,
    PRIMARY KEY (user_id, id)
) WITH (fillfactor = 75);

CREATE TABLE messages (
    user_id text NOT NULL,
    id uuid NOT NULL,
    session_id text NOT NULL,
    turn_index integer NOT NULL,
    role text NOT NULL,
    speaker text,
    content text NOT NULL,
    tokens integer NOT NULL,
    alternate boolean NOT NULL,
    created_at timestamptz NOT NULL,
    exchange_id uuid NOT NULL,
    PRIMARY KEY (user_id, id)
);

CREATE INDEX messages_in_order ON messages (user_id, session_id, turn_index);

CREATE TABLE exchanges (
    user_id text NOT NULL,
    id uuid NOT NULL,
    session_id text NOT NULL,
    key text NOT NULL,
    turn_index integer NOT NULL,
    message_id uuid NOT NULL,
    reply_id uuid NOT NULL,
    model text NOT NULL,
    authorized boolean NOT NULL,
    said_at timestamptz NOT NULL,
    state text NOT NULL CHECK (state IN ('pending', 'formed', 'failed')),
    attempts integer NOT NULL DEFAULT 0,
    not_before timestamptz NOT NULL,
    error text,
    fallback text,
    formed_at timestamptz,
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, session_id, key)
);

CREATE INDEX exchanges_pending ON exchanges (user_id, id) WHERE state = 'pending';
CREATE INDEX exchanges_failed ON exchanges (user_id, id) WHERE state = 'failed';

CREATE TABLE leases (
    user_id text PRIMARY KEY,
    holder uuid NOT NULL,
    expires_at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Proof that a user was erased: no user, no content.
CREATE TABLE erasures (
    id uuid PRIMARY KEY,
    erased_at timestamptz NOT NULL,
    counts jsonb NOT NULL
);
