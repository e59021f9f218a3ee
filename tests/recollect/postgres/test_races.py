import asyncio
import uuid

from tests.contracts.stores import ANNA, NOON, exchange, memory
from tests.databases import administrator

from recollect.model import Actor, Add, Change, Ignore, Reason, Reinforce, Replace, Retire
from recollect.postgres import Postgres
from recollect.postgres.erasure import ERASED_TABLES

WRITERS = 8


async def apply(postgres: Postgres, change: Change) -> Change:
    [done] = await postgres.memories.apply(ANNA, [change], actor=Actor.FORMATION, at=NOON)
    return done


async def test_writers_of_equal_content_end_with_one_memory(postgres: Postgres) -> None:
    done = await asyncio.gather(*(apply(postgres, Add(memory("Likes tea"))) for _ in range(WRITERS)))

    assert sum(isinstance(each, Add) for each in done) == 1
    assert sum(isinstance(each, Ignore) for each in done) == WRITERS - 1
    assert len((await postgres.memories.page("anna", limit=9)).memories) == 1
    assert len(await postgres.memories.history("anna", limit=9)) == 1


async def test_replacements_of_one_memory_follow_each_other(postgres: Postgres) -> None:
    old = memory("Lives in Rome")
    await apply(postgres, Add(old))

    done = await asyncio.gather(
        *(
            apply(postgres, Replace(old.id, memory(f"Lives in town {number}"), Reason.CONTRADICTS))
            for number in range(WRITERS)
        )
    )

    assert sum(isinstance(each, Replace) for each in done) == 1
    assert len((await postgres.memories.page("anna", limit=99)).memories) == WRITERS


async def test_reinforcements_and_touches_are_all_counted(postgres: Postgres) -> None:
    ids = []
    for number in range(5):
        new = memory(f"number {number}")
        await apply(postgres, Add(new))
        ids.append(new.id)

    await asyncio.gather(
        *(apply(postgres, Reinforce(each)) for each in ids),
        *(postgres.memories.touch("anna", ids[::step], at=NOON) for step in (1, -1) * 5),
        apply(postgres, Retire(ids[0], Reason.DELETED)),
    )

    for each in (await postgres.memories.page("anna", limit=9)).memories:
        assert (each.reinforcement_count, each.recall_count) == (1, 10)


async def test_appends_in_one_session_have_their_own_places(postgres: Postgres, store_dsn: str) -> None:
    said = [exchange(f"number {number}") for number in range(WRITERS)]

    appended = await asyncio.gather(*(postgres.log.append(each) for each in said + said))

    assert sum(appended) == WRITERS
    async with administrator(store_dsn) as connection:
        places = await connection.fetch("SELECT turn_index FROM recollect.messages ORDER BY turn_index")
    assert [row["turn_index"] for row in places] == list(range(2 * WRITERS))


async def test_an_exchange_completed_by_two_is_completed_once(postgres: Postgres) -> None:
    said = exchange("I like tea")
    await postgres.log.append(said)

    done = await asyncio.gather(
        *(
            postgres.inbox.complete(said, [Add(memory(f"Likes tea {number}"))], at=NOON)
            for number in range(WRITERS)
        )
    )

    assert sum(each is not None for each in done) == 1
    assert len((await postgres.memories.page("anna", limit=99)).memories) == 1


async def test_an_erasure_among_writers_leaves_nothing_behind_it(postgres: Postgres, store_dsn: str) -> None:
    said = [exchange(f"number {number}") for number in range(WRITERS)]
    for each in said:
        await postgres.log.append(each)

    await asyncio.gather(
        *(postgres.inbox.complete(each, [Add(memory(each.turn.text))], at=NOON) for each in said[:4]),
        postgres.memories.erase("anna", at=NOON),
        *(postgres.inbox.complete(each, [Add(memory(each.turn.text))], at=NOON) for each in said[4:]),
    )

    async with administrator(store_dsn) as connection:
        for table in ERASED_TABLES:
            assert await connection.fetchval(f"SELECT count(*) FROM recollect.{table}") == 0


async def test_ids_that_no_clock_made_do_not_confuse_pages(postgres: Postgres) -> None:
    for _ in range(5):
        identifier = uuid.uuid4()
        await apply(postgres, Add(memory(f"by chance {identifier}", id=identifier)))

    first = await postgres.memories.page("anna", limit=3)
    second = await postgres.memories.page("anna", limit=3, after=first.next)

    assert len({each.id for each in (*first.memories, *second.memories)}) == 5
