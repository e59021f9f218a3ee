"""What the trainer reads is the same each time: ids part statements that are equal in all else."""

from collections.abc import Sequence
from typing import cast

import numpy as np

from bench.training.relevance_data import Embedded, read_held_out
from recollect.model import Vector
from recollect.ports import Embedder


class Nowhere:
    """Embeds every text alike."""

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [np.zeros(2, np.float32) for _ in texts]

    async def embed_question(self, _text: str) -> Vector:
        return np.zeros(2, np.float32)


async def test_the_same_statements_have_the_same_ids_each_time() -> None:
    once, again = [await read_held_out(Embedded(cast("Embedder", Nowhere())), first=20) for _ in range(2)]

    ids = [[item.id for item in each.stores["small"].items] for each in once]
    assert ids == [[item.id for item in each.stores["small"].items] for each in again]
    assert len({each for own in ids for each in own}) == sum(map(len, ids))
