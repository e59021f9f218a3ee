"""Who has many memories is searched by the sketches of their embeddings first."""

from itertools import count

import numpy as np
import pytest
from pgvector import HalfVector
from tests.databases import administrator
from tests.stores import MODEL, NOON, Store, vector

from recollect.model import Actor, Add, Hit, Scope, Vector
from recollect.postgres import searching
from recollect.postgres.sql import SQL

DIMENSIONS, MANY, TOPICS = 128, 3_000, 40
ASKED = 20

FILL = """
INSERT INTO recollect.vectors (
    owner, id, kind, source, valid_from, content, content_hash, "values", embedding_model, importance,
    confidence, observed_at, message_ids, created_at
)
SELECT $1, lpad(to_hex(number), 32, '0')::uuid, 'fact', 'extracted', now(), 'memory ' || number,
    sha256(number::text::bytea), "values"::halfvec, $2, 0.5, 1, now(), '{}', now()
FROM unnest($3::text[]) WITH ORDINALITY AS given ("values", number);
"""
LINK = """
INSERT INTO recollect.users_vectors (user_id, vector_id, owner, content_hash, linked_at)
SELECT owner, id, owner, content_hash, now() FROM recollect.vectors WHERE owner = $1
"""
COUNT = "INSERT INTO recollect.corpora (user_id, next_document, documents, terms) VALUES ($1, $2, $2, 0)"


def like_texts(numbers: np.random.Generator, topics: np.ndarray, size: int) -> np.ndarray:
    """Return unit vectors that lie about topics, as embeddings of texts do."""
    drawn = topics[numbers.integers(len(topics), size=size)] + numbers.normal(size=(size, DIMENSIONS)) * 0.8
    unit: np.ndarray = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return unit


async def test_of_many_nearly_all_of_the_nearest_are_found(own_store: Store, own_dsn: str) -> None:
    numbers = np.random.default_rng(7)
    topics = numbers.normal(size=(TOPICS, DIMENSIONS))
    kept, asked = like_texts(numbers, topics, MANY), like_texts(numbers, topics, ASKED)
    async with administrator(own_dsn) as connection:
        texts = [HalfVector(each).to_text() for each in kept]
        await connection.execute(FILL, own_store.anna, MODEL, texts)
        await connection.execute(LINK, own_store.anna)
        await connection.execute(COUNT, own_store.anna, searching.SKETCHED_FROM)

    found, best = 0, 0
    for question in asked:
        exact = set(np.argsort(-(kept @ question))[:20] + 1)
        hits = await near(own_store, vector(*question), limit=100)
        told = {hit.item.id.int for hit in hits}
        assert len(told) == 100, "as many as are asked for, and no more"
        found += len(exact & told)
        best += min(exact, key=lambda number: -(kept[number - 1] @ question)) in told

    assert best == ASKED
    assert found >= 0.97 * 20 * ASKED


@pytest.mark.parametrize(
    ("documents", "ways"), [(9_999, ["search"]), (10_000, ["sketches", "sketches", "search"])]
)
async def test_sketches_are_for_those_who_have_many(
    own_store: Store,
    own_dsn: str,
    documents: int,
    ways: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with administrator(own_dsn) as connection:
        await connection.execute(COUNT, own_store.anna, documents)
    asked: list[str] = []
    monkeypatch.setattr(searching, "SQL", Noted(asked))

    await near(own_store, vector(*np.eye(4)[0]), limit=9)

    assert sorted(asked, reverse=True) == sorted(ways, reverse=True)


class Noted(dict[str, str]):
    """The named queries, which notes which of them are taken."""

    def __init__(self, asked: list[str]) -> None:
        super().__init__(SQL)
        self._asked = asked

    def __getitem__(self, name: str) -> str:
        if name not in {"count_documents", "plan_for_sketches"}:
            self._asked.append("sketches" if "sketches" in name else name)
        return super().__getitem__(name)


async def test_a_vector_of_other_dimensions_has_no_distance(
    own_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "SKETCHED_FROM", 0)
    ids = count()
    for numbers in ((1.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, -1.0, 0.0, 0.0, 0.0)):
        new = own_store.memory(f"Memory {next(ids)}", embedding=vector(*numbers))
        await own_store.memories.apply(own_store.anna.scope, [Add(new)], actor=Actor.FORMATION, at=NOON)

    hits = await near(own_store, vector(1.0, 0.0, 0.0, 0.0), limit=9)

    assert [hit.item.content for hit in hits] == ["Memory 0"]


async def near(store: Store, to: Vector, *, limit: int) -> list[Hit]:
    return await store.memories.search(
        Scope(store.anna, "chat-1"), to, MODEL, documents=[], limit=limit, log=True
    )
