-- A request that names an answer mostly names one of the last: those with an id are read from the newest. Row security lets no
-- index over the ids themselves be used.
CREATE INDEX exchanges_with_answer_ids ON exchanges (user_id, said_at DESC) WHERE answer_ids <> '{}';
