-- The end of the answer that a turn came behind, as its request carries it; where the log has that answer right before it, NULL.
-- "Exactly!" says nothing without it.
ALTER TABLE exchanges ADD COLUMN answered text;
