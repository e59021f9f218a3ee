-- Words are looked up in pages of sorted terms, of about 2 kB each (posting_pages.py). What was indexed last waits, a row a document,
-- until the background merges it into pages. The rows of postings are read as before, and merged so, too: only a version from
-- before adds to them.

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

-- How many terms the documents have that stand in pages: 512 documents a row, four bytes each.
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

ALTER TABLE corpora
    ADD COLUMN paged boolean NOT NULL DEFAULT false,
    ADD COLUMN merged_to integer NOT NULL DEFAULT 0;

COMMENT ON COLUMN corpora.paged IS 'The rows of postings that a version from before left were merged into pages.';
COMMENT ON COLUMN corpora.merged_to IS 'Which number the next document had when pages of level 0 were last merged into those of level 1.';

ALTER TABLE waiting_documents ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE posting_pages ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE document_lengths ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE posting_removals ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY of_the_user ON waiting_documents USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON posting_pages USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON document_lengths USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON posting_removals USING (user_id = current_setting('recollect.user_id', true));

-- The operator's: whose pages have to be cleaned. It holds no word of theirs.
CREATE POLICY over_all_users ON posting_removals FOR SELECT
    USING (current_setting('recollect.over_all_users', true) = 'on');

-- A version from before serves on, and its triggers write these tables, before the start that migrates grants what is new.
DO $$
BEGIN
    IF to_regrole('recollect_user') IS NOT NULL THEN
        GRANT SELECT, INSERT, UPDATE, DELETE ON waiting_documents, posting_pages, document_lengths, posting_removals
            TO recollect_user;
    END IF;
END
$$;

-- A version from before knows none of this. What it deletes goes from what waits at once, and is noted for this version, which takes it
-- out of the pages; with a person's index all goes at once. This version says that it knows them, and looks after them itself.
CREATE FUNCTION note_posting_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM recollect.waiting_documents AS w WHERE w.user_id = OLD.user_id AND w.document = OLD.document;
    INSERT INTO recollect.posting_removals (user_id, document)
    SELECT OLD.user_id, OLD.document
    WHERE EXISTS (SELECT FROM recollect.posting_pages AS p WHERE p.user_id = OLD.user_id)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

CREATE FUNCTION delete_posting_pages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM recollect.waiting_documents AS w WHERE w.user_id = OLD.user_id;
    DELETE FROM recollect.posting_pages AS p WHERE p.user_id = OLD.user_id;
    DELETE FROM recollect.document_lengths AS d WHERE d.user_id = OLD.user_id;
    DELETE FROM recollect.posting_removals AS r WHERE r.user_id = OLD.user_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER note_posting_removal AFTER DELETE ON message_chunks FOR EACH ROW
    WHEN (current_setting('recollect.knows_pages', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION note_posting_removal();
CREATE TRIGGER note_posting_removal AFTER DELETE ON users_vectors FOR EACH ROW
    WHEN (OLD.document IS NOT NULL AND current_setting('recollect.knows_pages', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION note_posting_removal();
CREATE TRIGGER note_posting_removal_of_change AFTER UPDATE OF document ON users_vectors FOR EACH ROW
    WHEN (
        OLD.document IS NOT NULL AND OLD.document IS DISTINCT FROM NEW.document
        AND current_setting('recollect.knows_pages', true) IS DISTINCT FROM 'on'
    )
    EXECUTE FUNCTION note_posting_removal();
CREATE TRIGGER delete_posting_pages AFTER DELETE ON corpora FOR EACH ROW
    WHEN (current_setting('recollect.knows_pages', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION delete_posting_pages();
