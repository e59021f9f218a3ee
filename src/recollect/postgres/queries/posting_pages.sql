-- name: state_of_pages
-- How many of the user's documents there ever were, how many when postings were last merged into pages, by which reading they are
-- indexed, and whether pages name what is found no more.
SELECT c.next_document, c.paged_to, c.reading,
    EXISTS (SELECT FROM posting_removals AS r WHERE r.user_id = $1) AS lack_removals
FROM corpora AS c
WHERE c.user_id = $1;

-- name: waiting_postings
-- The user's postings from a term on that are not in pages, in order.
SELECT term, block, entries FROM postings WHERE user_id = $1 AND term >= $2 ORDER BY term, block LIMIT $3;

-- name: end_of_pages
-- The term with which the user's pages go on that come so many pages behind another term.
SELECT first_term FROM posting_pages
WHERE user_id = $1 AND first_term > $2 AND begins = 0
ORDER BY first_term
OFFSET $3 LIMIT 1;

-- name: pages_between
-- The user's pages from the one that holds a term, or would, up to another term.
SELECT p.first_term, p.begins, p.terms, p.lists
FROM posting_pages AS p
WHERE p.user_id = $1 AND p.first_term < $3 AND p.first_term >= (
    SELECT coalesce(max(f.first_term), '') FROM posting_pages AS f WHERE f.user_id = $1 AND f.first_term <= $2
)
ORDER BY p.first_term, p.begins;

-- name: pages_of_terms
-- The user's pages in which some terms stand, or would.
SELECT p.first_term, p.begins, p.terms, p.lists
FROM posting_pages AS p
WHERE p.user_id = $1 AND p.first_term = ANY (ARRAY(
    SELECT (
        SELECT f.first_term FROM posting_pages AS f
        WHERE f.user_id = $1 AND f.first_term <= w.term
        ORDER BY f.first_term DESC LIMIT 1
    )
    FROM unnest($2::text[]) AS w (term)
))
ORDER BY p.first_term, p.begins;

-- name: write_pages
-- Write over pages of the user.
INSERT INTO posting_pages (user_id, first_term, begins, terms, lists)
SELECT $1, first_term, begins, terms, lists
FROM unnest($2::text[], $3::integer[], $4::bytea[], $5::bytea[]) AS written (first_term, begins, terms, lists)
ON CONFLICT (user_id, first_term, begins) DO UPDATE SET terms = excluded.terms, lists = excluded.lists;

-- name: delete_pages
-- Delete pages of the user.
DELETE FROM posting_pages AS p
USING unnest($2::text[], $3::integer[]) AS emptied (first_term, begins)
WHERE p.user_id = $1 AND p.first_term = emptied.first_term AND p.begins = emptied.begins;

-- name: lengths_of_blocks
-- How many terms the user's documents in some blocks have.
SELECT block, lengths FROM document_lengths WHERE user_id = $1 AND block = ANY ($2::integer[]);

-- name: write_lengths
-- Write over how many terms the user's documents in some blocks have.
INSERT INTO document_lengths (user_id, block, lengths)
SELECT $1, block, lengths
FROM unnest($2::integer[], $3::bytea[]) AS written (block, lengths)
ON CONFLICT (user_id, block) DO UPDATE SET lengths = excluded.lengths;

-- name: note_pages
-- Note up to which document the user's postings were merged into pages.
UPDATE corpora SET paged_to = greatest(paged_to, $2) WHERE user_id = $1;

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
