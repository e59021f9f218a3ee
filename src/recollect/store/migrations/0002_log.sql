-- The message log: sessions, messages, exchanges and their state, chunks for search, and what each chat was given.

CREATE TABLE sessions (
    user_id text NOT NULL,
    id text NOT NULL,
    started_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    next_turn_index integer NOT NULL,
    summarized_turn integer NOT NULL DEFAULT -1,
    summary_asked_at timestamptz,
    summaries_made integer NOT NULL DEFAULT 0,
    summaries_kept integer NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, id)
) WITH (fillfactor = 75);

COMMENT ON COLUMN sessions.summarized_turn IS 'The last turn that the chat''s summary covers.';
COMMENT ON COLUMN sessions.summary_asked_at IS 'Since when somebody waits for a summary; such a chat comes before those that are due.';
COMMENT ON COLUMN sessions.summaries_kept IS 'Of the summaries made: those that said something, and were kept.';

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
    indexed boolean NOT NULL DEFAULT false,
    hidden boolean NOT NULL DEFAULT false,
    changed_at timestamptz,
    marked boolean NOT NULL DEFAULT false,
    self_share real,
    states_taste boolean,
    lists boolean,
    words integer,
    PRIMARY KEY (user_id, id)
);

COMMENT ON COLUMN messages.hidden IS 'Something formed from it was deleted: it is recalled no more.';
COMMENT ON COLUMN messages.changed_at IS 'Since when something formed from it is no longer so.';
COMMENT ON COLUMN messages.marked IS 'Somebody called it valuable.';
COMMENT ON COLUMN messages.self_share IS 'This and the following: what its words show, read when it is indexed.';

CREATE INDEX messages_in_order ON messages (user_id, session_id, turn_index);
CREATE INDEX messages_unindexed ON messages (user_id, id) WHERE NOT indexed AND NOT alternate;
CREATE INDEX messages_of_exchanges ON messages (user_id, exchange_id);

-- A turn and its answer. It is written before it is answered, and open while its answer is under way.
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
    state text NOT NULL CHECK (state IN ('open', 'pending', 'formed', 'failed', 'abandoned')),
    attempts integer NOT NULL DEFAULT 0,
    not_before timestamptz NOT NULL,
    error text,
    fallback text,
    formed_at timestamptz,
    carried integer,
    anchor text,
    parent text,
    asking uuid[] NOT NULL DEFAULT '{}',
    told_with text,
    unanswered boolean NOT NULL DEFAULT false,
    made jsonb,
    upstream text NOT NULL DEFAULT '',
    waits_for text,
    wakes_at timestamptz,
    waits integer NOT NULL DEFAULT 0,
    asked text,
    answer_ids text[] NOT NULL DEFAULT '{}',
    arrived_at timestamptz DEFAULT now(),
    answered text,
    failed_at text,
    failed_status integer,
    partial text,
    erased_at timestamptz,
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, session_id, key)
);

COMMENT ON COLUMN exchanges.fallback IS 'Why no model has read a formed exchange: it can be formed again.';
COMMENT ON COLUMN exchanges.carried IS 'Messages of user and assistant that the request carried before the turn; NULL: not counted.';
COMMENT ON COLUMN exchanges.anchor IS 'The key by which the user''s message is known again in the chat''s later requests.';
COMMENT ON COLUMN exchanges.parent IS 'The message before the turn: two turns with one parent are two versions of one message.';
COMMENT ON COLUMN exchanges.asking IS 'The requests that ask for its answer.';
COMMENT ON COLUMN exchanges.told_with IS 'The chat and the turn with whose answer was shown what this one taught, as CHAT/KEY; NULL: none yet.';
COMMENT ON COLUMN exchanges.unanswered IS 'The model failed to answer it, or its answer is unknown; it may still be answered late.';
COMMENT ON COLUMN exchanges.made IS 'How often formation did what with it, and why it kept what not.';
COMMENT ON COLUMN exchanges.upstream IS 'The LLM server it was said to, by the operator''s name; it forms it where no other extracts.';
COMMENT ON COLUMN exchanges.waits_for IS 'What is missing while no model can be asked.';
COMMENT ON COLUMN exchanges.wakes_at IS 'When it is tried again by itself; NULL: when something changes.';
COMMENT ON COLUMN exchanges.waits IS 'How often it was tried in vain.';
COMMENT ON COLUMN exchanges.asked IS 'The model that was asked.';
COMMENT ON COLUMN exchanges.answer_ids IS 'The ids under which the LLM server keeps its answers: a request may name its chat by one alone.';
COMMENT ON COLUMN exchanges.arrived_at IS 'When it came to the log: an imported one was said long before.';
COMMENT ON COLUMN exchanges.answered IS 'The end of the answer before the turn, as its request carries it; NULL: the log has that answer.';
COMMENT ON COLUMN exchanges.failed_at IS 'The stage at which the answer failed: connect, head, stream or client.';
COMMENT ON COLUMN exchanges.failed_status IS 'The status of the error that the LLM server answered with.';
COMMENT ON COLUMN exchanges.partial IS 'The part of a failed answer, secrets masked. Not in messages: it is neither recalled nor learned from.';
COMMENT ON COLUMN exchanges.erased_at IS 'When its text was deleted on request. The row stays, so that nothing writes the text again.';

CREATE INDEX exchanges_in_order ON exchanges (user_id, session_id, turn_index);
CREATE INDEX exchanges_of_parent ON exchanges (user_id, session_id, parent) WHERE parent IS NOT NULL;
CREATE INDEX exchanges_open ON exchanges (user_id, session_id) WHERE state = 'open';
CREATE INDEX exchanges_pending ON exchanges (user_id, id) WHERE state = 'pending';
CREATE INDEX exchanges_failed ON exchanges (user_id, id) WHERE state = 'failed';
CREATE INDEX exchanges_due ON exchanges (user_id, id) WHERE state = 'pending' AND waits_for IS NULL;
CREATE INDEX exchanges_waiting ON exchanges (user_id, upstream, id) WHERE state = 'pending' AND waits_for IS NOT NULL;
CREATE INDEX exchanges_unread ON exchanges (user_id, id) WHERE state = 'formed' AND fallback IS NOT NULL;
-- Finds what else the button under an answer takes back.
CREATE INDEX exchanges_told ON exchanges (user_id, told_with) WHERE told_with <> '';
-- A request mostly names one of the last answers: those with an id are read from the newest. Row-level security lets no index over
-- the ids themselves be used.
CREATE INDEX exchanges_with_answer_ids ON exchanges (user_id, said_at DESC) WHERE answer_ids <> '{}';

-- The place of a chunk in its message, in characters; the text itself stands in the log alone.
CREATE TABLE message_chunks (
    user_id text NOT NULL,
    document integer NOT NULL,
    message_id uuid NOT NULL,
    part integer NOT NULL,
    begins integer NOT NULL,
    ends integer NOT NULL,
    code boolean NOT NULL,
    terms text NOT NULL,
    counts bytea NOT NULL,
    length integer NOT NULL,
    embeddable boolean NOT NULL,
    embedding_model text,
    pasted boolean NOT NULL DEFAULT false,
    cuts integer[],
    followed boolean NOT NULL DEFAULT false,
    changed bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, document)
) WITH (fillfactor = 90);

-- ANALYZE would keep words of it.
ALTER TABLE message_chunks ALTER COLUMN terms SET STATISTICS 0, ALTER COLUMN counts SET STATISTICS 0;

COMMENT ON COLUMN message_chunks.terms IS 'The terms by which it is found, a line each; also those of its context.';
COMMENT ON COLUMN message_chunks.counts IS 'Two bytes a term: how often it stands there with the context, and in its own text alone.';
COMMENT ON COLUMN message_chunks.length IS 'How many terms it has, the context included.';
COMMENT ON COLUMN message_chunks.embeddable IS 'Whether it is to have embeddings.';
COMMENT ON COLUMN message_chunks.embedding_model IS 'Of the embeddings it has, in chunk_vectors.';
COMMENT ON COLUMN message_chunks.pasted IS 'It holds what others wrote, or a machine did.';
COMMENT ON COLUMN message_chunks.cuts IS 'Where in the message others'' words begin and end, by turns, within the chunk.';
COMMENT ON COLUMN message_chunks.changed IS 'The log_version (users) in which it, its embeddings or its message were last changed.';
COMMENT ON COLUMN message_chunks.followed IS 'Its context holds the beginning of the message after its own.';

CREATE INDEX message_chunks_changed ON message_chunks (user_id, changed);
CREATE INDEX message_chunks_of_messages ON message_chunks (user_id, message_id, part);

-- The embeddings of a chunk: one for each window that the embedder can read.
CREATE TABLE chunk_vectors (
    user_id text NOT NULL,
    document integer NOT NULL,
    piece smallint NOT NULL,
    "values" halfvec NOT NULL,
    embedding_model text NOT NULL,
    PRIMARY KEY (user_id, document, piece)
) WITH (toast_tuple_target = 8160);

ALTER TABLE chunk_vectors
    ALTER COLUMN user_id SET STORAGE MAIN,
    ALTER COLUMN "values" SET STORAGE MAIN,
    ALTER COLUMN embedding_model SET STORAGE MAIN;

-- What was added to a chat's prompts, so that it can be added again byte for byte. `anchor` is the key of the user's message;
-- `items` are the memories and messages that the block speaks of.
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
    standing boolean NOT NULL DEFAULT false,
    PRIMARY KEY (user_id, session_id, anchor)
);

COMMENT ON COLUMN injections.detached IS 'It is attached no more: the chat had too many.';
COMMENT ON COLUMN injections.standing IS 'Whether the block holds what stands in every chat.';

-- What people ask of the memory in a chat by pointing at something: a number of a list, or what was just done. `items` are the
-- memories that were listed with the answer, in the order of their numbers, or that it took away.
CREATE TABLE chat_requests (
    user_id text NOT NULL,
    session_id text NOT NULL,
    anchor text NOT NULL,
    asking text NOT NULL,
    items uuid[] NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (user_id, session_id, anchor)
);

CREATE TABLE chats_left_out (
    user_id text NOT NULL,
    session_id text NOT NULL,
    since timestamptz NOT NULL,
    PRIMARY KEY (user_id, session_id)
);

COMMENT ON TABLE chats_left_out IS 'The user wants nothing of these chats to be logged or formed.';

ALTER TABLE sessions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE messages ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE exchanges ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE message_chunks ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE chunk_vectors ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE injections ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE chat_requests ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE chats_left_out ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY of_the_user ON sessions USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON messages USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON exchanges USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON message_chunks USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON chunk_vectors USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON injections USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY seen_by_the_person ON injections FOR SELECT
    USING (person_of(user_id) = current_setting('recollect.user_id', true));
CREATE POLICY deleted_by_the_person ON injections FOR DELETE
    USING (person_of(user_id) = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON chat_requests USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON chats_left_out USING (user_id = current_setting('recollect.user_id', true));

CREATE TRIGGER note_project AFTER INSERT ON sessions FOR EACH ROW
    WHEN (person_of(NEW.user_id) <> NEW.user_id) EXECUTE FUNCTION note_project_of_row();

-- The operator sees all pending work. It takes what serves nobody any more out of prompts.
CREATE POLICY over_all_users ON exchanges
    USING (current_setting('recollect.over_all_users', true) = 'on');
CREATE POLICY seen_by_the_operator ON injections FOR SELECT
    USING (current_setting('recollect.over_all_users', true) = 'on');
CREATE POLICY deleted_by_the_operator ON injections FOR DELETE
    USING (current_setting('recollect.over_all_users', true) = 'on');
