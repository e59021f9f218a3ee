import numpy as np
import pytest
from tests.servers.databases import administrator
from tests.support.stores import NOON, Store, vector

from recollect.model import Actor, Add

ROWS = 5


@pytest.mark.parametrize(
    ("dimensions", "where"),
    [
        (384, "in the row"),
        (1024, "in the row"),
        (1536, "in the row"),
        (3072, "in the row"),
        (3584, "in the row"),
        (4096, "apart"),
        (16_000, "apart"),
    ],
)
async def test_rows_stay_in_their_page_where_they_fit_and_are_never_refused(
    own_store: Store, own_dsn: str, dimensions: int, where: str
) -> None:
    numbers = np.random.default_rng(7)
    model = "openai/a-model-with-quite-a-long-name-3-large"
    kept = []
    for row in range(ROWS):
        embedding = vector(*numbers.normal(size=dimensions))
        content = f"Statement {row} about tea, which is said at some length so that it has a size"
        new = own_store.memory(content, embedding=embedding, embedding_model=model)
        await own_store.memories.apply(own_store.anna.scope, [Add(new)], actor=Actor.FORMATION, at=NOON)
        kept.append(embedding)

    async with administrator(own_dsn) as connection:
        toast = await connection.fetchval(
            "SELECT reltoastrelid::regclass::text FROM pg_class WHERE oid = 'recollect.vectors'::regclass"
        )
        stored_apart = await connection.fetchval(f"SELECT count(DISTINCT chunk_id) FROM {toast}")
    assert ("apart" if stored_apart else "in the row") == where
    for row, embedding in enumerate(kept):
        [found] = await own_store.memories.nearest(own_store.anna.scope, embedding, model, limit=1)
        assert found.memory.content.startswith(f"Statement {row} ")
        assert found.score == pytest.approx(1, abs=1e-3)
