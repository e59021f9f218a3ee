import math
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from numpy.typing import NDArray
from tests.support.tiny_encoder import ARCHITECTURE, Stored, tiny_weights

from recollect.models.embedders.finished_model import vector_of
from recollect_weights.building import UnsupportedModelError
from recollect_weights.building.onnx_graph import build_graph

Weights = dict[str, NDArray[np.float32]]
Array = Any  # arithmetic between arrays is typed as Any

TEXTS = [
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
    vectors = run(model, TEXTS)

    assert vectors.dtype == np.float32
    expected = np.array([reference(weights, words) for words in TEXTS])
    np.testing.assert_allclose(vectors, expected, atol=2e-5)


def test_half_precision_weights_are_read(weights: Weights) -> None:
    halves = {name: tensor.astype(np.float16) for name, tensor in weights.items()}
    rounded = {name: tensor.astype(np.float32) for name, tensor in halves.items()}

    vectors = run(build_graph(Stored(halves), quantized=False), TEXTS)

    np.testing.assert_array_equal(vectors, run(build_graph(Stored(rounded), quantized=False), TEXTS))


def test_a_quantized_graph_stays_near_the_exact_one_with_one_large_channel(weights: Weights) -> None:
    for layer in range(ARCHITECTURE.layers):
        name = f"encoder.layer.{layer}"
        for part in ("weight", "bias"):
            weights[f"{name}.attention.output.LayerNorm.{part}"][3] *= 40
            weights[f"{name}.intermediate.dense.{part}"][5] *= 40
        weights[f"{name}.intermediate.dense.weight"][:, 3] /= 40
        weights[f"{name}.output.dense.weight"][:, 5] /= 40
    exact = run(build_graph(Stored(weights), quantized=False), TEXTS)

    model = build_graph(Stored(weights))

    onnx.checker.check_model(model, full_check=True)
    assert [node.op_type for node in model.graph.node].count("MatMulInteger") == 4 * ARCHITECTURE.layers
    assert (run(model, TEXTS) * exact).sum(axis=1).min() > 0.999


def test_weights_that_are_all_zero_are_quantized(weights: Weights) -> None:
    for name in ("embeddings.position_embeddings.weight", "encoder.layer.0.output.dense.weight"):
        weights[name][:] = 0

    assert np.isfinite(run(build_graph(Stored(weights)), TEXTS)).all()


def test_a_tensor_of_the_wrong_shape_is_named(weights: Weights) -> None:
    weights["encoder.layer.1.output.dense.bias"] = np.zeros(5, dtype=np.float32)

    with pytest.raises(
        UnsupportedModelError, match=r"encoder\.layer\.1\.output\.dense\.bias has the shape \(5,\)"
    ):
        build_graph(Stored(weights), quantized=False)
