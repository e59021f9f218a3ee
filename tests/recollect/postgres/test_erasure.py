from tests.contracts.stores import BEN, LATER, NOON, exchange, memory
from tests.databases import administrator
from tests.recollect.postgres.found import added_to_a_prompt, indexed, like_a_request
from uuid_utils.compat import uuid7

from recollect.model import COMMONS, Actor, Add, Provenance, Reason, Replace, Retire, Scope
from recollect.postgres import Postgres
from recollect.postgres.erasure import ERASED_TABLES

NAME = "anna-of-the-canary-islands"
ANNA = Scope(NAME, f"chat of {NAME}")
ROWS = """
SELECT row_to_json(each)::text AS row FROM recollect.{table} AS each
"""


async def live_a_little(postgres: Postgres) -> None:
    """Leave a row of the user in every table there is."""
    tea = memory(f"{NAME} likes tea", ANNA, provenance=Provenance(ANNA.session_id, (uuid7(),), NAME))
    shared = memory("The office closes at six", owner=COMMONS)
    rain = memory(f"{NAME} likes rain", ANNA)
    changes = (
        Add(tea),
        Add(shared),
        Replace(tea.id, memory(f"{NAME} likes coffee", ANNA), Reason.CONTRADICTS),
        Add(rain),
        Retire(rain.id, Reason.DELETED),
    )
    await postgres.memories.apply(ANNA, changes, actor=Actor.FORMATION, at=NOON)
    for reply in ("", f"Hello {NAME}"):
        await postgres.log.append(exchange(f"I am {NAME}", ANNA, reply=reply, speaker=NAME))
    failed = exchange(f"I am {NAME}", ANNA)
    await postgres.log.append(failed)
    await postgres.inbox.postpone(failed, error="broken", until=None)
    assert await indexed(postgres, NAME) == 5
    await postgres.chats.inject(ANNA, added_to_a_prompt(f"What {NAME} likes"), [])
    await postgres.requests.record(like_a_request(ANNA))


async def rows_with_the_name(dsn: str) -> dict[str, int]:
    async with administrator(dsn) as connection:
        tables = await connection.fetch(
            "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'recollect'"
        )
        found = {}
        for table in tables:
            rows = await connection.fetch(ROWS.format(table=table["name"]))
            named = [row for row in rows if NAME in row["row"] or NAME.encode().hex() in row["row"]]
            found[table["name"]] = len(named)
        return found


async def test_no_row_of_any_table_or_queue_names_the_erased_user(postgres: Postgres, store_dsn: str) -> None:
    await live_a_little(postgres)
    await postgres.log.append(exchange("I am Ben", BEN))
    async with postgres.inbox.lease(NAME) as held:
        assert held
        before = await rows_with_the_name(store_dsn)
        assert all(before[table] for table in (*ERASED_TABLES, "pgqueuer")), before

        erasure = await postgres.memories.erase(NAME, at=LATER)

    assert not any((await rows_with_the_name(store_dsn)).values())
    assert {table for table, _ in erasure.rows} == {*ERASED_TABLES, "pgqueuer", "pgqueuer_log"}
    assert all(count > 0 for _, count in erasure.rows), erasure
    assert await postgres.inbox.next("ben") is not None


async def test_every_table_that_names_a_user_is_erased(store_dsn: str) -> None:
    async with administrator(store_dsn) as connection:
        rows = await connection.fetch(
            "SELECT DISTINCT table_name FROM information_schema.columns "
            "WHERE table_schema = 'recollect' AND column_name IN ('user_id', 'owner')"
        )

    assert {row["table_name"] for row in rows} == set(ERASED_TABLES)


async def test_the_tombstone_tells_how_much_and_when_but_not_whose(
    postgres: Postgres, store_dsn: str
) -> None:
    await live_a_little(postgres)
    erasure = await postgres.memories.erase(NAME, at=LATER)

    async with administrator(store_dsn) as connection:
        [row] = await connection.fetch(
            "SELECT id, erased_at, counts->>'vectors' AS vectors FROM recollect.erasures"
        )

    assert (row["id"], row["erased_at"]) == (erasure.id, LATER)
    assert int(row["vectors"]) == dict(erasure.rows)["vectors"] == 3


async def test_the_jobs_of_other_users_stay(postgres: Postgres, store_dsn: str) -> None:
    for user_id in (NAME, NAME + "x", NAME[:-1], NAME.upper()):
        await postgres.log.append(exchange("hello", Scope(user_id, "chat-1")))

    erasure = await postgres.memories.erase(NAME, at=LATER)

    assert dict(erasure.rows)["pgqueuer"] == 1
    async with administrator(store_dsn) as connection:
        assert await connection.fetchval("SELECT count(*) FROM recollect.pgqueuer") == 3
        assert await connection.fetchval("SELECT count(*) FROM recollect.pgqueuer_log") == 3
