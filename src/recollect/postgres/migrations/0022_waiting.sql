-- What no model can be asked about waits, and never becomes anything else meanwhile: for what, when it is tried again by
-- itself (NULL: not before something changes), how often it was in vain, and which model was asked. From now on
-- `fallback` says why no model has read an exchange that is formed: it can be formed again.
ALTER TABLE exchanges
    ADD COLUMN waits_for text,
    ADD COLUMN wakes_at timestamptz,
    ADD COLUMN waits integer NOT NULL DEFAULT 0,
    ADD COLUMN asked text;

CREATE INDEX exchanges_due ON exchanges (user_id, id) WHERE state = 'pending' AND waits_for IS NULL;
CREATE INDEX exchanges_waiting ON exchanges (user_id, upstream, id) WHERE state = 'pending' AND waits_for IS NOT NULL;
CREATE INDEX exchanges_unread ON exchanges (user_id, id) WHERE state = 'formed' AND fallback IS NOT NULL;
