"""How much longer the server takes for each page of a user with 10,000 memories. Run by ``make e2e-pages``; -s shows the figures."""

from datetime import UTC, datetime, timedelta
from time import perf_counter

import numpy as np
from tests.recollect_proxy.memory_api.serving import engine_over
from tests.recollect_proxy.pages.served_pages import Visitor, serve_pages
from tests.servers.databases import administrator
from tests.support.stores import MODEL, Store

from recollect.model import Actor, Add, Kind, Memory, Provenance, Scope, Vector

MEMORIES, SOME, CHATS = 10_000, 100, 100
DIMENSIONS = 384  # of both embeddings that are the default
TIMES = 15
MOST_TIMES_AS_LONG = 25.0
"""What a page may take, in times of what it takes with a hundredth of the memories, on the same machine at the same time."""

KINDS = (Kind.FACT, Kind.FACT, Kind.FACT, Kind.PREFERENCE, Kind.DECISION, Kind.TODO, Kind.ENTITY)


def memory(store: Store, number: int, chance: np.random.Generator, scope: Scope) -> Memory:
    def vector() -> Vector:
        numbers = chance.standard_normal(DIMENSIONS).astype(np.float32)
        unit: Vector = numbers / np.linalg.norm(numbers)
        return unit

    return store.memory(
        f"Owns book number {number:05}, which is about the {number % 97}th city on the way to Lisbon",
        scope,
        kind=KINDS[number % len(KINDS)],
        importance=number % 10 / 10,
        observed_at=datetime.now(UTC) - timedelta(days=number % 400),
        provenance=Provenance(
            f"chat-{number % CHATS}", evidence=f"I bought book number {number:05} for the trip"
        ),
        embedding=vector(),
        embedding_model=MODEL,
    )


MULTIPLY = """
WITH given AS (
    SELECT v.*, row_number() OVER (ORDER BY v.id) AS place, count(*) OVER () AS many FROM vectors AS v WHERE owner = $1
), made AS (
    SELECT gen_random_uuid() AS made_id, g.*,
        replace(g.content, 'number 0', format('number %s of', n)) AS said,
        'chat-' || n % 100 AS chat, g.observed_at - n * interval '1 hour' AS at
    FROM given AS g, generate_series(1, $2 / g.many - 1) AS n
), kept AS (
    INSERT INTO vectors (
        owner, id, kind, source, valid_from, content, content_hash, "values", embedding_model, importance, confidence,
        observed_at, session_id, message_ids, evidence, created_at
    )
    SELECT owner, made_id, kind, source, at, said, sha256(convert_to(said, 'UTF8')), "values", embedding_model,
        importance, confidence, at, chat, message_ids, evidence, created_at
    FROM made
    RETURNING owner, id, content, content_hash, observed_at
), linked AS (
    INSERT INTO users_vectors (user_id, vector_id, owner, content_hash, linked_at)
    SELECT owner, id, owner, content_hash, observed_at FROM kept
)
INSERT INTO memory_updates (user_id, id, at, action, actor, reason, memory_id, after, details)
SELECT owner, gen_random_uuid(), observed_at, 'add', 'formation', 'new', id, content, '{}' FROM kept
"""
"""Copies memories under other ids, with other contents, chats and times: to apply as many takes minutes."""


async def fill(store: Store, dsn: str) -> dict[str, str]:
    """Give Anna many memories, Ben few, and both chats; return the id of a memory of each."""
    chance = np.random.default_rng(7)
    known: dict[str, str] = {}
    for user_id in (store.anna, store.ben):
        scope = Scope(user_id, "chat-0")
        some = [memory(store, number, chance, scope) for number in range(SOME)]
        await store.memories.apply(
            scope, [Add(each) for each in some], actor=Actor.IMPORT, at=datetime.now(UTC)
        )
        known[user_id] = str(some[0].id)
    async with administrator(dsn) as connection:
        await connection.execute("SET search_path TO recollect, public")
        await connection.execute(MULTIPLY, store.anna, MEMORIES)
        await connection.execute("ANALYZE")
    for user_id in (store.anna, store.ben):
        for number in range(CHATS):
            await store.log.append(store.exchange("I read.", Scope(user_id, f"chat-{number}")))
    return known


async def milliseconds(*asked: tuple[Visitor, str]) -> list[float]:
    """Return the least that each of some pages took, asked for by turns, connecting included; the first two are left out."""
    taken: list[list[float]] = [[] for _ in asked]
    for _ in range(TIMES + 2):
        for (visitor, path), times in zip(asked, taken, strict=True):
            begun = perf_counter()
            await visitor.html(path)
            times.append((perf_counter() - begun) * 1000)
    return [min(times[2:]) for times in taken]


def paths(memory_id: str) -> dict[str, str]:
    """Return the pages of a person, by what is looked at."""
    named = ("review", "held", "changes", "chats", "recalls", "settings", "data", "reads", "profile")
    return {
        "memories": "",
        "memories, later": f"?after={memory_id}",
        "memories, a word of all": "?words=lisbon",
        "memories, words of many": "?words=9+of",
        "memories, words of few": "?words=99+96th",
        "memories, a word of none": "?words=zebra",
        "memories, a kind": "?kind=todo",
        "memories, a chat": "?chat=chat-7",
        "memory": f"/memory?id={memory_id}",
        **{name: f"/{name}" for name in named},
    }


async def test_no_page_takes_much_longer_with_a_hundred_times_the_memories(
    own_store: Store, own_dsn: str
) -> None:
    known = await fill(own_store, own_dsn)
    anna, ben = own_store.anna, own_store.ben
    async with serve_pages(engine_over(own_store)) as served:
        assert (await served.engine.count_kept(anna)).memories == MEMORIES
        assert (await served.engine.count_kept(ben)).memories == SOME
        much, little = await served.person(anna), await served.person(ben)
        taken = {
            name: await milliseconds((much, path), (little, paths(known[ben])[name]))
            for name, path in paths(known[anna]).items()
        }
        admin, other = await served.administrator(looks_at=anna), await served.administrator(looks_at=ben)
        taken["memories (administrator)"] = await milliseconds((admin, ""), (other, ""))
        of_all = {
            name: await milliseconds((admin, f"/{name}")) for name in ("users", "analytics", "settings")
        }

    lines = [f"{name:26} {much:6.1f} ms, {little:6.1f} of few" for name, (much, little) in taken.items()]
    lines += [f"{name:26} {each:6.1f} ms" for name, [each] in of_all.items()]
    print("\n".join(lines))  # noqa: T201 -- what is measured
    assert {name: each for name, each in taken.items() if each[0] > MOST_TIMES_AS_LONG * each[1]} == {}
