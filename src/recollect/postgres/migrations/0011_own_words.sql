-- What of the log is recalled as a person's own words, and what never is.

-- A turn that the model failed to answer is formed, and recalled no more; it may still be answered late.
ALTER TABLE exchanges ADD COLUMN unanswered boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN exchanges.unanswered IS 'The model failed to answer it, or nobody knows what became of its answer.';

-- Whose words a chunk holds. Pairs of places in the message, in characters: what stands between is not the person's.
ALTER TABLE message_chunks
    ADD COLUMN pasted boolean NOT NULL DEFAULT false,
    ADD COLUMN cuts integer[];

COMMENT ON COLUMN message_chunks.pasted IS 'It holds what others wrote, or a machine did.';
COMMENT ON COLUMN message_chunks.cuts IS 'Where in the message others'' words begin and end, by turns, within the chunk.';

-- By which reading a user's messages were indexed, and how far they are read anew. New users begin with the newest.
ALTER TABLE corpora
    ADD COLUMN reading smallint NOT NULL DEFAULT 0,
    ADD COLUMN reread_to uuid;
ALTER TABLE corpora ALTER COLUMN reading SET DEFAULT 1;
