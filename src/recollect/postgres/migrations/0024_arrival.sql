-- When an exchange came to the log: an imported one was said long before. Of those that were there already it is not known.
ALTER TABLE exchanges ADD COLUMN arrived_at timestamptz;
ALTER TABLE exchanges ALTER COLUMN arrived_at SET DEFAULT now();
