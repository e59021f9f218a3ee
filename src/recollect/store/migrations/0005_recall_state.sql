-- All that the next turn of a chat needs of the store, in one round trip.

CREATE TYPE chat_exchange AS (
    key text,
    turn_index integer,
    said text,
    reply text,
    speaker text,
    carried integer,
    anchor text
);

-- Takes on the user's role and id for as long as it runs, so that row-level security holds for all that it reads: it needs no
-- transaction around it. STABLE: all is read at one time, as one statement would. `at_most` is the number of exchanges, for a chat
-- that does not begin with the message `begun`. Secrets may stand there unmasked: then the text before the first mark and behind the
-- last bracket is compared, if that is 20 characters or more. `parent_key`, `turn_key` and `turn_at` name the turn, if it may be
-- another version of one with the same parent. Of a project's chat the versions of the person's own memory are returned, too, unless
-- the project's is recalled alone; of a team's chat the team with its members' versions. Of a team that the person is not in, nothing is.
CREATE FUNCTION recall_state(
    person text, person_role text, session text, at_most integer, begun text, parent_key text, turn_key text, turn_at timestamptz,
    OUT epoch uuid, OUT statements bigint, OUT statements_floor bigint, OUT log bigint, OUT log_floor bigint, OUT commons bigint,
    OUT commons_floor bigint, OUT flags_of_everybody jsonb, OUT flags_of_user jsonb, OUT injections injections[],
    OUT summary text, OUT abandoned uuid[], OUT done memory_updates[], OUT exchanges chat_exchange[],
    OUT own_epoch uuid, OUT own_statements bigint, OUT own_statements_floor bigint, OUT own_log bigint, OUT own_log_floor bigint,
    OUT team jsonb
) LANGUAGE plpgsql STABLE
-- These are back to what they were when the function returns, also the role that it sets.
SET role = none
SET plan_cache_mode = force_generic_plan
SET search_path FROM CURRENT
AS $$
DECLARE
    -- The user, or the one whose project it is.
    someone text DEFAULT person_of(person);
    -- When the chat's last turn was said that has an answer: the turn that comes is open by now, or is not in the log yet.
    last_said timestamptz;
    -- Only a superuser may have a function set it as the role is set.
    user_before text := coalesce(current_setting('recollect.user_id', true), '');
BEGIN
    PERFORM set_config('role', person_role, true), set_config('recollect.user_id', person, true);
    IF team_of(person) IS NOT NULL THEN
        team := versions_around(person);
        IF team IS NULL THEN
            injections := '{}'; done := '{}'; exchanges := '{}';
            PERFORM set_config('recollect.user_id', user_before, true);
            RETURN;
        END IF;
    END IF;
    SELECT epoch_here(u.epoch), u.statements_version, u.statements_floor, u.log_version, u.log_floor,
        coalesce(c.statements_version, 0), coalesce(c.statements_floor, 0)
    INTO epoch, statements, statements_floor, log, log_floor, commons, commons_floor
    FROM (SELECT 1) AS one
    LEFT JOIN users AS u ON u.user_id = person
    LEFT JOIN users AS c ON c.user_id = '*';
    IF person <> someone AND NOT EXISTS (
        SELECT FROM projects AS p WHERE p.user_id = person AND p.alone
    ) THEN
        SELECT coalesce(epoch_here(u.epoch), '00000000-0000-0000-0000-000000000000'), u.statements_version, u.statements_floor,
            u.log_version, u.log_floor
        INTO own_epoch, own_statements, own_statements_floor, own_log, own_log_floor
        FROM (SELECT 1) AS one
        LEFT JOIN users AS u ON u.user_id = someone;
    END IF;
    SELECT (SELECT s.flags FROM user_settings AS s WHERE s.user_id = '*'),
        (SELECT s.flags FROM user_settings AS s WHERE s.user_id = someone),
        ARRAY(
            SELECT i
            FROM injections AS i
            WHERE i.user_id = person AND i.session_id = session AND NOT i.detached
            ORDER BY i.at, i.anchor
        ),
        (
            SELECT array_agg(message.id)
            FROM exchanges AS e, unnest(ARRAY[e.message_id, e.reply_id]) AS message (id)
            WHERE e.user_id = person AND e.session_id = session AND e.said_at <= turn_at AND e.turn_index >= (
                SELECT min(version.turn_index)
                FROM exchanges AS version
                WHERE version.user_id = person AND version.session_id = session AND version.parent = parent_key
                    AND version.key <> turn_key AND version.said_at <= turn_at
            ) AND NOT EXISTS (  -- answered again, it abandons nothing more
                SELECT FROM exchanges AS logged
                WHERE logged.user_id = person AND logged.session_id = session AND logged.key = turn_key
                    AND logged.state <> 'open'
            )
        )
    INTO flags_of_everybody, flags_of_user, injections, abandoned;
    SELECT e.said_at INTO last_said
    FROM exchanges AS e
    WHERE e.user_id = person AND e.session_id = session AND e.state NOT IN ('abandoned', 'open')
    ORDER BY e.turn_index DESC
    LIMIT 1;
    done := ARRAY(
        SELECT asked.u
        FROM (
            SELECT u
            FROM memory_updates AS u
            WHERE u.user_id = person AND u.session_id = session AND u.reason IN ('asked', 'forgotten', 'corrected')
                AND u.at > last_said
            UNION ALL
            SELECT u
            FROM memory_updates AS u
            WHERE u.user_id = person AND u.session_id = session AND u.reason = 'erased' AND u.at > last_said
        ) AS asked
        WHERE NOT EXISTS (
            SELECT FROM memory_updates AS undone WHERE undone.user_id = person AND undone.undoes = (asked.u).id
        )
        ORDER BY (asked.u).at, (asked.u).id
        LIMIT 10
    );
    exchanges := CASE WHEN at_most > 0 THEN ARRAY(
        SELECT ROW(
            e.key, e.turn_index, left(said.content, 8000), coalesce(left(reply.content, 8000), ''), said.speaker, e.carried, e.anchor
        )::chat_exchange
        FROM exchanges AS e
        JOIN messages AS said ON said.user_id = person AND said.id = e.message_id
        LEFT JOIN messages AS reply ON reply.user_id = person AND reply.id = e.reply_id AND NOT reply.hidden
        WHERE e.user_id = person AND e.session_id = session AND e.state <> 'abandoned' AND NOT said.hidden AND NOT EXISTS (
            SELECT
            FROM (
                SELECT first_of.message_id
                FROM exchanges AS first_of
                WHERE first_of.user_id = person AND first_of.session_id = session AND first_of.state <> 'abandoned'
                ORDER BY first_of.turn_index
                LIMIT 1
            ) AS beginning
            JOIN messages AS first ON first.user_id = person AND first.id = beginning.message_id
            CROSS JOIN LATERAL (
                SELECT split_part(first.content, '[secret: ', 1) AS before, split_part(first.content, ']', -1) AS behind
            ) AS masked
            WHERE first.content = begun OR (
                first.content LIKE '%[secret: %]%'
                AND starts_with(begun, masked.before)
                AND right(begun, length(masked.behind)) = masked.behind
                AND length(begun) > length(masked.before) + length(masked.behind)
                AND length(masked.before) + length(masked.behind) >= 20
            )
        )
        ORDER BY e.turn_index DESC
        LIMIT at_most
    ) END;
    IF exchanges <> '{}' THEN
        SELECT v.content INTO summary
        FROM vectors AS v
        WHERE v.owner = person AND v.session_id = session AND v.kind = 'summary' AND v.valid_to IS NULL
        ORDER BY v.id DESC
        LIMIT 1;
    END IF;
    PERFORM set_config('recollect.user_id', user_before, true);
END
$$;
