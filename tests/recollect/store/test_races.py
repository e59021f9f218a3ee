import asyncio

from tests.recollect.store.indexing import near
from tests.recollect.store.keeping import like_a_request
from tests.servers.databases import administrator, sql_value
from tests.support.notes import note_block, note_request
from tests.support.searching import lexicon_of
from tests.support.stores import MODEL, NOON, NORTH, Store, vector
from tests.support.waiting import until

from recollect.model import (
    Actor,
    Add,
    Change,
    Exchange,
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
from recollect.store import Postgres
from recollect.store.users.user_erasure import ERASED_TABLES
from recollect.text.lexical import document_terms

WRITERS = 8
WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND \
database = (SELECT oid FROM pg_database WHERE datname = current_database())"


async def apply(store: Store, change: Change) -> Change:
    [done] = await store.memories.apply(store.anna.scope, [change], actor=Actor.FORMATION, at=NOON)
    return done


async def test_writers_of_equal_content_end_with_one_memory(store: Store) -> None:
    done = await asyncio.gather(*(apply(store, Add(store.memory("Likes tea"))) for _ in range(WRITERS)))

    assert sum(isinstance(each, Add) for each in done) == 1
    assert sum(isinstance(each, Ignore) for each in done) == WRITERS - 1
    assert len((await store.memories.page(store.anna, limit=9)).memories) == 1
    assert len(await store.memories.history(store.anna, limit=9)) == 1


async def test_replacements_of_one_memory_follow_each_other(store: Store) -> None:
    old = store.memory("Lives in Rome")
    await apply(store, Add(old))

    towns = [store.memory(f"Lives in town {number}") for number in range(WRITERS)]
    moves = [Replace(old.id, each, Reason.CONTRADICTS) for each in towns]
    done = await asyncio.gather(*(apply(store, each) for each in moves))

    assert sum(isinstance(each, Replace) for each in done) == 1
    assert len((await store.memories.page(store.anna, limit=99)).memories) == WRITERS


async def test_reinforcements_and_touches_are_all_counted(store: Store) -> None:
    ids = []
    for number in range(5):
        new = store.memory(f"number {number}")
        await apply(store, Add(new))
        ids.append(new.id)

    await asyncio.gather(
        *(apply(store, Reinforce(each)) for each in ids),
        *(store.memories.touch(store.anna, ids[::step], at=NOON) for step in (1, -1) * 5),
        apply(store, Retire(ids[0], Reason.DELETED)),
    )

    for each in (await store.memories.page(store.anna, limit=9)).memories:
        assert (each.reinforcement_count, each.recall_count) == (1, 10)


async def test_appends_in_one_session_have_their_own_places(store: Store, postgres: Postgres) -> None:
    said = [store.exchange(f"number {number}") for number in range(WRITERS)]

    appended = await asyncio.gather(*(store.log.append(each) for each in said + said))

    assert sum(appended) == WRITERS
    async with postgres.database.for_user(store.anna) as connection:
        places = await connection.fetch("SELECT turn_index FROM messages ORDER BY turn_index")
    assert [row["turn_index"] for row in places] == list(range(2 * WRITERS))


async def test_an_exchange_completed_by_two_is_completed_once(store: Store) -> None:
    said = store.exchange("I like tea")
    await store.log.append(said)

    formed = [Formed(said, (Add(store.memory(f"Likes tea {number}")),)) for number in range(WRITERS)]
    done = await asyncio.gather(*(store.inbox.complete([each], at=NOON) for each in formed))

    assert sum(each is not None for each in done) == 1
    assert len((await store.memories.page(store.anna, limit=99)).memories) == 1


async def test_of_batches_that_share_an_exchange_one_is_completed_whole(store: Store) -> None:
    said = [store.exchange(f"number {number}") for number in range(WRITERS + 1)]
    for each in said:
        await store.log.append(each)

    def formed(each: Exchange, one: Exchange) -> Formed:
        return Formed(each, (Add(store.memory(f"{each.turn.text} of {one.turn.text}")),))

    batches = [[formed(each, one) for each in (said[0], one)] for one in said[1:]]

    done = await asyncio.gather(
        *(store.inbox.complete(batch, at=NOON) for batch in batches),
        *(store.inbox.postpone(said[0], error="busy", until=NOON) for _ in range(WRITERS)),
    )

    assert sum(each is not None for each in done[:WRITERS]) == 1
    assert len((await store.memories.page(store.anna, limit=99)).memories) == 2
    assert len(await store.inbox.pending(store.anna, limit=99)) == WRITERS - 1


async def test_an_erasure_among_writers_leaves_nothing_behind_it(own_store: Store, own_dsn: str) -> None:
    said = [own_store.exchange(f"number {number}") for number in range(WRITERS)]
    for each in said:
        await own_store.log.append(each)

    formed = [[Formed(each, (Add(own_store.memory(each.turn.text)),))] for each in said]
    forming = [own_store.inbox.complete(each, at=NOON) for each in formed]
    erasing = own_store.memories.erase(own_store.anna, at=NOON)
    await asyncio.gather(*forming[:4], erasing, *forming[4:])

    async with administrator(own_dsn) as connection:
        for table in ERASED_TABLES:
            assert await connection.fetchval(f"SELECT count(*) FROM recollect.{table}") == 0


# -- the index -------------------------------------------------------------------------------------


async def left_of(dsn: str) -> dict[str, int]:
    """Count the rows of each table with users' data."""
    counts = {
        table: await sql_value(dsn, f"SELECT count(*) FROM recollect.{table}") for table in ERASED_TABLES
    }
    return {table: count for table, count in counts.items() if count}


def as_indexed(message: LoggedMessage) -> IndexedMessage:
    terms = document_terms(message.content)
    chunk = IndexedChunk(
        0, len(message.content), code=False, terms=terms, context={"rain": 1}, vectors=(vector(*NORTH),)
    )
    return IndexedMessage(message.id, (chunk,), terms, MODEL)


async def test_a_message_that_several_workers_index_is_indexed_once(own_store: Store, own_dsn: str) -> None:
    await own_store.log.append(own_store.exchange("I like tea", reply=""))
    [message] = await own_store.index.unindexed(own_store.anna, limit=9)

    done = await asyncio.gather(
        *(own_store.index.index(own_store.anna, as_indexed(message)) for _ in range(WRITERS))
    )

    assert sum(done) == 1
    left = await left_of(own_dsn)
    assert (left["message_chunks"], left["chunk_vectors"], left["users"]) == (1, 1, 1)
    lexicon = await lexicon_of(own_store.snapshots, own_store.anna, ["tea", "rain"])
    assert lexicon.documents == 1
    assert [each.frequencies for each in lexicon.occurrences.values()] == [[1], [1]]


async def test_messages_and_memories_indexed_at_once_lose_no_word(store: Store) -> None:
    for number in range(WRITERS):
        await store.log.append(store.exchange(f"tea number {number}", reply=""))
    messages = await store.index.unindexed(store.anna, limit=99)

    await asyncio.gather(
        *(store.index.index(store.anna, as_indexed(each)) for each in messages),
        *(apply(store, Add(store.memory(f"tea for {number}"))) for number in range(WRITERS)),
    )

    lexicon = await lexicon_of(store.snapshots, store.anna, ["tea"])
    assert lexicon.documents == len(lexicon.occurrences["tea"].documents) == 2 * WRITERS


async def test_an_index_under_way_leaves_nothing_of_an_erased_user(own_store: Store, own_dsn: str) -> None:
    for number in range(WRITERS):
        await own_store.log.append(own_store.exchange(f"tea number {number}"))
    messages = await own_store.index.unindexed(own_store.anna, limit=99)
    first, *others = messages
    await own_store.index.index(own_store.anna, as_indexed(first))
    [chunk] = await own_store.index.unembedded(own_store.anna, "other", limit=1)

    await asyncio.gather(
        *(own_store.index.index(own_store.anna, as_indexed(each)) for each in others[:WRITERS]),
        own_store.index.replace_embeddings(own_store.anna, chunk.document, [vector(*NORTH)], "other"),
        own_store.memories.erase(own_store.anna, at=NOON),
        *(own_store.index.index(own_store.anna, as_indexed(each)) for each in others[WRITERS:]),
        own_store.index.replace_embeddings(own_store.anna, chunk.document, [vector(*NORTH)], "other"),
    )

    assert await left_of(own_dsn) == {}


async def test_what_is_forgotten_while_it_is_indexed_is_never_found(store: Store) -> None:
    for round_ in range(WRITERS):
        said = store.exchange("I like tea", reply="Tea, noted.")
        await store.log.append(said)
        tea = store.memory(f"Likes tea {round_}", provenance=Provenance("chat-1", (said.message_id,)))
        await apply(store, Add(tea))
        question, answer = await store.index.unindexed(store.anna, limit=9)
        forget = Retire(tea.id, Reason.DELETED)

        await asyncio.gather(
            store.index.index(store.anna, as_indexed(question)),
            apply(store, forget),
            store.index.index(store.anna, as_indexed(answer)),
        )

        lexicon = await lexicon_of(store.snapshots, store.anna, ["tea", "note", "rain"])
        assert (lexicon.documents, lexicon.occurrences) == (0, {})
        assert await near(store, vector(*NORTH)) == []
        assert await store.index.unembedded(store.anna, "other", limit=9) == []


async def test_a_reply_that_comes_while_its_question_is_forgotten_is_never_found(store: Store) -> None:
    for round_ in range(WRITERS):
        said = store.exchange(f"I like tea {round_}", reply="")
        await store.log.append(said)
        tea = store.memory(f"Likes tea {round_}", provenance=Provenance("chat-1", (said.message_id,)))
        await apply(store, Add(tea))

        await asyncio.gather(
            store.log.append(store.exchange(said.turn.text, key=said.turn.key, reply="Tea, noted.")),
            apply(store, Retire(tea.id, Reason.DELETED)),
        )
        for message in await store.index.unindexed(store.anna, limit=9):
            await store.index.index(store.anna, as_indexed(message))

        assert (await lexicon_of(store.snapshots, store.anna, ["tea", "note"])).occurrences == {}


async def test_no_erasure_misses_a_request(own_store: Store, own_postgres: Postgres, own_dsn: str) -> None:
    async with own_postgres.database.changing(own_store.anna):
        recording = asyncio.create_task(note_request(own_store.log, like_a_request(own_store.anna.scope)))
        await waiting_for_a_lock(own_dsn, 1)
        erasing = asyncio.create_task(own_store.memories.erase(own_store.anna, at=NOON))
        await waiting_for_a_lock(own_dsn, 2)
    await recording
    await erasing

    assert await left_of(own_dsn) == {}


async def waiting_for_a_lock(dsn: str, count: int) -> None:
    async with administrator(dsn) as connection:

        async def enough() -> bool:
            waiting: int = await connection.fetchval(WAITING)
            return waiting >= count

        await until(enough)


async def test_a_block_that_two_requests_add_is_added_once(store: Store) -> None:
    blocks = [Injection("a:1", Place.SYSTEM, f"block {n}", (), 1, NOON) for n in range(WRITERS)]

    await asyncio.gather(*(note_block(store.log, store.anna.scope, each, []) for each in blocks))

    [kept] = (await store.chats.chat(store.anna.scope, exchanges=9)).injections
    assert kept in blocks
