-- name: state_of_index
-- How many of the user's documents there ever were, and when pages of level 0 were last merged; how many wait, by which reading they
-- are indexed, and how many documents pages name that are found no more.
SELECT c.next_document, c.merged_to, c.reading,
    (SELECT count(*) FROM waiting_documents AS w WHERE w.user_id = $1) AS waiting,
    (SELECT count(*) FROM posting_removals AS r WHERE r.user_id = $1) AS removals
FROM corpora AS c
WHERE c.user_id = $1;

-- name: waiting_documents
-- The user's documents that wait, the oldest first.
SELECT document, lengths, terms, counts FROM waiting_documents WHERE user_id = $1 ORDER BY document LIMIT $2;

-- name: waiting_of_documents
-- Those of some documents of the user that wait.
SELECT document, lengths, terms, counts FROM waiting_documents WHERE user_id = $1 AND document = ANY ($2::integer[]);

-- name: write_waiting
-- Have documents of the user wait.
INSERT INTO waiting_documents (user_id, document, lengths, terms, counts)
SELECT $1, document, lengths, terms, counts
FROM unnest($2::integer[], $3::integer[], $4::bytea[], $5::bytea[]) AS written (document, lengths, terms, counts)
ON CONFLICT (user_id, document) DO UPDATE
SET lengths = excluded.lengths, terms = excluded.terms, counts = excluded.counts;

-- name: delete_waiting
-- Let documents of the user wait no more.
DELETE FROM waiting_documents WHERE user_id = $1 AND document = ANY ($2::integer[]);

-- name: first_page
-- With which term the user's pages of a level begin.
SELECT min(first_term) FROM posting_pages WHERE user_id = $1 AND level = $2;

-- name: count_pages
-- How many pages of a level the user has.
SELECT count(*) FROM posting_pages WHERE user_id = $1 AND level = $2;

-- name: end_of_pages
-- The term with which the user's pages of a level go on that come so many pages behind another term.
SELECT first_term FROM posting_pages
WHERE user_id = $1 AND level = $2 AND first_term > $3 AND begins = 0
ORDER BY first_term
OFFSET $4 LIMIT 1;

-- name: pages_between
-- The user's pages of a level from the one that holds a term, or would, up to another term.
SELECT p.first_term, p.begins, p.terms, p.lists
FROM posting_pages AS p
WHERE p.user_id = $1 AND p.level = $2 AND p.first_term < $4 AND p.first_term >= (
    SELECT coalesce(max(f.first_term), '') FROM posting_pages AS f
    WHERE f.user_id = $1 AND f.level = $2 AND f.first_term <= $3
)
ORDER BY p.first_term, p.begins;

-- name: pages_of_terms
-- The user's pages of a level in which some terms stand, or would.
SELECT p.first_term, p.begins, p.terms, p.lists
FROM posting_pages AS p
WHERE p.user_id = $1 AND p.level = $2 AND p.first_term = ANY (ARRAY(
    SELECT (
        SELECT f.first_term FROM posting_pages AS f
        WHERE f.user_id = $1 AND f.level = $2 AND f.first_term <= w.term
        ORDER BY f.first_term DESC LIMIT 1
    )
    FROM unnest($3::text[]) AS w (term)
))
ORDER BY p.first_term, p.begins;

-- name: write_pages
-- Write over pages of a level of the user.
INSERT INTO posting_pages (user_id, level, first_term, begins, terms, lists)
SELECT $1, $2, first_term, begins, terms, lists
FROM unnest($3::text[], $4::integer[], $5::bytea[], $6::bytea[]) AS written (first_term, begins, terms, lists)
ON CONFLICT (user_id, level, first_term, begins) DO UPDATE SET terms = excluded.terms, lists = excluded.lists;

-- name: delete_pages
-- Delete pages of a level of the user.
DELETE FROM posting_pages AS p
USING unnest($3::text[], $4::integer[]) AS emptied (first_term, begins)
WHERE p.user_id = $1 AND p.level = $2 AND p.first_term = emptied.first_term AND p.begins = emptied.begins;

-- name: lengths_of_blocks
-- How many terms the user's documents in some blocks have.
SELECT block, lengths FROM document_lengths WHERE user_id = $1 AND block = ANY ($2::integer[]);

-- name: write_lengths
-- Write over how many terms the user's documents in some blocks have.
INSERT INTO document_lengths (user_id, block, lengths)
SELECT $1, block, lengths
FROM unnest($2::integer[], $3::bytea[]) AS written (block, lengths)
ON CONFLICT (user_id, block) DO UPDATE SET lengths = excluded.lengths;

-- name: note_merged
-- Note up to which document pages of level 0 of the user were merged.
UPDATE corpora SET merged_to = greatest(merged_to, $2) WHERE user_id = $1;

-- name: note_removals
-- Note documents of the user that pages name and that are found no more.
INSERT INTO posting_removals (user_id, document)
SELECT $1, document FROM unnest($2::integer[]) AS gone (document)
ON CONFLICT (user_id, document) DO NOTHING;

-- name: posting_removals
-- Documents of the user that pages name and that are found no more.
SELECT document FROM posting_removals WHERE user_id = $1 ORDER BY document LIMIT $2;

-- name: delete_removals
-- Note that the user's pages name some documents no more.
DELETE FROM posting_removals WHERE user_id = $1 AND document = ANY ($2::integer[]);

-- name: users_to_clean
-- Whose pages name what is found no more, over all users.
SELECT DISTINCT user_id FROM posting_removals;
