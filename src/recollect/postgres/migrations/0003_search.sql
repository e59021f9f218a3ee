-- What is said is found again: the log in chunks, and postings of memories and chunks by term.
--
-- A document is what a term stands in: a memory as one user sees it, or a chunk of a message of
-- theirs. It has a number among that user's documents.

ALTER TABLE messages
    ADD COLUMN indexed boolean NOT NULL DEFAULT false,
    ADD COLUMN hidden boolean NOT NULL DEFAULT false,
    ADD COLUMN changed_at timestamptz,
    ADD COLUMN marked boolean NOT NULL DEFAULT false,
    ADD COLUMN self_share real,
    ADD COLUMN states_taste boolean,
    ADD COLUMN ends_asking boolean,
    ADD COLUMN lists boolean,
    ADD COLUMN words integer;

COMMENT ON COLUMN messages.self_share IS 'This and the following: what its words show, read when it is indexed.';

COMMENT ON COLUMN messages.hidden IS 'Something formed from it was deleted: it is recalled no more.';
COMMENT ON COLUMN messages.changed_at IS 'Since when something formed from it is no longer so.';
COMMENT ON COLUMN messages.marked IS 'Somebody called it valuable.';

CREATE INDEX messages_unindexed ON messages (user_id, id) WHERE NOT indexed AND NOT alternate;
CREATE INDEX messages_of_exchanges ON messages (user_id, exchange_id);

ALTER TABLE users_vectors ADD COLUMN document integer;

CREATE INDEX users_vectors_unindexed ON users_vectors (user_id, vector_id) WHERE document IS NULL;
CREATE INDEX users_vectors_documents ON users_vectors (user_id, document);

-- How many documents a user has, and of how many terms: what BM25 weighs by.
CREATE TABLE corpora (
    user_id text PRIMARY KEY,
    next_document integer NOT NULL,
    documents integer NOT NULL,
    terms bigint NOT NULL
) WITH (fillfactor = 50);

-- Which documents a term stands in: a row for 1,024 documents, so that one word more rewrites little, and
-- each document as eight bytes, which postings.py knows to read. A row or an index entry for each would take
-- ten times the room.
-- The equality of texts is leakproof, so row-level security lets this index be used; the operators of a GIN
-- index are not, and under it would never be. "C": a term is looked up by how it begins, too.
CREATE TABLE postings (
    user_id text NOT NULL,
    term text COLLATE "C" NOT NULL,
    block integer NOT NULL,
    entries bytea NOT NULL,
    PRIMARY KEY (user_id, term, block)
) WITH (fillfactor = 80, toast_tuple_target = 8160);

-- Where in its message a chunk stands, in characters; the text itself stands in the log alone.
CREATE TABLE message_chunks (
    user_id text NOT NULL,
    document integer NOT NULL,
    message_id uuid NOT NULL,
    part integer NOT NULL,
    begins integer NOT NULL,
    ends integer NOT NULL,
    code boolean NOT NULL,
    language text,
    terms integer NOT NULL,
    own_terms integer NOT NULL,
    hidden boolean NOT NULL,
    embeddable boolean NOT NULL,
    embedding_model text,
    PRIMARY KEY (user_id, document)
) WITH (fillfactor = 90);

COMMENT ON COLUMN message_chunks.hidden IS 'It is found no more; the postings name it still, and it has no embeddings.';
COMMENT ON COLUMN message_chunks.embeddable IS 'Whether it is to have embeddings.';
COMMENT ON COLUMN message_chunks.embedding_model IS 'Of the embeddings it has, in chunk_vectors.';

CREATE INDEX message_chunks_of_messages ON message_chunks (user_id, message_id, part);
CREATE INDEX message_chunks_hidden ON message_chunks (user_id, document) WHERE hidden;

-- A chunk's embeddings: one for each window that the embedder can read. Narrow, as each recall reads
-- all of a user's.
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

ALTER TABLE corpora ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE postings ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE message_chunks ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE chunk_vectors ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY of_the_user ON corpora USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON postings USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON message_chunks USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON chunk_vectors USING (user_id = current_setting('recollect.user_id', true));

-- The operator's: who has said something and has no index yet. It holds no word of theirs.
CREATE POLICY over_all_users ON corpora FOR SELECT
    USING (current_setting('recollect.over_all_users', true) = 'on');
