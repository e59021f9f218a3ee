-- Sketches of embeddings, one bit a dimension: a search of many rows begins with them, and measures whole embeddings of the nearest alone.

-- Both at once: who waits for the second would have the first written anew for nothing.
LOCK TABLE vectors, chunk_vectors IN ACCESS EXCLUSIVE MODE;

-- `bit varying` is of any length: the lengths differ from embedder to embedder. The tables are rewritten once.
ALTER TABLE vectors
    ADD COLUMN sketch bit varying GENERATED ALWAYS AS (binary_quantize("values")::bit varying) STORED,
    ADD COLUMN second_sketch bit varying GENERATED ALWAYS AS (binary_quantize(second_values)::bit varying) STORED;

COMMENT ON COLUMN vectors.sketch IS 'Of each dimension of "values" whether it is above zero.';
COMMENT ON COLUMN vectors.second_sketch IS 'Of each dimension of second_values whether it is above zero.';

ALTER TABLE chunk_vectors
    ADD COLUMN sketch bit varying GENERATED ALWAYS AS (binary_quantize("values")::bit varying) STORED;

COMMENT ON COLUMN chunk_vectors.sketch IS 'Of each dimension of "values" whether it is above zero.';

-- With all that a search by sketches reads: it reads a person's part of the index, and no row.
CREATE INDEX vectors_sketched ON vectors (owner, id)
    INCLUDE (second_model, second_sketch, embedding_model, sketch, source) WHERE valid_to IS NULL;

ALTER TABLE chunk_vectors DROP CONSTRAINT chunk_vectors_pkey;
ALTER TABLE chunk_vectors ADD PRIMARY KEY (user_id, document, piece) INCLUDE (embedding_model, sketch);
