-- What a person says of themselves, or confirms of what is known of them. It is there only while they allow it: with
-- flags ->> 'profile' of their own settings.

-- What is proposed and what was refused names a memory and says nothing itself: who forgets the memory forgets that, too.
CREATE TABLE profile_entries (
    user_id text NOT NULL,
    id uuid NOT NULL,
    field text NOT NULL,
    state text NOT NULL CHECK (state IN ('proposed', 'confirmed', 'refused')),
    content text,
    content_hash bytea,
    memory_id uuid,
    own_words boolean NOT NULL,
    created_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL,
    "values" halfvec,
    embedding_model text,
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, memory_id),
    UNIQUE (user_id, content_hash),
    CHECK (CASE state WHEN 'confirmed' THEN content IS NOT NULL AND content_hash IS NOT NULL
        ELSE content IS NULL AND content_hash IS NULL AND memory_id IS NOT NULL END)
);

COMMENT ON COLUMN profile_entries.memory_id IS 'The memory that proposed it; NULL: it was written by hand.';
COMMENT ON COLUMN profile_entries.own_words IS 'The person wrote it so: it stays when the memory goes.';

ALTER TABLE profile_entries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY of_the_user ON profile_entries USING (user_id = current_setting('recollect.user_id', true));

-- A chat whose summary somebody asked for comes before those that are due. And how many of the summaries that were made hold
-- something; those made before that was counted are in neither.
ALTER TABLE sessions
    ADD COLUMN summary_asked_at timestamptz,
    ADD COLUMN summaries_made integer NOT NULL DEFAULT 0,
    ADD COLUMN summaries_kept integer NOT NULL DEFAULT 0;

COMMENT ON COLUMN sessions.summary_asked_at IS 'Since when somebody waits for a summary; NULL: nobody does.';
COMMENT ON COLUMN sessions.summaries_kept IS 'Of the summaries made: those that said something, and were kept.';

DROP FUNCTION count_everything();

-- As before, and: the summaries that were made, those of them that were kept, and how many people allow a profile.
CREATE FUNCTION count_everything(
    OUT users bigint, OUT sessions bigint, OUT messages bigint, OUT chunks bigint, OUT memories bigint, OUT summaries bigint,
    OUT summaries_made bigint, OUT summaries_kept bigint, OUT profile_consents bigint
) LANGUAGE plpgsql AS $$
DECLARE
    person text;
    counted record;
BEGIN
    users := 0; sessions := 0; messages := 0; chunks := 0; memories := 0; summaries := 0;
    summaries_made := 0; summaries_kept := 0;
    SELECT count(*) INTO profile_consents
    FROM user_settings AS u
    WHERE u.user_id <> '*' AND u.flags ->> 'profile' = 'true';
    FOR person IN SELECT e.user_id FROM exchanges AS e UNION SELECT l.user_id FROM users_vectors AS l LOOP
        PERFORM set_config('recollect.user_id', person, true);
        SELECT
            (SELECT count(*) FROM messages AS m WHERE m.user_id = person) AS messages,
            (SELECT count(*) FROM message_chunks AS k WHERE k.user_id = person) AS chunks,
            (SELECT count(*) FROM users_vectors AS l WHERE l.user_id = person) AS memories,
            (
                SELECT count(*) FROM vectors AS v
                WHERE v.owner = person AND v.kind = 'summary' AND v.valid_to IS NULL
            ) AS summaries,
            s.sessions, s.made, s.kept
        INTO counted
        FROM (
            SELECT count(*) AS sessions, coalesce(sum(c.summaries_made), 0) AS made,
                coalesce(sum(c.summaries_kept), 0) AS kept
            FROM sessions AS c
            WHERE c.user_id = person
        ) AS s;
        users := users + 1;
        sessions := sessions + counted.sessions;
        messages := messages + counted.messages;
        chunks := chunks + counted.chunks;
        memories := memories + counted.memories;
        summaries := summaries + counted.summaries;
        summaries_made := summaries_made + counted.made;
        summaries_kept := summaries_kept + counted.kept;
    END LOOP;
    PERFORM set_config('recollect.user_id', '', true);
END
$$;
