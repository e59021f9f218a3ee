-- Words are looked up in pages of sorted terms, of about 2 kB each (posting_pages.py). New documents wait, a row each, until the
-- background merges them into pages.

-- What was indexed last: the terms of a document, and how often each stands in it. Written once, and read whole with each look-up.
CREATE TABLE waiting_documents (
    user_id text NOT NULL,
    document integer NOT NULL,
    lengths integer NOT NULL,
    terms bytea NOT NULL,
    counts bytea NOT NULL,
    PRIMARY KEY (user_id, document)
) WITH (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.05);

-- ANALYZE has no use for what is looked up by no statement, and would keep words of it.
ALTER TABLE waiting_documents
    ALTER COLUMN terms SET STATISTICS 0,
    ALTER COLUMN counts SET STATISTICS 0;

COMMENT ON COLUMN waiting_documents.lengths IS 'How many terms it has, and how many its own text has: two numbers in one.';

-- A page is found by its first term: equality and order of texts are leakproof. It is never compressed, as to decompress takes
-- longer than all else. A term of many documents has several pages. Those of level 0 hold what was indexed last, and are rewritten
-- again and again; now and then they are merged into those of level 1.
CREATE TABLE posting_pages (
    user_id text NOT NULL,
    level smallint NOT NULL,
    first_term text COLLATE "C" NOT NULL,
    begins integer NOT NULL,
    terms bytea NOT NULL,
    lists bytea NOT NULL,
    PRIMARY KEY (user_id, level, first_term, begins)
) WITH (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.05);

ALTER TABLE posting_pages
    ALTER COLUMN terms SET STORAGE EXTERNAL,
    ALTER COLUMN terms SET STATISTICS 0,
    ALTER COLUMN lists SET STORAGE EXTERNAL,
    ALTER COLUMN lists SET STATISTICS 0;

COMMENT ON COLUMN posting_pages.begins IS 'The first document, where the list of the only term began on a page before; else 0.';

-- How many terms the documents in pages have: 512 documents a row, four bytes each.
CREATE TABLE document_lengths (
    user_id text NOT NULL,
    block integer NOT NULL,
    lengths bytea NOT NULL,
    PRIMARY KEY (user_id, block)
) WITH (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.05);

ALTER TABLE document_lengths
    ALTER COLUMN lengths SET STORAGE EXTERNAL,
    ALTER COLUMN lengths SET STATISTICS 0;

-- Documents that pages name and that are found no more: the background takes them out.
CREATE TABLE posting_removals (
    user_id text NOT NULL,
    document integer NOT NULL,
    PRIMARY KEY (user_id, document)
);

ALTER TABLE waiting_documents ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE posting_pages ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE document_lengths ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE posting_removals ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY of_the_user ON waiting_documents USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON posting_pages USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON document_lengths USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON posting_removals USING (user_id = current_setting('recollect.user_id', true));

-- The operator sees whose pages have to be cleaned. It holds no text.
CREATE POLICY over_all_users ON posting_removals FOR SELECT
    USING (current_setting('recollect.over_all_users', true) = 'on');
