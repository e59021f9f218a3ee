import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from tests.support.tables import table
from tests.support.tiny_encoder import tiny_weights, write_tiny_graph

from recollect.errors import EmbedderError
from recollect.models.embedders import finished_model
from recollect.models.embedders.finished_model import GRAPH, installed_model, open_session
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder


@table("damage", ["emptied", "cut", "another", "scrambled", "missing"])
def test_a_damaged_graph_is_named(tmp_path: Path, damage: str) -> None:
    folder = write_tiny_graph(tmp_path / damage)
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


def test_without_the_package_of_weights_it_is_named_with_how_to_install_it() -> None:
    program = (
        "import sys; sys.modules['recollect_weights'] = None;"
        "from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder; MultilingualE5Embedder()"
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
    e5: MultilingualE5Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    giving_back = await e5.embed([LONG])
    monkeypatch.setattr(finished_model, "_LONG", 10**6)

    np.testing.assert_array_equal(giving_back, await e5.embed([LONG]))


def test_weights_that_make_no_finite_vector_are_found_when_the_graph_is_loaded(tmp_path: Path) -> None:
    weights = tiny_weights(0)
    weights["embeddings.LayerNorm.bias"][:] = np.nan

    with pytest.raises(EmbedderError, match="no valid vectors"):
        open_session(write_tiny_graph(tmp_path / "model", weights))


@pytest.mark.parametrize(("pieces", "gives_back"), [(128, False), (129, True)])
def test_only_a_long_text_pays_for_it(pieces: int, gives_back: bool) -> None:  # noqa: FBT001 -- pytest passes it by name
    class Session:
        options: Any = None

        def run(self, _names: list[str], _inputs: Any, options: Any) -> list[Any]:
            self.options = options
            return [np.zeros((1, 2), dtype=np.float32)]

    session: Any = Session()

    finished_model.vector_of(session, np.ones((1, pieces, 4), dtype=np.float32))

    assert isinstance(session.options, ort.RunOptions) == gives_back
