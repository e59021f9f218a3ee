-- Statements are embedded a second time, by a model that reads many languages.

-- In the row, as the first embedding is: one scan of a user's rows measures both, and a vector is copied, erased and
-- written over with the statement it is of.
ALTER TABLE vectors
    ADD COLUMN second_values halfvec,
    ADD COLUMN second_model text;

ALTER TABLE vectors
    ALTER COLUMN second_values SET STORAGE MAIN,
    ALTER COLUMN second_model SET STORAGE MAIN;

COMMENT ON COLUMN vectors.second_values IS 'The embedding by second_model; of statements alone.';

-- What users share is embedded, too, once it was shared: it is nobody's own, and by the operator alone it is written.
CREATE POLICY shared_of_the_operator ON vectors FOR UPDATE
    USING (owner = '*' AND current_setting('recollect.over_all_users', true) = 'on');
