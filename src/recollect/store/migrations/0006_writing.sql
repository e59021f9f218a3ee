-- What a turn writes once its answer is under way or over: one call does all of it, in one transaction under the person's lock.
-- These functions are VOLATILE: each statement in them sees what the lock waited for, which a statement that takes it does not.

-- Write an exchange, or the phase of one that is known. `outcome` is new, known, unwanted, left_out or erased; by_hand where other
-- versions are to be abandoned, or a kept reply continued: nothing was written then, and the caller does that and calls again.
CREATE FUNCTION log_exchange(person text, said jsonb, OUT outcome text, OUT logged uuid, OUT zone text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    it record;
    known record;
    first_index integer;
    is_another boolean;
    enqueues boolean := false;
BEGIN
    SELECT * INTO STRICT it FROM jsonb_to_record(said) AS t (
        session text, key text, id uuid, message_id uuid, reply_id uuid, model text, authorized boolean, at timestamptz,
        carried integer, anchor text, parent text, speaker text, content text, tokens integer, marked boolean, upstream text,
        answered text, begins boolean, marks bytea[], revives boolean, records boolean, ends boolean, continues boolean,
        reply text, reply_tokens integer, answer_id text, failed_at text, failed_status integer, partial text,
        is_late boolean, is_continued boolean
    );
    SELECT EXISTS (SELECT FROM erased WHERE mark = ANY (it.marks) AND erased_at > it.at) AS is_erased,
        (SELECT l.since FROM chats_left_out AS l WHERE l.user_id = person AND l.session_id = it.session) AS left_out_since,
        e.id, e.turn_index, e.key, e.parent, e.said_at, e.message_id, e.state, e.erased_at IS NOT NULL AS is_blank,
        EXISTS (SELECT FROM messages AS m WHERE m.user_id = person AND m.id = e.reply_id) AS replied,
        EXISTS (SELECT FROM messages AS m WHERE m.user_id = person AND m.id = it.reply_id) AS kept,
        coalesce(own.flags ->> 'record', everybody.flags ->> 'record') AS records,
        coalesce(own.flags ->> 'told_zone', everybody.flags ->> 'told_zone') AS told_zone
    INTO STRICT known
    FROM (VALUES (true)) AS always
    LEFT JOIN exchanges AS e ON e.user_id = person AND e.session_id = it.session AND e.key = it.key
    LEFT JOIN user_settings AS own ON own.user_id = person_of(person)
    LEFT JOIN user_settings AS everybody ON everybody.user_id = '*';
    zone := known.told_zone;

    IF known.is_erased AND NOT it.revives THEN
        outcome := 'erased';
        RETURN;
    END IF;
    IF known.left_out_since IS NOT NULL THEN
        IF NOT it.begins OR it.at - known.left_out_since <= interval '1 hour' THEN
            outcome := 'left_out';
            RETURN;
        END IF;
        DELETE FROM chats_left_out WHERE user_id = person AND session_id = it.session;
    END IF;
    IF it.records IS NOT NULL AND (CASE WHEN known.records IN ('true', 'false') THEN known.records = 'false' ELSE NOT it.records END) THEN
        outcome := 'unwanted';
        RETURN;
    END IF;

    logged := coalesce(known.id, it.id);
    IF known.id IS NOT NULL AND NOT it.ends THEN
        UPDATE exchanges SET asking = array_append(array_remove(asking, it.id), it.id)
        WHERE user_id = person AND id = known.id AND state = 'open';
        outcome := 'known';
        RETURN;
    END IF;
    IF known.is_blank THEN
        outcome := 'known';
        RETURN;
    END IF;
    is_another := it.reply <> '' AND NOT known.kept;
    IF it.ends AND it.is_late IS NULL AND (
        EXISTS (
            SELECT FROM exchanges AS version
            WHERE version.user_id = person AND version.session_id = it.session AND version.key <> it.key
                AND version.parent = CASE WHEN known.id IS NULL THEN it.parent ELSE known.parent END
                AND (
                    known.id IS NULL OR known.state = 'open'
                    OR is_another AND NOT known.replied AND known.state <> 'abandoned'
                )
        )
        OR is_another AND it.continues AND known.replied
    ) THEN
        outcome := 'by_hand';
        RETURN;
    END IF;

    IF it.ends AND NOT it.revives THEN
        -- The first exchange that waits for a key or a model is tried again, with those of this chat.
        UPDATE exchanges SET waits_for = NULL, wakes_at = NULL, upstream = it.upstream, model = it.model, authorized = it.authorized
        WHERE user_id = person AND id = (
            SELECT e.id FROM exchanges AS e
            WHERE e.user_id = person AND e.state = 'pending' AND e.waits_for IN ('key', 'model')
                AND (e.upstream = it.upstream OR e.model = '')
            ORDER BY e.id LIMIT 1
        );
    END IF;
    IF known.id IS NULL THEN
        -- A person who goes on waits for no answer any more.
        UPDATE exchanges SET state = 'pending', asking = '{}', unanswered = true
        WHERE user_id = person AND session_id = it.session AND key <> it.key AND said_at <= it.at AND state = 'open';
        enqueues := FOUND OR it.ends;
        first_index := begin_logging(person, said);
        INSERT INTO messages (
            user_id, id, session_id, turn_index, role, speaker, content, tokens, alternate, created_at, exchange_id, marked, hidden
        ) VALUES (
            person, it.message_id, it.session, first_index, 'user', it.speaker, it.content, it.tokens, false, it.at, it.id,
            it.marked, coalesce(it.is_late, false)
        );
        outcome := 'new';
    ELSE
        first_index := known.turn_index;
        IF known.state = 'open' THEN
            UPDATE exchanges SET state = CASE WHEN it.is_late THEN 'abandoned' ELSE 'pending' END, asking = '{}'
            WHERE user_id = person AND id = known.id;
            -- The answer may have told what in the turn is a secret.
            UPDATE messages SET content = it.content, tokens = it.tokens
            WHERE user_id = person AND id = known.message_id AND NOT indexed AND content <> it.content;
        END IF;
        IF is_another AND NOT known.replied THEN
            PERFORM set_reply(person, known.id, it.reply_id);
        END IF;
        -- It is to be formed, or still to be indexed.
        enqueues := known.state = 'open' OR is_another AND NOT known.replied OR coalesce(it.is_continued, false);
        outcome := CASE known.state WHEN 'open' THEN 'new' ELSE 'known' END;
    END IF;
    IF is_another AND NOT coalesce(it.is_continued, false) THEN
        INSERT INTO messages (
            user_id, id, session_id, turn_index, role, content, tokens, alternate, created_at, exchange_id, marked, hidden
        ) VALUES (
            person, it.reply_id, it.session, first_index + 1, 'assistant', it.reply, it.reply_tokens, known.replied, it.at, logged,
            it.marked,
            EXISTS (SELECT FROM messages AS m WHERE m.user_id = person AND m.exchange_id = logged AND m.hidden)
        );
    END IF;
    IF it.answer_id <> '' THEN
        UPDATE exchanges SET answer_ids = array_append(array_remove(answer_ids, it.answer_id), it.answer_id)
        WHERE user_id = person AND id = logged;
    END IF;
    IF it.failed_at IS NOT NULL THEN
        PERFORM note_failure(person, logged, it.failed_at, it.failed_status, it.partial);
    END IF;
    IF enqueues THEN
        -- As PgQueuer enqueues. No job is left out because the person has one: that one may have looked at the inbox already.
        WITH job AS (
            INSERT INTO recollect.pgqueuer (priority, entrypoint, payload, status)
            VALUES (0, 'form', convert_to(person, 'UTF8'), 'queued')
            RETURNING id
        )
        INSERT INTO recollect.pgqueuer_log (job_id, status, entrypoint, priority) SELECT id, 'queued', 'form', 0 FROM job;
    END IF;
END
$$;

-- Write the row of an exchange that the log has not, and count its turn and reply in the chat; return the turn's index. The end
-- of the answer before it is kept only where the log lacks that answer.
CREATE FUNCTION begin_logging(person text, said jsonb) RETURNS integer LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    it record;
    first_index integer;
BEGIN
    SELECT * INTO STRICT it FROM jsonb_to_record(said) AS t (
        session text, key text, id uuid, message_id uuid, reply_id uuid, model text, authorized boolean, at timestamptz,
        carried integer, anchor text, parent text, upstream text, answered text, revives boolean, ends boolean, is_late boolean
    );
    INSERT INTO sessions (user_id, id, started_at, last_at, next_turn_index)
    VALUES (person, it.session, it.at, it.at, 2)
    ON CONFLICT (user_id, id) DO UPDATE
    SET last_at = greatest(sessions.last_at, it.at), next_turn_index = sessions.next_turn_index + 2
    RETURNING next_turn_index - 2 INTO first_index;
    INSERT INTO exchanges (
        user_id, id, session_id, key, turn_index, message_id, reply_id, model, authorized, said_at, not_before, carried, anchor,
        parent, upstream, state, asking, told_with, answered
    ) VALUES (
        person, it.id, it.session, it.key, first_index, it.message_id, it.reply_id, it.model, it.authorized, it.at, it.at,
        it.carried, it.anchor, it.parent, it.upstream,
        CASE WHEN NOT it.ends THEN 'open' WHEN it.is_late THEN 'abandoned' ELSE 'pending' END,
        CASE WHEN it.ends THEN '{}' ELSE ARRAY[it.id] END,
        CASE WHEN it.revives THEN '' END,
        CASE WHEN it.answered <> '' AND NOT EXISTS (
            SELECT
            FROM (
                SELECT m.role, m.content, m.exchange_id FROM messages AS m
                WHERE m.user_id = person AND m.session_id = it.session AND m.turn_index < first_index AND NOT m.alternate
                ORDER BY m.turn_index DESC LIMIT 1
            ) AS before
            JOIN exchanges AS e ON e.user_id = person AND e.id = before.exchange_id
            WHERE before.role = 'assistant' AND (
                e.erased_at IS NOT NULL OR e.carried + 2 = it.carried OR right(before.content, length(it.answered)) = it.answered
            )
        ) THEN it.answered END
    );
    RETURN first_index;
END
$$;

-- Give an exchange of the person the reply it had not: what was left out of the index as unanswered is to be indexed. What
-- somebody called valuable is indexed all the same, and once is enough.
CREATE FUNCTION set_reply(person text, exchange uuid, reply uuid) RETURNS void LANGUAGE sql AS $$
    WITH answered AS (
        UPDATE exchanges AS e
        SET reply_id = reply, unanswered = false, failed_at = NULL, failed_status = NULL, partial = NULL
        FROM exchanges AS before
        WHERE e.user_id = person AND e.id = exchange AND before.user_id = person AND before.id = e.id
        RETURNING e.message_id, before.unanswered
    )
    UPDATE messages AS m SET indexed = false
    FROM answered
    WHERE m.user_id = person AND m.id = answered.message_id AND answered.unanswered AND NOT m.hidden
        AND NOT EXISTS (SELECT FROM message_chunks AS k WHERE k.user_id = person AND k.message_id = m.id)
$$;

-- Note how an answer failed, and as much as came of it. Not where the exchange has an answer that is none of it.
CREATE FUNCTION note_failure(person text, exchange uuid, stage text, status integer, came text) RETURNS void LANGUAGE sql AS $$
    UPDATE exchanges AS e SET failed_at = stage, failed_status = status, partial = came
    WHERE e.user_id = person AND e.id = exchange
        AND (stage = 'client' OR NOT EXISTS (SELECT FROM messages AS m WHERE m.user_id = person AND m.id = e.reply_id))
$$;

-- Note what was added to a turn of the person, unless something was before; nothing that speaks of what was forgotten since it
-- was recalled: of what is neither a memory that the person sees, that is past, or that serves everybody, nor a statement of their profile, nor
-- a message of theirs that may be recalled. In a project it may also be any of that of the scopes around it.
CREATE FUNCTION unknown_items(person text, items uuid[]) RETURNS uuid[] LANGUAGE plpgsql AS $$
BEGIN
    RETURN ARRAY(
        SELECT item.id FROM unnest(items) AS item (id)
        WHERE NOT EXISTS (SELECT FROM users_vectors AS l WHERE l.user_id = person AND l.vector_id = item.id)
            AND NOT EXISTS (SELECT FROM messages AS m WHERE m.user_id = person AND m.id = item.id AND NOT m.hidden)
            AND NOT EXISTS (
                SELECT FROM profile_entries AS p WHERE p.user_id = person AND p.id = item.id AND p.state = 'confirmed'
            )
            AND NOT EXISTS (
                SELECT FROM vectors AS v
                WHERE v.owner = '*' AND v.id = item.id AND v.source = 'global' AND v.valid_to IS NULL
            )
            AND NOT EXISTS (
                SELECT FROM vectors AS v WHERE v.owner = person AND v.id = item.id AND v.ended_at IS NOT NULL
            )
    );
END
$$;

CREATE FUNCTION note_injection(person text, session text, given jsonb) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    it record;
    unknown uuid[];
    other text;
BEGIN
    SELECT * INTO STRICT it FROM jsonb_to_record(given) AS t (
        anchor text, place text, block text, items uuid[], tokens integer, at timestamptz, standing boolean, listed uuid[]
    );
    unknown := unknown_items(person, it.items);
    IF unknown <> '{}' AND person <> person_of(person) THEN
        FOREACH other IN ARRAY scopes_around(person) LOOP
            PERFORM set_config('recollect.user_id', other, true);
            unknown := unknown_items(other, unknown);
        END LOOP;
        PERFORM set_config('recollect.user_id', person, true);
    END IF;
    IF unknown <> '{}' THEN
        RETURN;
    END IF;
    INSERT INTO injections (user_id, session_id, anchor, place, block, items, tokens, at, standing)
    VALUES (person, session, it.anchor, it.place, it.block, it.items, it.tokens, it.at, it.standing)
    ON CONFLICT (user_id, session_id, anchor) DO UPDATE
    SET place = excluded.place, block = excluded.block, items = excluded.items, tokens = excluded.tokens,
        at = excluded.at, standing = excluded.standing, detached = false
    WHERE injections.detached;
    IF it.listed <> '{}' THEN
        -- By itself: the block goes with the first memory of it that is forgotten, the numbers stay what they are.
        INSERT INTO chat_requests (user_id, session_id, anchor, asking, items, at)
        VALUES (person, session, it.anchor, 'listed', it.listed, it.at)
        ON CONFLICT (user_id, session_id, anchor) DO UPDATE
        SET asking = excluded.asking, items = excluded.items, at = excluded.at;
    END IF;
END
$$;

-- Write what `written` has of a turn: its exchange, which memories it recalled, what its prompt was given, its request. Without the
-- exchange nothing is written of a user, or a chat, that was erased since it was said: `marks` name them, `at` tells when that was.
CREATE FUNCTION write_turn(person text, role_of_users text, written jsonb, OUT outcome text, OUT logged uuid, OUT zone text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    session text := written ->> 'session';
    other text;
BEGIN
    PERFORM set_config('role', role_of_users, true), set_config('recollect.user_id', person, true),
        set_config('plan_cache_mode', 'force_generic_plan', true),
        CASE WHEN person <> person_of(person) THEN pg_advisory_xact_lock_shared(hashtextextended(person_of(person), 0)) END,
        pg_advisory_xact_lock_shared(hashtextextended(chr(31) || team_of(person), 0)),
        pg_advisory_xact_lock(hashtextextended(person, 0));
    IF team_of(person) IS NOT NULL AND members_around(person) IS NULL THEN
        outcome := 'unwanted';
        RETURN;
    END IF;
    IF written ? 'exchange' THEN
        SELECT done.* INTO outcome, logged, zone FROM log_exchange(person, written -> 'exchange') AS done;
        IF outcome IN ('by_hand', 'erased') THEN
            RETURN;
        END IF;
    ELSIF EXISTS (
        SELECT FROM erased
        WHERE mark IN (SELECT each::bytea FROM jsonb_array_elements_text(written -> 'marks') AS each)
            AND erased_at > (written ->> 'at')::timestamptz
    ) THEN
        outcome := 'erased';
        RETURN;
    END IF;
    IF person <> person_of(person) THEN
        PERFORM note_project(person);
    END IF;
    IF written ? 'detached' THEN
        UPDATE injections SET detached = true
        WHERE user_id = person AND session_id = session
            AND anchor IN (SELECT jsonb_array_elements_text(written -> 'detached'));
    END IF;
    IF written ? 'injection' THEN
        PERFORM note_injection(person, session, written -> 'injection');
    END IF;
    IF written ? 'recalled' AND outcome IS DISTINCT FROM 'unwanted' THEN
        UPDATE users_vectors
        SET recall_count = recall_count + 1,
            last_recalled_at = greatest(last_recalled_at, (written ->> 'recalled_at')::timestamptz)
        WHERE user_id = person AND vector_id IN (SELECT jsonb_array_elements_text(written -> 'recalled')::uuid);
        IF person <> person_of(person) THEN
            FOREACH other IN ARRAY scopes_around(person) LOOP
                PERFORM set_config('recollect.user_id', other, true);
                UPDATE users_vectors
                SET recall_count = recall_count + 1,
                    last_recalled_at = greatest(last_recalled_at, (written ->> 'recalled_at')::timestamptz)
                WHERE user_id = other
                    AND vector_id IN (SELECT jsonb_array_elements_text(written -> 'recalled')::uuid);
            END LOOP;
            PERFORM set_config('recollect.user_id', person, true);
        END IF;
    END IF;
    IF written ? 'request' THEN
        INSERT INTO request_metrics
        SELECT asked.*
        FROM jsonb_populate_record(NULL::request_metrics, written -> 'request' || jsonb_build_object('user_id', person)) AS asked
        ON CONFLICT (user_id, id) DO NOTHING;
    END IF;
END
$$;
