"""Assembles the ONNX graph of a BERT sentence embedder, node by node, from plain arrays.

Devlin et al., "BERT" (arXiv 1810.04805); the pooling is that of Sentence-BERT (arXiv 1908.10084).

In a quantized graph, dense layers multiply 8-bit integers (Jacob et al., arXiv 1712.05877). Weights are quantized
symmetrically, per output channel; activations at run time, per tensor. A few channels of an encoder have values ten times as
large as all others, so that these would be left with a few of the 256 steps. Such a channel is divided by a constant, and
the weights that multiply it are multiplied by the same (Xiao et al., "SmoothQuant", arXiv 2211.10438).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from recollect_weights.building import UnsupportedModelError
from recollect_weights.building.stored_model import Architecture, StoredModel

PIECES = "pieces"
"""The name of the input."""

# Opset 20 introduced Gelu and goes with IR version 10. onnxruntime 1.22, the oldest that we allow, supports it.
_OPSET = 20
_IR_VERSION = 10
_TINY = 1e-12
_WEIGHT_STEPS = 64
"""Weights use seven of the eight bits, -64 to 64. Without VNNI, x86 adds two products in 16 bits, which overflow
otherwise, so that vectors would differ from one machine to the next
(onnxruntime.ai/docs/performance/model-optimizations/quantization.html, "reduce_range")."""

_DEVIATIONS = 3.0
"""The standard deviations that a normalized value is expected to have at most."""

_EVEN = 1.5
"""A channel whose largest value is expected to exceed the median channel's by more than this factor is divided."""


def build_graph(model: StoredModel, *, quantized: bool = True) -> onnx.ModelProto:
    """Assemble encoder, mean pooling and L2 normalisation of a single text as one graph.

    Args:
        model: The encoder.
        quantized: Whether matrices are kept in eight bits a number, instead of as float32.

    Returns:
        A model with the input ``pieces``, which are embeddings of word pieces (float32, [1, pieces, hidden size]), and the
        output ``vectors`` (float32, [1, hidden size], unit length).

    Raises:
        UnsupportedModelError: A tensor can't be read, or its shape does not fit the architecture.
    """
    graph = _Graph(model, model.architecture, quantized)
    size = graph.sizes.hidden
    hidden = _embeddings(graph)
    for layer in range(graph.sizes.layers):
        hidden = _layer(graph, f"encoder.layer.{layer}", hidden)
    _pooled(graph, hidden)
    asked = helper.make_tensor_value_info(PIECES, TensorProto.FLOAT, [1, "length", size])
    vectors = helper.make_tensor_value_info("vectors", TensorProto.FLOAT, [1, size])
    proto = helper.make_graph(graph.nodes, "sentence_embedder", [asked], [vectors], graph.initializers)
    # Without inferred shapes: with them onnxruntime joins each residual with its norm, in an operator that takes twice the time.
    return helper.make_model(proto, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION)


@dataclass(slots=True)
class _Graph:
    """A graph under construction: its nodes and its constants."""

    model: StoredModel
    sizes: Architecture
    quantized: bool
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    initializers: list[onnx.TensorProto] = field(default_factory=list)

    def node(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """Add a node with one output, and return the output's name."""
        output = output or f"{kind}_{len(self.nodes)}"
        self.add_node(kind, inputs, [output], **attributes)
        return output

    def add_node(self, kind: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any) -> None:
        """Add a node."""
        self.nodes.append(helper.make_node(kind, inputs, outputs, name=f"{outputs[0]}.node", **attributes))

    def constant(self, array: NDArray[np.generic]) -> str:
        """Add a constant and return its name."""
        name = f"constant_{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(array, order="C"), name))
        return name

    def integers(self, *values: int) -> str:
        """Add a constant list of integers, for a shape or axes, and return its name."""
        return self.constant(np.array(values, dtype=np.int64))

    def weight(self, name: str, *shape: int) -> NDArray[np.float32]:
        """Return the tensor ``name`` as float32.

        Raises:
            UnsupportedModelError: It can't be read, or does not have ``shape``.
        """
        try:
            found = self.model.tensor(name)
        except (KeyError, TypeError) as error:  # missing; or bfloat16, which numpy does not know
            raise UnsupportedModelError(
                f"The model's tensor {name} can't be read: {error}. It must be float32 or float16."
            ) from error
        if found.shape != shape:
            raise UnsupportedModelError(
                f"The model's tensor {name} has the shape {found.shape}, not {shape}."
            )
        return found.astype(np.float32)

    def linear(
        self,
        inputs: str,
        matrix: NDArray[np.float32],
        bias: NDArray[np.float32],
        largest: NDArray[np.float32] | None = None,
    ) -> str:
        """Add ``inputs @ matrix.T + bias``, the layout torch stores a dense layer in.

        Args:
            inputs: The name of the input, (1, pieces, width).
            matrix: The weights, (outputs, width).
            bias: (outputs,).
            largest: The largest value to expect in each channel of the input, (width,); None: they are alike.
        """
        if self.quantized:
            if largest is not None:
                divisor = np.maximum(1, largest / (_EVEN * np.median(largest))).astype(np.float32)
                inputs, matrix = self.node("Mul", inputs, self.constant(1 / divisor)), matrix * divisor
            product = self._quantized_product(inputs, matrix)
        else:
            product = self.node("MatMul", inputs, self.constant(matrix.T))
        return self.node("Add", product, self.constant(bias))

    def _quantized_product(self, inputs: str, matrix: NDArray[np.float32]) -> str:
        """Add ``inputs @ matrix.T`` with both in eight bits: a step for each row of the matrix, one for all inputs."""
        largest = np.abs(matrix).max(axis=1)
        step = np.where(largest == 0, 1, largest / np.float32(_WEIGHT_STEPS)).astype(np.float32)
        numbers = np.rint(matrix / step[:, None]).astype(np.int8)
        quantized = [f"{kind}_{len(self.nodes)}" for kind in ("numbers", "step", "zero")]
        self.add_node("DynamicQuantizeLinear", [inputs], quantized)
        zeros = self.constant(np.zeros(len(matrix), dtype=np.int8))
        product = self.node("MatMulInteger", quantized[0], self.constant(numbers.T), quantized[2], zeros)
        floats = self.node("Cast", product, to=TensorProto.FLOAT)
        return self.node("Mul", floats, self.node("Mul", quantized[1], self.constant(step)))

    def layer(self, name: str, *shape: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return weight and bias of the layer ``name``; ``shape`` is the weight's."""
        return self.weight(f"{name}.weight", *shape), self.weight(f"{name}.bias", shape[0])

    def layer_norm(self, name: str, inputs: str) -> str:
        """Add the layer normalisation ``name`` over the last axis."""
        scale, bias = map(self.constant, self.layer(name, self.sizes.hidden))
        return self.node("LayerNormalization", inputs, scale, bias, axis=-1, epsilon=self.sizes.epsilon)


def _embeddings(graph: _Graph) -> str:
    """Add position and type embeddings to the word embeddings, and return the name of the normalized sum."""
    size = graph.sizes.hidden
    positions = graph.weight("embeddings.position_embeddings.weight", graph.sizes.positions, size)
    types = graph.weight("embeddings.token_type_embeddings.weight", graph.sizes.types, size)
    # A single text has segment type 0 throughout, so that type and position embeddings can be added in advance.
    length = graph.node("Shape", PIECES, start=1, end=2)
    placed = graph.node("Slice", graph.constant(positions + types[0]), graph.integers(0), length)
    return graph.layer_norm("embeddings.LayerNorm", graph.node("Add", PIECES, placed))


def _attention(graph: _Graph, name: str, hidden: str) -> str:
    """Add self-attention over all heads: softmax(Q Kᵀ / sqrt(d)) V."""
    size, heads = graph.sizes.hidden, graph.sizes.heads
    parts = [graph.layer(f"{name}.{part}", size, size) for part in ("query", "key", "value")]
    matrices, biases = zip(*parts, strict=True)
    # One product instead of three: the input is read and quantized once. The query's weights include the scaling.
    scale = np.float32(1 / math.sqrt(size // heads))
    joined = graph.linear(
        hidden,
        np.concatenate([matrices[0] * scale, *matrices[1:]]),
        np.concatenate([biases[0] * scale, *biases[1:]]),
    )
    split = graph.node("Reshape", joined, graph.integers(0, 0, 3, heads, size // heads))
    query, key, value = (
        graph.node("Gather", split, graph.constant(np.array(part, dtype=np.int64)), axis=2)
        for part in range(len(parts))
    )
    query = graph.node("Transpose", query, perm=[0, 2, 1, 3])
    key = graph.node("Transpose", key, perm=[0, 2, 3, 1])
    value = graph.node("Transpose", value, perm=[0, 2, 1, 3])
    chances = graph.node("Softmax", graph.node("MatMul", query, key), axis=-1)
    mixed = graph.node("MatMul", chances, value)
    return graph.node(
        "Reshape", graph.node("Transpose", mixed, perm=[0, 2, 1, 3]), graph.integers(0, 0, size)
    )


def _layer(graph: _Graph, name: str, hidden: str) -> str:
    """Add one encoder layer: attention and feed-forward, each with its residual and norm."""
    size, inner = graph.sizes.hidden, graph.sizes.intermediate
    attended = _attention(graph, f"{name}.attention.self", hidden)
    attended = graph.linear(attended, *graph.layer(f"{name}.attention.output.dense", size, size))
    norm = f"{name}.attention.output.LayerNorm"
    hidden = graph.layer_norm(norm, graph.node("Add", attended, hidden))
    scale, shift = graph.layer(norm, size)
    # The largest absolute values to expect in each channel, behind the norm and between the dense layers.
    normalized = np.float32(_DEVIATIONS) * np.abs(scale) + np.abs(shift)
    matrix, bias = graph.layer(f"{name}.intermediate.dense", inner, size)
    spread = np.linalg.norm(matrix * scale, axis=1)
    # A sum, not a product of matrices: OpenBLAS' threads may hang where another thread forks, as a start of Postgres does.
    inside = np.abs((matrix * shift).sum(axis=1) + bias) + np.float32(_DEVIATIONS) * spread
    active = graph.node("Gelu", graph.linear(hidden, matrix, bias, normalized), approximate="none")
    narrow = graph.linear(active, *graph.layer(f"{name}.output.dense", size, inner), inside)
    return graph.layer_norm(f"{name}.output.LayerNorm", graph.node("Add", narrow, hidden))


def _pooled(graph: _Graph, hidden: str) -> None:
    """Add the mean over the pieces, normalized to unit length, as the output ``vectors``."""
    mean = graph.node("ReduceMean", hidden, graph.integers(1), keepdims=0)
    length = graph.node("ReduceL2", mean, graph.integers(1), keepdims=1)
    shortest = graph.constant(np.array(_TINY, dtype=np.float32))
    graph.node("Div", mean, graph.node("Max", length, shortest), output="vectors")
