"""What requests were like goes day by day: a day is a part of its table, and is dropped as a whole."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from tests.recollect.store.keeping import like_a_request
from tests.servers.databases import administrator, sql_rows, sql_value
from tests.support.notes import note_request
from tests.support.stores import Store, store_over

from recollect.store import open_postgres

TODAY = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0)
PARTS = """
    SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = 'recollect.request_metrics'::regclass ORDER BY relname
"""


def id_of(moment: datetime, number: int = 0) -> UUID:
    """Return an id that was made then (RFC 9562, version 7)."""
    return UUID(int=(int(moment.timestamp() * 1000) << 80) | (7 << 76) | (2 << 62) | number)


async def parts(dsn: str) -> list[str]:
    return [row["relname"] for row in await sql_rows(dsn, PARTS)]


async def record(store: Store, moment: datetime, number: int = 0) -> UUID:

    request = replace(like_a_request(store.anna.scope), id=id_of(moment, number), at=moment)
    await note_request(store.log, request)
    return request.id


async def part_of(dsn: str, request: UUID) -> str:
    name: str = await sql_value(
        dsn, "SELECT tableoid::regclass::text FROM recollect.request_metrics WHERE id = $1", request
    )
    return name.removeprefix("recollect.")


def named(day: date) -> str:
    return f"request_metrics_{day:%Y%m%d}"


async def test_the_days_to_come_have_a_part_each_and_are_made_once(new_dsn: str) -> None:
    postgres = await open_postgres(
        new_dsn
    )  # others' rows, as of the next day, would keep a part from being made
    first = TODAY.date()
    await postgres.requests.prepare_days(first, 3)
    found = await parts(new_dsn)

    assert {named(first + timedelta(days=1)), named(first + timedelta(days=2))} <= set(found)
    assert named(first) in found, "the schema makes today's"
    assert await postgres.requests.prepare_days(first, 3) == 0
    await postgres.aclose()


async def test_a_day_is_dropped_once_it_is_over_and_what_has_none_is_deleted(new_dsn: str) -> None:

    postgres = await open_postgres(new_dsn)
    store = store_over(postgres)
    await store.requests.prepare_days(TODAY.date(), 40)
    dated = [TODAY + timedelta(days=days) for days in (0, 2, 3, 33)]
    ids = [await record(store, each, number) for number, each in enumerate(dated)]
    far = await record(store, TODAY + timedelta(days=200))
    where = [await part_of(new_dsn, each) for each in (*ids, far)]
    before = dated[2] + timedelta(hours=3)  # of that day's evening

    gone = await store.retention.prune(before)
    left = await parts(new_dsn)
    known = [await store.requests.request(each) is not None for each in (*ids, far)]
    again = await store.retention.prune(dated[2] + timedelta(days=1))
    await postgres.aclose()

    assert where == [*(named(each.date()) for each in dated), "request_metrics_rest"]
    assert gone == 2
    assert named(dated[0].date()) not in left
    assert named(dated[1].date()) not in left
    assert known == [False, False, True, True, True]
    assert again == 1
    assert named(dated[2].date()) not in await parts(new_dsn)


async def test_a_part_that_somebody_reads_is_left_for_the_next_time(new_dsn: str) -> None:

    postgres = await open_postgres(new_dsn)
    store = store_over(postgres)
    await record(store, TODAY)
    later = TODAY + timedelta(days=60)
    async with administrator(new_dsn) as reading, reading.transaction():
        await reading.execute("SELECT count(*) FROM recollect.request_metrics")
        kept = await store.retention.prune(later)
        held = await parts(new_dsn)
    await store.retention.prune(later)
    await postgres.aclose()

    assert kept == 1, "its rows are deleted one by one"
    assert named(TODAY.date()) in held
    assert named(TODAY.date()) not in await parts(new_dsn)


async def test_nobody_reads_a_part_by_its_own_name(store: Store, shared_dsn: str) -> None:
    part = await part_of(shared_dsn, await record(store, TODAY))
    async with administrator(shared_dsn) as connection, connection.transaction():
        await connection.execute("SELECT set_config('recollect.user_id', $1, true)", store.anna)
        await connection.execute(f"GRANT SELECT ON recollect.{part} TO recollect_user")
        await connection.execute("SET LOCAL ROLE recollect_user")
        of_part = await connection.fetchval(f"SELECT count(*) FROM recollect.{part}")
        of_all = await connection.fetchval("SELECT count(*) FROM recollect.request_metrics")

    assert (of_part, of_all >= 1) == (0, True)
