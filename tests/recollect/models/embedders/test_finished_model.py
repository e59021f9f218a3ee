import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table
from tests.support.tiny_encoder import tiny_weights, write_tiny_graph

from recollect.errors import EmbedderError
from recollect.models.embedders import finished_model
from recollect.models.embedders.finished_model import GRAPH, UnigramTokenizer, installed_model, open_session
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder
from recollect_weights.building.finishing import write_tokenizer


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


async def test_numbers_stay_to_the_bit(e5: MultilingualE5Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
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


PIECES = ["<s>", "</s>", "<unk>", "\u2581", "a", "b", "c", "ab", "bc", "abc", "\u2581a", "ca"]
SCORES = [0.0, 0.0, 0.0, -2.0, -2.5, -2.6, -3.0, -4.0, -4.5, -6.1, -3.9, -5.2]
UNKNOWN, LEAST = 2, min(SCORES) - 10


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> UnigramTokenizer:
    folder = tmp_path_factory.mktemp("tokenizer")
    write_tokenizer(
        folder,
        {piece: number for number, piece in enumerate(PIECES) if number > UNKNOWN},
        SCORES,
        normalization={"\n": " ", "B": "bb"},
        marks=(0, 1),
        unknown=UNKNOWN,
    )
    return UnigramTokenizer.from_folder(folder)


def likelihood(numbers: list[int]) -> float:
    return sum(LEAST if number == UNKNOWN else SCORES[number] for number in numbers)


def best_of_all(text: str) -> float:
    """Return the likelihood of the best of all ways to split ``text``."""
    best = -1e9
    for cuts in range(len(text)):
        for places in combinations(range(1, len(text)), cuts):
            parts = [text[begin:end] for begin, end in zip((0, *places), (*places, len(text)), strict=True)]
            if all(part in PIECES or len(part) == 1 for part in parts):
                numbers = [PIECES.index(part) if part in PIECES else UNKNOWN for part in parts]
                best = max(best, likelihood(numbers))
    return best


@given(st.text("abcx ", max_size=9))
def test_no_other_way_to_split_is_likelier(tokenizer: UnigramTokenizer, text: str) -> None:
    first, *numbers, last = tokenizer.encode(text, 100)

    read = " ".join(text.split(" ")) if "  " not in text else None
    assert (first, last) == (0, 1)
    if read is not None:
        spaced = (read if read.startswith(" ") else f" {read}").replace(" ", "\u2581")
        assert likelihood(numbers) == pytest.approx(best_of_all(spaced))


@table(
    ("text", "pieces"),
    [
        ("", ["\u2581"]),
        ("abc", ["\u2581", "abc"]),
        ("a\nb", ["\u2581a", "\u2581", "b"]),
        ("a     b", ["\u2581a", "\u2581", "b"]),
        ("B", ["\u2581", "b", "b"]),
        ("x", ["\u2581", "<unk>"]),
        ("<s>", ["\u2581", "<unk>", "<unk>", "<unk>"]),
    ],
)
def test_spaces_marks_and_unknown_letters(tokenizer: UnigramTokenizer, text: str, pieces: list[str]) -> None:
    assert [PIECES[number] for number in tokenizer.encode(text, 100)[1:-1]] == pieces


def test_what_is_too_long_is_cut_and_its_end_is_marked(tokenizer: UnigramTokenizer) -> None:
    assert tokenizer.encode("a" * 50, 10) == [0, *tokenizer.encode("a" * 50, 100)[1:9], 1]
