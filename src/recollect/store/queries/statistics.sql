-- name: count_everything
-- How many users, chats, messages, chunks, memories and summaries there are, over all users; how many summaries were made
-- and kept; and how many people allow a profile.
SELECT users, sessions, messages, chunks, memories, summaries, summaries_made, summaries_kept, profile_consents
FROM count_everything();

-- name: table_sizes
-- Of each table of ours: how many rows it has by the database's own count of live ones, which is late by seconds; what
-- it takes with what lies beside it; and what each of its indexes takes.
-- A table that is divided counts as one: its parts come and go day by day.
SELECT t.relname AS name, sum(pg_stat_get_live_tuples(part.oid))::bigint AS rows,
    sum(pg_table_size(part.oid))::bigint AS bytes,
    coalesce(
        (
            SELECT jsonb_object_agg(i.relname, coalesce(
                (SELECT sum(pg_relation_size(each.relid))::bigint FROM pg_partition_tree(i.oid) AS each WHERE each.isleaf),
                pg_relation_size(i.oid)
            ))
            FROM pg_index AS x
            JOIN pg_class AS i ON i.oid = x.indexrelid
            WHERE x.indrelid = t.oid
        ),
        '{}'
    ) AS indexes
FROM pg_class AS t
JOIN LATERAL (
    SELECT t.oid WHERE t.relkind = 'r'
    UNION ALL
    SELECT i.inhrelid FROM pg_inherits AS i WHERE t.relkind = 'p' AND i.inhparent = t.oid
) AS part ON true
WHERE t.relkind IN ('r', 'p') AND NOT t.relispartition
    AND t.relnamespace = (SELECT v.relnamespace FROM pg_class AS v WHERE v.oid = 'vectors'::regclass)
GROUP BY t.oid, t.relname
ORDER BY t.relname;

-- name: questions_since
-- What the questions since a time were like, over all users. What was not counted yet when a request was kept is NULL: of
-- those measured, found_by is not.
SELECT count(*) AS questions, count(DISTINCT person_of(user_id)) AS users, count(found_by) AS measured,
    count(*) FILTER (WHERE skipped IS NULL) AS hits,
    count(*) FILTER (WHERE lexical_hits < 3) AS few_lexical,
    count(*) FILTER (WHERE truncated > 0) AS truncated,
    count(*) FILTER (WHERE found_by <> 'dense') AS fallbacks,
    count(*) FILTER (WHERE given ? 'summaries' AND given - 'summaries' = '{}') AS summaries_alone,
    count(*) FILTER (WHERE marked) AS marked,
    count(*) FILTER (WHERE complains) AS complaints,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY recall_ms) AS median_ms,
    percentile_cont(0.95) WITHIN GROUP (ORDER BY recall_ms) AS p95_ms,
    percentile_cont(0.99) WITHIN GROUP (ORDER BY recall_ms) AS p99_ms,
    coalesce(sum(block_tokens), 0)::bigint AS tokens,
    coalesce(sum(budget), 0)::bigint AS budget,
    coalesce(sum(history_tokens), 0)::bigint AS history_tokens,
    avg(top_scores[1])::float8 AS mean_top_score
FROM request_metrics
WHERE at >= $1 AND skipped IS DISTINCT FROM 'off' AND NOT 'reattached' = ANY (flags);

-- name: questions_by_day
-- What the questions of each day since a time were like, over all users. A day is numbered by the midnight it begins with.
SELECT width_bucket(at, $2::timestamptz[]) AS number, count(*) AS questions, count(*) FILTER (WHERE skipped IS NULL) AS hits,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY recall_ms) AS median_ms,
    percentile_cont(0.95) WITHIN GROUP (ORDER BY recall_ms) AS p95_ms,
    coalesce(sum(block_tokens), 0)::bigint AS tokens,
    coalesce(sum(budget), 0)::bigint AS budget
FROM request_metrics
WHERE at >= $1 AND skipped IS DISTINCT FROM 'off' AND NOT 'reattached' = ANY (flags)
GROUP BY number
ORDER BY number;

-- name: formed_by_day
-- How many exchanges were formed on each day since a time, over all users, and how many seconds after they arrived.
SELECT width_bucket(formed_at, $2::timestamptz[]) AS number, count(*) AS exchanges,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM formed_at - arrived_at))
        FILTER (WHERE arrived_at - said_at < interval '1 day') AS median_lag,
    percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch FROM formed_at - arrived_at))
        FILTER (WHERE arrived_at - said_at < interval '1 day') AS p95_lag
FROM exchanges
WHERE state = 'formed' AND formed_at >= $1
GROUP BY number
ORDER BY number;

-- name: skips_since
-- Why nothing was recalled for requests since a time, over all users.
SELECT skipped AS name, count(*) AS count
FROM request_metrics
WHERE at >= $1 AND skipped IS NOT NULL
GROUP BY skipped
ORDER BY skipped;

-- name: paths_since
-- Which way the searches of questions went since a time, over all users.
SELECT found_by AS name, count(*) AS count
FROM request_metrics
WHERE at >= $1 AND found_by IS NOT NULL AND skipped IS DISTINCT FROM 'off' AND NOT 'reattached' = ANY (flags)
GROUP BY found_by
ORDER BY found_by;

-- name: given_since
-- How many items went into prompts since a time, by what they are, over all users.
SELECT each.key AS name, sum(each.value::integer) AS count
FROM request_metrics, jsonb_each_text(given) AS each
WHERE at >= $1
GROUP BY each.key
ORDER BY each.key;

-- name: formed_since
-- How many exchanges were formed since a time, over all users; of how many it was counted what was made of them; and how
-- many seconds after they arrived. Imported ones, said more than a day before they arrived, have no lag.
SELECT count(*) AS exchanges, count(made) AS measured,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM formed_at - arrived_at))
        FILTER (WHERE arrived_at - said_at < interval '1 day') AS median_lag,
    percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch FROM formed_at - arrived_at))
        FILTER (WHERE arrived_at - said_at < interval '1 day') AS p95_lag,
    percentile_cont(0.99) WITHIN GROUP (ORDER BY extract(epoch FROM formed_at - arrived_at))
        FILTER (WHERE arrived_at - said_at < interval '1 day') AS p99_lag
FROM exchanges
WHERE state = 'formed' AND formed_at >= $1;

-- name: made_since
-- How often formation did what, and why, since a time, over all users.
SELECT each.key AS name, sum(each.value::integer) AS count
FROM exchanges, jsonb_each_text(made) AS each
WHERE formed_at >= $1
GROUP BY each.key
ORDER BY each.key;

-- name: model_tokens_since
-- What background models took since a day, over all users; and of the days of which it is known how much for summaries.
SELECT coalesce(sum(tokens), 0)::bigint AS tokens,
    coalesce(sum(tokens) FILTER (WHERE summary_tokens IS NOT NULL), 0)::bigint AS known,
    coalesce(sum(summary_tokens), 0)::bigint AS summaries
FROM model_usage
WHERE day >= $1;

-- name: usage_by_user_and_day
-- What memory took of each user's tokens on each day (UTC) since one: added to prompts, and in calls of background models.
SELECT user_id, day, coalesce(p.turns, 0) AS turns, coalesce(p.tokens, 0)::bigint AS prompt_tokens,
    coalesce(m.tokens, 0)::bigint AS model_tokens, coalesce(m.calls, 0) AS model_calls
FROM (SELECT user_id, day, tokens, calls FROM model_usage WHERE day >= $1::date) AS m
FULL JOIN (
    SELECT person_of(user_id) AS user_id, (at AT TIME ZONE 'UTC')::date AS day, count(*) AS turns, sum(tokens + history_tokens) AS tokens
    FROM request_metrics
    WHERE at >= $1::date::timestamp AT TIME ZONE 'UTC'
    GROUP BY 1, 2
) AS p USING (user_id, day)
ORDER BY day DESC, coalesce(m.tokens, 0) + coalesce(p.tokens, 0) DESC, user_id;
