-- What a request asked is found by the key of its turn, in the message log: there its secrets are masked, there it can be
-- forgotten, and there it is nobody's twice.

ALTER TABLE request_metrics ADD COLUMN turn_key text;

COMMENT ON COLUMN request_metrics.turn_key IS 'By which the log knows what was asked; NULL: from before that was kept.';

-- What a week of requests was like is told from these; NULL: from before they were counted.
ALTER TABLE request_metrics
    ADD COLUMN found_by text,
    ADD COLUMN budget integer,
    ADD COLUMN block_tokens integer,
    ADD COLUMN given jsonb,
    ADD COLUMN marked boolean,
    ADD COLUMN complains boolean;

COMMENT ON COLUMN request_metrics.found_by IS 'Which way the search went: dense, typo-corrected, lexical, important, none.';
COMMENT ON COLUMN request_metrics.budget IS 'Tokens that the turn''s memories might take.';
COMMENT ON COLUMN request_metrics.block_tokens IS 'Tokens that they took.';
COMMENT ON COLUMN request_metrics.given IS 'How many went into the prompt, by what they are: statements, log, summaries, profile.';
COMMENT ON COLUMN request_metrics.marked IS 'Somebody called the message valuable by hand.';
COMMENT ON COLUMN request_metrics.complains IS 'The message says that something told was forgotten.';

ALTER TABLE exchanges ADD COLUMN made jsonb;

COMMENT ON COLUMN exchanges.made IS 'How often formation did what with it, and why it kept what not; NULL: from before that was counted.';

-- Of a day that was begun before it is not known how much of it was for summaries.
ALTER TABLE model_usage ADD COLUMN summary_tokens bigint;
ALTER TABLE model_usage ALTER COLUMN summary_tokens SET DEFAULT 0;

-- Counts what there is over all users, person by person: each is seen under their own policies, and none of these needs
-- one that opens everybody's words to the operator. It runs as whoever calls it, over all users.
CREATE FUNCTION count_everything(
    OUT users bigint, OUT sessions bigint, OUT messages bigint, OUT chunks bigint, OUT memories bigint, OUT summaries bigint
) LANGUAGE plpgsql AS $$
DECLARE
    person text;
    counted record;
BEGIN
    users := 0; sessions := 0; messages := 0; chunks := 0; memories := 0; summaries := 0;
    FOR person IN SELECT e.user_id FROM exchanges AS e UNION SELECT l.user_id FROM users_vectors AS l LOOP
        PERFORM set_config('recollect.user_id', person, true);
        SELECT
            (SELECT count(*) FROM sessions AS s WHERE s.user_id = person) AS sessions,
            (SELECT count(*) FROM messages AS m WHERE m.user_id = person) AS messages,
            (SELECT count(*) FROM message_chunks AS k WHERE k.user_id = person) AS chunks,
            (SELECT count(*) FROM users_vectors AS l WHERE l.user_id = person) AS memories,
            (
                SELECT count(*) FROM vectors AS v
                WHERE v.owner = person AND v.kind = 'summary' AND v.valid_to IS NULL
            ) AS summaries
        INTO counted;
        users := users + 1;
        sessions := sessions + counted.sessions;
        messages := messages + counted.messages;
        chunks := chunks + counted.chunks;
        memories := memories + counted.memories;
        summaries := summaries + counted.summaries;
    END LOOP;
    PERFORM set_config('recollect.user_id', '', true);
END
$$;
