import asyncio
import uuid
from dataclasses import replace

from tests.contracts.stores import ANNA, MODEL, NOON, NORTH, exchange, memory, vector
from tests.databases import administrator
from tests.recollect.postgres.found import like_a_request

from recollect.lexical import document_terms
from recollect.model import (
    Actor,
    Add,
    Change,
    Formed,
    Ignore,
    IndexedChunk,
    IndexedMessage,
    Injection,
    LoggedMessage,
    Place,
    Provenance,
    Reason,
    Reinforce,
    Replace,
    Retire,
)
from recollect.postgres import Postgres
from recollect.postgres.erasure import ERASED_TABLES

WRITERS = 8
WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND \
database = (SELECT oid FROM pg_database WHERE datname = current_database())"


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
            postgres.inbox.complete([Formed(said, (Add(memory(f"Likes tea {number}")),))], at=NOON)
            for number in range(WRITERS)
        )
    )

    assert sum(each is not None for each in done) == 1
    assert len((await postgres.memories.page("anna", limit=99)).memories) == 1


async def test_of_batches_that_share_an_exchange_one_is_completed_whole(postgres: Postgres) -> None:
    said = [exchange(f"number {number}") for number in range(WRITERS + 1)]
    for each in said:
        await postgres.log.append(each)
    batches = [
        [Formed(each, (Add(memory(f"{each.turn.text} of {one.turn.text}")),)) for each in (said[0], one)]
        for one in said[1:]
    ]

    done = await asyncio.gather(
        *(postgres.inbox.complete(batch, at=NOON) for batch in batches),
        *(postgres.inbox.postpone(said[0], error="busy", until=NOON) for _ in range(WRITERS)),
    )

    assert sum(each is not None for each in done[:WRITERS]) == 1
    assert len((await postgres.memories.page("anna", limit=99)).memories) == 2
    assert len(await postgres.inbox.pending("anna", limit=99)) == WRITERS - 1


async def test_an_erasure_among_writers_leaves_nothing_behind_it(postgres: Postgres, store_dsn: str) -> None:
    said = [exchange(f"number {number}") for number in range(WRITERS)]
    for each in said:
        await postgres.log.append(each)

    await asyncio.gather(
        *(
            postgres.inbox.complete([Formed(each, (Add(memory(each.turn.text)),))], at=NOON)
            for each in said[:4]
        ),
        postgres.memories.erase("anna", at=NOON),
        *(
            postgres.inbox.complete([Formed(each, (Add(memory(each.turn.text)),))], at=NOON)
            for each in said[4:]
        ),
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


# -- the index -------------------------------------------------------------------------------------


async def left_of(dsn: str) -> dict[str, int]:
    """Count the rows of each table that holds what a user has."""
    async with administrator(dsn) as connection:
        counts = {
            table: await connection.fetchval(f"SELECT count(*) FROM recollect.{table}")
            for table in ERASED_TABLES
        }
    return {table: count for table, count in counts.items() if count}


def as_indexed(message: LoggedMessage) -> IndexedMessage:
    terms = document_terms(message.content)
    chunk = IndexedChunk(
        0,
        len(message.content),
        code=False,
        language=None,
        terms=terms,
        context={"rain": 1},
        vectors=(vector(*NORTH),),
    )
    return IndexedMessage(message.id, (chunk,), terms, MODEL)


async def test_a_message_that_several_workers_index_is_indexed_once(
    postgres: Postgres, store_dsn: str
) -> None:
    await postgres.log.append(exchange("I like tea", reply=""))
    [message] = await postgres.index.unindexed("anna", limit=9)

    done = await asyncio.gather(*(postgres.index.index("anna", as_indexed(message)) for _ in range(WRITERS)))

    assert sum(done) == 1
    left = await left_of(store_dsn)
    assert (left["message_chunks"], left["chunk_vectors"], left["corpora"]) == (1, 1, 1)
    lexicon = await postgres.memories.lexicon("anna", ["tea", "rain"])
    assert lexicon.documents == 1
    assert [each.frequencies.tolist() for each in lexicon.occurrences.values()] == [[1], [1]]


async def test_messages_and_memories_indexed_at_once_lose_no_word(postgres: Postgres) -> None:
    for number in range(WRITERS):
        await postgres.log.append(exchange(f"tea number {number}", reply=""))
    messages = await postgres.index.unindexed("anna", limit=99)

    await asyncio.gather(
        *(postgres.index.index("anna", as_indexed(each)) for each in messages),
        *(apply(postgres, Add(memory(f"tea for {number}"))) for number in range(WRITERS)),
    )

    lexicon = await postgres.memories.lexicon("anna", ["tea"])
    assert lexicon.documents == len(lexicon.occurrences["tea"].documents) == 2 * WRITERS


async def test_an_index_under_way_leaves_nothing_of_an_erased_user(
    postgres: Postgres, store_dsn: str
) -> None:
    for number in range(WRITERS):
        await postgres.log.append(exchange(f"tea number {number}"))
    messages = await postgres.index.unindexed("anna", limit=99)
    first, *others = messages
    await postgres.index.index("anna", as_indexed(first))
    [chunk] = await postgres.index.unembedded("anna", "other", limit=1)

    await asyncio.gather(
        *(postgres.index.index("anna", as_indexed(each)) for each in others[:WRITERS]),
        postgres.index.embed("anna", chunk.document, [vector(*NORTH)], "other"),
        postgres.memories.erase("anna", at=NOON),
        *(postgres.index.index("anna", as_indexed(each)) for each in others[WRITERS:]),
        postgres.index.index_memories("anna", limit=9),
        postgres.index.embed("anna", chunk.document, [vector(*NORTH)], "other"),
    )

    assert await left_of(store_dsn) == {}


async def test_what_is_forgotten_while_it_is_indexed_is_never_found(postgres: Postgres) -> None:
    for round_ in range(WRITERS):
        said = exchange("I like tea", reply="Tea, noted.")
        await postgres.log.append(said)
        tea = memory(f"Likes tea {round_}", provenance=Provenance("chat-1", (said.message_id,)))
        await apply(postgres, Add(tea))
        question, answer = await postgres.index.unindexed("anna", limit=9)
        forget = Retire(tea.id, Reason.DELETED)

        await asyncio.gather(
            postgres.index.index("anna", as_indexed(question)),
            apply(postgres, forget),
            postgres.index.index("anna", as_indexed(answer)),
        )

        lexicon = await postgres.memories.lexicon("anna", ["tea", "note", "rain"])
        assert (lexicon.documents, lexicon.occurrences) == (0, {})
        numbers = list(range(99))
        hits = await postgres.memories.search(
            ANNA, vector(*NORTH), MODEL, documents=numbers, limit=9, log=True
        )
        assert hits == []
        assert await postgres.index.unembedded("anna", "other", limit=9) == []


async def test_a_reply_that_comes_while_its_question_is_forgotten_is_never_found(postgres: Postgres) -> None:
    for round_ in range(WRITERS):
        said = exchange(f"I like tea {round_}", reply="")
        await postgres.log.append(said)
        tea = memory(f"Likes tea {round_}", provenance=Provenance("chat-1", (said.message_id,)))
        await apply(postgres, Add(tea))

        await asyncio.gather(
            postgres.log.append(exchange(said.turn.text, key=said.turn.key, reply="Tea, noted.")),
            apply(postgres, Retire(tea.id, Reason.DELETED)),
        )
        for message in await postgres.index.unindexed("anna", limit=9):
            await postgres.index.index("anna", as_indexed(message))

        assert (await postgres.memories.lexicon("anna", ["tea", "note"])).occurrences == {}


async def test_a_request_is_not_recorded_beside_an_erasure_that_does_not_see_it(
    postgres: Postgres, store_dsn: str
) -> None:
    async with postgres.database.changing("anna"):
        recording = asyncio.create_task(postgres.requests.record(like_a_request(ANNA)))
        await waiting_for_a_lock(store_dsn, 1)
        erasing = asyncio.create_task(postgres.memories.erase("anna", at=NOON))
        await waiting_for_a_lock(store_dsn, 2)
    await recording
    await erasing

    assert await left_of(store_dsn) == {}


async def waiting_for_a_lock(dsn: str, count: int) -> None:
    async with asyncio.timeout(20), administrator(dsn) as connection:
        while await connection.fetchval(WAITING) < count:  # noqa: ASYNC110 -- another process knows
            await asyncio.sleep(0.01)


async def test_a_message_of_very_many_chunks_is_indexed(postgres: Postgres) -> None:
    await postgres.log.append(exchange("I like tea", reply=""))
    [message] = await postgres.index.unindexed("anna", limit=9)
    indexed = as_indexed(message)
    many = 2**15 + 2

    assert await postgres.index.index("anna", replace(indexed, chunks=indexed.chunks * many))

    lexicon = await postgres.memories.lexicon("anna", ["tea"])
    assert lexicon.documents == len(lexicon.occurrences["tea"].documents) == many


async def test_a_block_that_two_requests_add_is_added_once(postgres: Postgres) -> None:
    blocks = [Injection("a:1", Place.SYSTEM, f"block {n}", (), 1, NOON) for n in range(WRITERS)]

    await asyncio.gather(*(postgres.chats.inject(ANNA, each, []) for each in blocks))

    [kept] = (await postgres.chats.chat(ANNA, exchanges=9)).injections
    assert kept in blocks
