import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from tests.support.tables import table
from tests.support.tiny_bert import finish_tiny_bert

from recollect.errors import EmbedderError
from recollect.models.embedders import finished_model
from recollect.models.embedders.finished_model import GRAPH, installed_model, open_session
from recollect.models.embedders.local import LocalEmbedder


@table("damage", ["emptied", "cut", "another", "scrambled", "missing"])
def test_a_damaged_graph_is_named(tmp_path: Path, damage: str) -> None:
    folder = finish_tiny_bert(tmp_path / damage)
    whole = (folder / GRAPH).read_bytes()
    damaged = {
        "emptied": b"",
        "cut": whole[: len(whole) // 2],
        "another": whole.replace(b"vectors", b"wectors"),  # it runs, and has another output
        "scrambled": whole[::-1],
    }
    (folder / GRAPH).unlink()
    if damage in damaged:
        (folder / GRAPH).write_bytes(damaged[damage])

    with pytest.raises(EmbedderError, match=r"graph\.onnx can't be loaded"):
        open_session(folder)


@table("embedder", ["local.LocalEmbedder('all-MiniLM-L6-v2')", "multilingual_e5.MultilingualE5Embedder()"])
def test_without_the_package_of_weights_it_is_named_with_how_to_install_it(embedder: str) -> None:
    module = embedder.partition(".")[0]
    program = (
        "import sys; sys.modules['recollect_weights'] = None;"
        f"from recollect.models.embedders import {module}; {embedder}"
    )

    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)

    [*_, error] = done.stderr.splitlines()
    assert error.startswith("recollect.errors.EmbedderError: The package recollect-memory-weights is not")
    assert "install its wheel" in error


def test_a_model_that_the_package_lacks_is_named() -> None:
    with pytest.raises(EmbedderError, match="has no all-mpnet-base-v2; install it again"):
        installed_model("all-mpnet-base-v2")


LONG = "The boat lies in the harbour of Bergen, and the wind blows from the north. " * 30


async def test_the_numbers_are_the_same_to_the_bit(
    minilm: LocalEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    giving_back = await minilm.embed([LONG])
    monkeypatch.setattr(finished_model, "_LONG", 10**6)

    np.testing.assert_array_equal(giving_back, await minilm.embed([LONG]))


@pytest.mark.parametrize(("pieces", "gives_back"), [(128, False), (129, True)])
def test_only_a_long_text_pays_for_it(pieces: int, gives_back: bool) -> None:  # noqa: FBT001 -- pytest passes it by name
    class Session:
        options: Any = None

        def run(self, _names: list[str], _inputs: Any, options: Any) -> list[Any]:
            self.options = options
            return [np.zeros((1, 2), dtype=np.float32)]

    session: Any = Session()

    finished_model.vector_of(session, np.ones((1, pieces), dtype=np.int64))

    assert isinstance(session.options, ort.RunOptions) == gives_back
