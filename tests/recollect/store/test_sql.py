import re

import pytest

from recollect.store.sql import SQL, Query, load_migrations, load_queries, of_table, read_queries

USER_TABLES = {
    *("vectors", "users", "users_vectors", "memory_updates", "sessions", "messages", "exchanges", "leases"),
    *("tries", "admin_reads", "message_chunks", "chunk_vectors", "injections", "chat_requests"),
    *("chats_left_out", "request_metrics", "quarantine", "profile_entries", "not_helpful", "projects"),
    *("user_settings", "model_usage", "kept_answers"),
}
QUERIES = {name: text for name, text in SQL.items() if "{table}" not in text} | {
    f"{name} of {table}": of_table(name, table)
    for name, text in SQL.items()
    if "{table}" in text
    for table in sorted(USER_TABLES)
}
"""Every query by its name; one of any table for each of the users' tables."""
REPORTED = (
    *("questions_since", "questions_by_day", "formed_by_day", "skips_since", "paths_since"),
    *("given_since", "formed_since", "made_since", "model_tokens_since", "not_helpful_since"),
)
OVER_ALL_USERS = {
    "backlog": "counts for the operator, and names nobody",
    "retry_failed": "the operator tries again what failed, whoever's it is",
    "users_who_wait": "a start, or the operator, has what waits for a model tried again, whoever's it is",
    "wake_first": "the same",
    "waiting_by_reason": "counts for the operator, and names nobody",
    "unread_by_reason": "the same",
    "answers_under_way": "a worker of its own looks whether chats run, whoever's they are, and counts them",
    "users_with_open_exchanges": "the operator's tidying ends what a relay that died left open, whoever's it is",
    "users_without_index": "the operator's jobs index what was said before there was an index",
    "users_being_rebuilt": "the operator who asked for new indexes looks how far they are; no word of anybody's",
    "users_to_embed": "the operator's job goes from user to user where the embedder was replaced",
    "count_users_to_embed": "how far that is, and names nobody",
    "largest_users": "the operator measures the gate where there is most to find",
    "request_metrics_of": "the operator knows a request by its id, not whose it was",
    "prune_request_metrics": "nobody's is kept for longer",
    "prune_admin_reads": "what administrators read is kept for a year",
    "prune_usage": "what models took is counted for a while",
    "runs_of_repair": "the operator names a run of repairs by a part of its id, and no one's memory",
    "users_of_repair": "the operator undoes a run of repairs, whoever's memories it changed",
    "versions_of_users": "a process asks whose memory that it keeps has changed; no text",
    "places_of_users": "a process asks whose changes its streams of events have to read; no text",
    "unsent_users": "the operator's webhook has something to be sent; no text",
    "known_users": "the operator lists who is known, and how much is kept of each: no word of theirs; an administrator "
    "looks among them for whose page they open",
    "users_with_old_exchanges": "the engine's maintenance erases old messages, whoever said them; no word of theirs",
    "users_who_expire": "the engine's maintenance forgets, whoever's it is; no word of theirs",
    "count_memories": "the operator knows how many there are, not whose",
    "erase_shared": "what was shared goes with the last user who sees it",
    "left_of_shared": "what was shared and nobody sees is looked for once more",
    "delete_injections_of_all": "what served everybody is taken from everybody's prompts",
    "erase_kept_answers_around": "an answer in a team may quote another member",
    "prune_kept_answers": "an answer is kept for a day, whoever's it is",
    **dict.fromkeys(REPORTED, "the operator's report of a week, and names nobody"),
    "usage_by_user_and_day": "the operator looks who takes how many tokens; no word of theirs",
    "usage_of_everybody": "what models may take of a day is limited for all together, too",
}
OF_THE_USER = r"(?:user_id|owner) (?:= \$1|IN \('\*', \$1\))"
OF_EVERYBODY = r"(?:user_id|owner) = '\*'"  # which is in the open
OF_ONE_USER = re.compile(rf"\b{OF_THE_USER}")
OF_ONE_USER_ALONE = re.compile(rf"\s+(?:SET [^;]*?)?WHERE [^()]*\b(?:{OF_THE_USER}|{OF_EVERYBODY})")
OF_A_USER_INSERTED = re.compile(r"INSERT INTO \w+ \(\s*(?:user_id|owner),[^;]*?(?:VALUES \(\s*|SELECT )\$1,")


def tables_of(text: str) -> set[str]:
    return set(re.findall(r"\b(?:FROM|JOIN|INTO|UPDATE) (\w+)", text)) & USER_TABLES


def test_every_query_of_a_users_table_is_of_one_user() -> None:
    unbound = {
        name
        for name, text in QUERIES.items()
        if tables_of(text) and not OF_ONE_USER.search(text) and not OF_A_USER_INSERTED.search(text)
    }

    assert unbound == set(OVER_ALL_USERS)


def test_every_table_of_a_query_is_of_one_user() -> None:
    for name, text in QUERIES.items():
        for table, alias in re.findall(r"\b(?:FROM|JOIN|UPDATE) (\w+) AS (\w+)", text):
            if table not in USER_TABLES or name in OVER_ALL_USERS:
                continue
            bound = (
                rf"\b{alias}\.(?:user_id|owner) (?:= \$1|= '\*'|= \w+\.(?:user_id|owner)|IN \(\$1, '\*'\))"
            )
            assert re.search(bound, text), f"{name}: {table} AS {alias}"


def test_every_table_without_another_name_is_of_one_user() -> None:
    for name, text in QUERIES.items():
        for found in re.finditer(r"\b(?:FROM|JOIN|UPDATE) (\w+)(?! AS)\b", text):
            if found[1] in USER_TABLES and name not in OVER_ALL_USERS:
                assert OF_ONE_USER_ALONE.match(text, found.end()), f"{name}: {found[1]}"


@pytest.mark.parametrize("name", ["erase_shared", "left_of_shared"])
def test_what_is_erased_over_all_users_is_what_some_of_them_shared(name: str) -> None:
    assert re.search(r"WHERE v\.owner = '\*' AND [^;]*\bv\.source <> 'global'", SQL[name])


def test_every_table_of_a_user_is_known_to_these_tests() -> None:
    created = "\n".join(migration.text for migration in load_migrations())
    of_nobody = {"erased", "erasures", "embedders", "teams", "untold_erasures", "webhook_turn"}

    assert set(re.findall(r"^CREATE TABLE (\w+)(?! PARTITION OF)\b", created, re.MULTILINE)) - {
        "request_metrics_rest"
    } == (USER_TABLES | of_nobody)


def test_a_file_gives_its_queries_by_name() -> None:
    text = "-- name: one\n-- Says one.\nSELECT 1;\n\n-- name: two\n-- Says two.\n-- Twice.\nSELECT 2;\n"

    assert list(read_queries(text)) == [
        Query("one", "Says one.", "SELECT 1;"),
        Query("two", "Says two.", "-- Twice.\nSELECT 2;"),
    ]


def test_a_query_without_a_name_is_refused() -> None:
    with pytest.raises(ValueError, match="without a name"):
        list(read_queries("SELECT 1;"))


def test_two_queries_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    same = Query("one", "Says one.", "SELECT 1;")
    monkeypatch.setattr("recollect.store.sql.read_queries", lambda _: [same, same])

    with pytest.raises(ValueError, match="named one"):
        load_queries()


def test_migrations_are_numbered_without_gaps() -> None:
    assert [migration.version for migration in load_migrations()] == [
        number + 1 for number in range(len(load_migrations()))
    ]


def test_a_file_that_is_no_migration_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.store.sql._MIGRATION", re.compile("never"))

    with pytest.raises(ValueError, match="Not the name of a migration"):
        load_migrations()
