"""A long text's run gives back what it took, and makes the same numbers."""

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest

from recollect.models.embedders import graph_run
from recollect.models.embedders.local import LocalEmbedder

_LONG = "The boat lies in the harbour of Bergen, and the wind blows from the north. " * 30


async def test_the_numbers_are_the_same_to_the_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = LocalEmbedder("all-MiniLM-L6-v2", cache_dir=tmp_path)
    try:
        giving_back = await embedder.embed([_LONG])
        monkeypatch.setattr(graph_run, "_LONG", 10**6)
        keeping = await embedder.embed([_LONG])
    finally:
        await embedder.aclose()

    np.testing.assert_array_equal(giving_back, keeping)


@pytest.mark.parametrize(("pieces", "gives_back"), [(128, False), (129, True)])
def test_only_a_long_text_pays_for_it(pieces: int, gives_back: bool) -> None:  # noqa: FBT001 -- pytest passes it by name
    class Session:
        options: Any = None

        def run(self, _names: list[str], _inputs: Any, options: Any) -> list[Any]:
            self.options = options
            return [np.zeros((1, 2), dtype=np.float32)]

    session: Any = Session()

    graph_run.vector_of(session, np.ones((1, pieces), dtype=np.int64))

    assert isinstance(session.options, ort.RunOptions) == gives_back
