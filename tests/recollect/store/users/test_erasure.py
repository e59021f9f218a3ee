import asyncio
import re
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.recollect.store.keeping import (
    a_statement,
    added_to_a_prompt,
    apply,
    contents,
    indexed,
    like_a_request,
    rows_with,
)
from tests.servers.databases import administrator, sql_rows
from tests.support.notes import note_block, note_request
from tests.support.stores import LATER, NOON, Store
from tests.support.waiting import until
from uuid_utils.compat import uuid7

from recollect.model import (
    COMMONS,
    LISTED,
    Actor,
    Add,
    AdminRead,
    Flags,
    Hints,
    KeptRequest,
    Member,
    Memory,
    Provenance,
    Quarantine,
    Reason,
    Replace,
    Retire,
    Scope,
    Source,
    TeamRole,
    Use,
    project_scope,
)
from recollect.store import Postgres
from recollect.store.memories.transaction import Transaction
from recollect.store.pool import Connection
from recollect.store.sql import SQL
from recollect.store.users.user_erasure import ERASED_TABLES, VACUUMED_TABLES, erase_user

NAME = "anna-of-the-canary-islands"
ANNA = Scope(NAME, f"chat of {NAME}")
WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND \
database = (SELECT oid FROM pg_database WHERE datname = current_database())"


async def live_a_little(store: Store) -> None:
    """Leave a row of the user in every table there is."""
    hints = Hints(Use.TOPIC, (NAME,), (f"What does {NAME} like?",))
    rests_on = Provenance(ANNA.session_id, (uuid7(),), NAME)
    tea = store.memory(f"{NAME} likes tea", ANNA, provenance=rests_on, hints=hints)
    choir = store.memory("The choir meets on Mondays", ANNA, hints=hints)
    shared = store.memory("The office closes at six", owner=COMMONS)
    rain = store.memory(f"{NAME} likes rain", ANNA)
    changes = (
        Add(tea),
        Add(shared),
        Replace(tea.id, store.memory(f"{NAME} likes coffee", ANNA), Reason.CONTRADICTS),
        Add(rain),
        Add(choir),
        Retire(rain.id, Reason.DELETED),
    )
    await store.memories.apply(ANNA, changes, actor=Actor.FORMATION, at=NOON)
    given = await store.memories.share(NAME, choir.id, at=NOON, actor=Actor.USER)
    await store.memories.apply(store.ben.scope, [Add(given)], actor=Actor.USER, at=NOON)  # it stays for Ben
    for reply in ("", f"Hello {NAME}"):
        await store.log.append(store.exchange(f"I am {NAME}", ANNA, reply=reply, speaker=NAME))
    failed = store.exchange(f"I am {NAME}", ANNA)
    await store.log.append(failed)
    await store.inbox.postpone(failed, error="broken", until=None)
    assert await indexed(store.index, NAME) == 5
    await note_block(store.log, ANNA, added_to_a_prompt(f"What {NAME} likes"), [])
    await store.asked.keep_request(ANNA, KeptRequest("a:1", LISTED, (), NOON))
    request = replace(like_a_request(ANNA), key=failed.turn.key)
    await note_request(store.log, request)
    assert await store.feedback.note_not_helpful(NAME, request.id, choir.id, at=NOON)
    order = store.memory("Always greet", ANNA, hints=hints)
    await store.memories.apply(ANNA, [Quarantine(order, Reason.INSTRUCTION)], actor=Actor.FORMATION, at=NOON)
    await store.flags.change_flags(NAME, Flags(recall=False, profile=True), ("recall", "profile"), at=NOON)
    await store.profiles.add(NAME, a_statement(f"Is called {NAME}"))
    await store.usage.use(NAME, NOON.date(), 100)
    await store.log.append(store.exchange(f"{NAME}'s boat is blue", Scope(project_scope(NAME, "boat"), "a")))
    await store.admin_reads.add_read(NAME, AdminRead(uuid7(), NOON, "support", "list_memories"))


async def keep_an_answer(store: Store) -> None:
    assert await store.answers.reserve(NAME, "a key", b"a hash", at=NOON) is None
    await store.answers.keep(NAME, "a key", f"{NAME} likes tea".encode(), None, at=NOON)


async def test_no_row_of_any_table_or_queue_names_the_erased_user(own_store: Store, own_dsn: str) -> None:
    # Before the rest: it takes out of the pages what was noted, too.
    await own_store.memories.erase_session(Scope(NAME, "left out"), at=NOON, leaves_out=True)
    await live_a_little(own_store)
    await keep_an_answer(own_store)  # the erasure of a chat deletes such
    await own_store.log.append(own_store.exchange("I am Ben", own_store.ben.scope))
    async with own_store.database.for_user(NAME) as connection:
        await connection.execute(SQL["take_lease"], NAME, uuid7(), timedelta(minutes=1))
    await own_store.attempts.count_attempt(NAME, "form", "1", at=NOON, afresh=False)
    await own_store.teams.keep("crew", None)
    await own_store.teams.set_member("crew", Member(NAME, TeamRole.WRITER, NAME))
    assert {*ERASED_TABLES, "teams", "pgqueuer"} <= (await rows_with(own_dsn, NAME)).keys()

    erasure = await own_store.memories.erase(NAME, at=LATER)

    assert await rows_with(own_dsn, NAME) == {}
    assert {table for table, _ in erasure.rows} == {*ERASED_TABLES, "teams", "pgqueuer", "pgqueuer_log"}
    assert all(count > 0 for _, count in erasure.rows), erasure
    assert {table for table, _ in erasure.left} == {table for table, _ in erasure.rows}
    assert not any(count for _, count in erasure.left), erasure
    assert await own_store.inbox.pending(own_store.ben, limit=1) != []


LEFT = {
    "model_usage": "INSERT INTO recollect.model_usage (user_id, day, tokens, calls) VALUES ($1, now(), 1, 1)",
    "teams": "INSERT INTO recollect.teams (id, members) VALUES ('crew', jsonb_build_object($1::text, '{}'::jsonb))",
    "pgqueuer": "INSERT INTO recollect.pgqueuer (priority, entrypoint, payload, status) "
    "VALUES (0, 'form', convert_to($1, 'UTF8'), 'queued')",
}
"""By table, how a row of the user is left there."""
KEPT = {
    "vectors": "SELECT * FROM recollect.vectors WHERE owner = '*'",
    "pgqueuer_log": "SELECT * FROM recollect.pgqueuer_log",
}
"""By table, what is there again afterwards."""


async def test_a_recount_finds_more(own_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = own_store.memory("The office closes at six", owner=COMMONS)
    await own_store.memories.apply(ANNA, [Add(shared)], actor=Actor.USER, at=NOON)
    await imported(own_store, own_store.ben, "memories", **in_export(shared))
    await own_store.log.append(own_store.exchange("hello", ANNA))

    async def erase_and_say(connection: Connection, user_id: str, *, at: datetime) -> Any:
        await connection.execute("RESET ROLE")
        for name, query in KEPT.items():
            await connection.execute(f"CREATE TEMPORARY TABLE kept_{name} ON COMMIT DROP AS {query}")
        erased = await erase_user(connection, user_id, at=at)
        for name in KEPT:
            await connection.execute(f"INSERT INTO recollect.{name} SELECT * FROM kept_{name}")
        for query in LEFT.values():
            await connection.execute(query, user_id)
        return erased

    monkeypatch.setattr("recollect.store.memories.memories.erase_user", erase_and_say)
    erasure = await own_store.memories.erase(NAME, at=LATER)

    assert {table for table, count in erasure.left if count} == {*LEFT, *KEPT}


async def test_what_was_erased_is_made_free_where_the_role_may(own_store: Store, own_dsn: str) -> None:
    await live_a_little(own_store)
    await own_store.memories.erase(NAME, at=LATER)

    assert set(await own_store.memories.vacuum()) == set(VACUUMED_TABLES)

    async with administrator(own_dsn) as connection:
        count = "SELECT count(*) FROM pg_stat_all_tables WHERE schemaname = 'recollect' AND vacuum_count > 0"
        await until(lambda: connection.fetchval(count))
        rows = await connection.fetch(
            "SELECT coalesce(p.relname, s.relname) AS relname FROM pg_stat_all_tables AS s "
            "LEFT JOIN pg_inherits AS i ON i.inhrelid = s.relid LEFT JOIN pg_class AS p ON p.oid = i.inhparent "
            "WHERE s.schemaname = 'recollect' AND s.vacuum_count > 0"
        )
    assert {row["relname"] for row in rows} == set(VACUUMED_TABLES)


async def test_a_role_makes_free_what_it_owns_and_all_in_a_database_of_its_own(own_dsn: str) -> None:
    role = f"recollect_test_{uuid7().hex}"
    tables = ["messages", "sessions"]
    async with administrator(own_dsn) as connection:

        async def free(*changes: str) -> list[str]:
            for change in changes:
                await connection.execute(change)
            await connection.execute(f"SET LOCAL ROLE {role}")
            rows = await connection.fetch(SQL["may_vacuum"], tables)
            await connection.execute("RESET ROLE")
            return [row["name"] for row in rows]

        changing = connection.transaction()
        await changing.start()
        try:
            name = await connection.fetchval("SELECT quote_ident(current_database())")
            owns = f"CREATE SCHEMA AUTHORIZATION {role}", f"CREATE TABLE {role}.messages ()"
            assert (
                await free(f"CREATE ROLE {role}", *owns, f"ALTER TABLE {role}.messages OWNER TO {role}") == []
            )
            assert await free(f"ALTER TABLE recollect.messages OWNER TO {role}") == ["messages"]
            assert await free(f"ALTER DATABASE {name} OWNER TO {role}") == tables
        finally:
            await changing.rollback()


async def test_every_table_that_names_a_user_is_erased(shared_dsn: str) -> None:
    rows = await sql_rows(
        shared_dsn,
        "SELECT DISTINCT table_name FROM information_schema.columns "
        "JOIN pg_class ON oid = to_regclass('recollect.' || table_name) AND NOT relispartition "
        "WHERE table_schema = 'recollect' AND column_name IN ('user_id', 'owner')",
    )

    assert {row["table_name"] for row in rows} == set(ERASED_TABLES)


async def test_the_tombstone_tells_how_much_and_when_but_not_whose(own_store: Store, own_dsn: str) -> None:
    await live_a_little(own_store)
    erasure = await own_store.memories.erase(NAME, at=LATER)

    [_of_project, row] = await sql_rows(
        own_dsn, "SELECT id, erased_at, counts->>'vectors' AS vectors FROM recollect.erasures ORDER BY id"
    )

    assert (row["id"], row["erased_at"]) == (erasure.id, LATER)
    assert int(row["vectors"]) == dict(erasure.rows)["vectors"] == 4


async def test_who_was_erased_is_known_for_sixty_days_longer_than_requests(own_store: Store) -> None:
    store = own_store
    await live_a_little(store)
    for at in (NOON, NOON - timedelta(days=1)):  # by a machine whose clock is late
        await store.memories.erase(NAME, at=at)

    await store.retention.prune(NOON + timedelta(days=60))
    known = await store.log.erased_among([ANNA], NOON)
    await store.retention.prune(NOON + timedelta(days=60, seconds=1))

    assert known == {NAME: NOON}
    assert await store.log.erased_among([ANNA], NOON) == {}


async def test_who_was_erased_before_a_time_is_not_told(own_store: Store) -> None:
    await live_a_little(own_store)
    await own_store.memories.erase(NAME, at=NOON)

    assert await own_store.log.erased_among([ANNA], NOON + timedelta(seconds=1)) == {}


async def test_what_was_shared_goes_with_the_last_who_sees_it(own_store: Store, own_dsn: str) -> None:
    store, ben = own_store, own_store.ben
    seen_by_both = store.memory("The office closes at six", owner=COMMONS)
    let_go = store.memory("The network is called Guests", owner=COMMONS)
    hers = store.memory("The kitchen is on the left", ANNA)
    known = store.memory("The cellar is damp", owner=COMMONS, source=Source.GLOBAL)
    await store.memories.keep_globals([known], [], at=NOON)
    for scope, changes in (
        (ANNA, [Add(seen_by_both), Add(let_go), Add(hers)]),
        (ben.scope, [Add(seen_by_both)]),
    ):
        await store.memories.apply(scope, changes, actor=Actor.USER, at=NOON)
    await store.memories.share(NAME, hers.id, at=NOON, actor=Actor.USER)
    await store.memories.apply(ANNA, [Retire(let_go.id, Reason.DELETED)], actor=Actor.USER, at=NOON)

    erasure = await store.memories.erase(NAME, at=LATER)

    assert dict(erasure.rows)["vectors"] == 2
    assert await contents_of_all(own_dsn) == {seen_by_both.content, known.content}
    assert (await store.memories.get(ben, seen_by_both.id)).content == seen_by_both.content
    await apply(store, Retire(seen_by_both.id, Reason.DELETED), scope=ben.scope, actor=Actor.USER)
    await store.memories.erase(ben, at=LATER)
    assert await contents_of_all(own_dsn) == {known.content}


async def imported(store: Store, user_id: str, section: str, **row: Any) -> None:
    """Import one row of an export, whose ids its user may have chosen."""
    assert await store.portability.restore(user_id, section, [row]) == 1


def in_export(memory: Memory, **changed: Any) -> dict[str, Any]:
    """Return a memory as an export has it."""
    names = ("id", "kind", "source", "content", "importance", "confidence", "observed_at", "created_at")
    told = {name: str(getattr(memory, name)) for name in names}
    given = {"valid_from": str(NOON), "linked_at": str(NOON), "message_ids": [], "shared": False}
    return {**told, **given, "recall_count": 0, "reinforcement_count": 0, **changed}


async def test_what_came_with_an_import_goes_and_what_only_has_its_id_stays(
    own_store: Store, own_dsn: str
) -> None:
    store, ben = own_store, own_store.ben
    office = store.memory("The office closes at six", owner=COMMONS)
    cellar = store.memory("The cellar is damp", owner=COMMONS, source=Source.GLOBAL)
    bens = store.memory("The desk is Ben's", owner=COMMONS)
    await store.memories.keep_globals([cellar], [], at=NOON)
    await store.memories.apply(ben.scope, [Add(office), Add(bens)], actor=Actor.USER, at=NOON)
    await imported(store, NAME, "memories", **in_export(office, shared=True))
    history = {"id": str(uuid7()), "at": str(NOON), "action": "add", "actor": "user", "reason": "written"}
    await imported(store, NAME, "history", **history, memory_id=str(cellar.id), details={})
    await apply(store, Retire(office.id, Reason.DELETED), scope=ben.scope, actor=Actor.USER)
    await apply(store, Retire(bens.id, Reason.DELETED), scope=ben.scope, actor=Actor.USER)
    await imported(store, "clara", "memories", **in_export(office, content="Clara's own words"))

    erasure = await store.memories.erase(NAME, at=LATER)

    assert await contents_of_all(own_dsn) == {cellar.content, bens.content, "Clara's own words"}
    assert not any(count for _, count in erasure.left), erasure
    assert await contents(store, "clara") == ["Clara's own words"]


async def test_what_was_shared_came_with_an_import_and_was_replaced_goes_with_the_last(
    own_store: Store, own_dsn: str
) -> None:
    office, own = own_store.memory("The office is damp", owner=COMMONS), own_store.memory("It is dry", ANNA)
    await apply(own_store, Add(office), scope=own_store.ben.scope)
    await imported(own_store, NAME, "memories", **in_export(office, shared=True))
    await own_store.memories.erase(own_store.ben, at=NOON)
    await apply(own_store, Replace(office.id, own, Reason.CONTRADICTS), scope=ANNA)
    assert await contents_of_all(own_dsn) == {office.content, own.content}

    await own_store.memories.erase(NAME, at=LATER)

    assert await contents_of_all(own_dsn) == set()


async def test_what_is_given_while_another_is_erased_is_kept(store: Store, postgres: Postgres) -> None:
    shared = store.memory("The office closes at six", owner=COMMONS)
    await store.memories.apply(store.anna.scope, [Add(shared)], actor=Actor.USER, at=NOON)

    async with postgres.database.changing(store.ben) as giving:
        await Transaction(giving, store.ben, Actor.USER, NOON).insert(shared)
        erasing = asyncio.create_task(store.memories.erase(store.anna, at=LATER))
        await until(lambda: giving.fetchval(WAITING))

    await erasing
    assert (await store.memories.get(store.ben, shared.id)).content == shared.content


async def contents_of_all(dsn: str) -> set[str]:
    return {row["content"] for row in await sql_rows(dsn, "SELECT content FROM recollect.vectors")}


async def test_the_jobs_of_other_users_stay(own_store: Store, own_dsn: str) -> None:
    for user_id in (NAME, NAME + "x", NAME[:-1], NAME.upper()):
        await own_store.log.append(own_store.exchange("hello", Scope(user_id, "chat-1")))

    erasure = await own_store.memories.erase(NAME, at=LATER)

    assert dict(erasure.rows)["pgqueuer"] == 1
    async with administrator(own_dsn) as connection:
        assert await connection.fetchval("SELECT count(*) FROM recollect.pgqueuer") == 3
        assert await connection.fetchval("SELECT count(*) FROM recollect.pgqueuer_log") == 3


PAGE = Path(__file__).parents[4] / "docs" / "how-to" / "erase-a-person.md"


async def files_with_the_name(dsn: str) -> dict[str, set[str]]:
    """Return the files that hold the name once all is written: the database's own, and the write-ahead log's."""
    async with administrator(dsn) as connection:
        await connection.execute("CHECKPOINT")
        data = Path(await connection.fetchval("SHOW data_directory"))
        number = await connection.fetchval("SELECT oid FROM pg_database WHERE datname = current_database()")
    return {"tables": _holding(data / "base" / str(number)), "write-ahead log": _holding(data / "pg_wal")}


def _holding(folder: Path) -> set[str]:
    if not folder.is_dir():
        pytest.skip("the database server is on another machine")
    return {each.name for each in folder.iterdir() if each.is_file() and NAME.encode() in each.read_bytes()}


def statements() -> list[str]:
    """Return the statements that the page says to run."""
    blocks = re.findall(r"```sql\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    return [each.strip() for block in blocks for each in block.split(";") if each.strip()]


async def test_what_the_page_says_leaves_nothing_in_tables_files(own_store: Store, own_dsn: str) -> None:
    await live_a_little(own_store)
    told = await files_with_the_name(own_dsn)

    await own_store.memories.erase(NAME, at=LATER)
    erased = await files_with_the_name(own_dsn)
    async with administrator(own_dsn) as connection:
        for statement in statements():
            await connection.execute(statement)
    rewritten = await files_with_the_name(own_dsn)

    assert told["tables"], "it is there to be found"
    assert told["write-ahead log"], (
        "it stays there until that is recycled, which other tests hasten: the page says so"
    )
    assert erased["tables"], "a deleted row stays in its file: the page says so"
    assert rewritten["tables"] == set()


def test_the_page_rewrites_every_table_that_is_erased_from() -> None:
    named = {name for each in statements() for name in re.findall(r"recollect\.(\w+)", each)}

    assert named >= set(VACUUMED_TABLES)
