"""Assembles the ONNX graph of a BERT sentence embedder, node by node, from plain arrays.

Devlin et al., "BERT" (arXiv 1810.04805); the pooling is that of Sentence-BERT (arXiv 1908.10084).
Imported only when a graph must be built: loading `onnx` costs more than loading a finished graph.

Of a quantized graph the dense layers multiply in integers of eight bits (Jacob et al., arXiv 1712.05877): weights by output
channel and symmetrically, activations at run time and by the whole tensor.

Never: checksums, caching, tokenizers.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from recollect.errors import EmbedderError
from recollect.models.embedders.model_folder import Architecture, ReadTensor

_WORDS = "words"
_MASK = "attention_mask"


# 20 brought Gelu; onnxruntime 1.22, the oldest we allow, knows it, and IR version 10 belongs to it.
_OPSET = 20
_IR_VERSION = 10
_TINY = 1e-12
# The weights use seven of the eight bits: without VNNI, x86 adds two products in 16 bits, which overflow otherwise,
# so that vectors would differ from one machine to the next
# (onnxruntime.ai/docs/performance/model-optimizations/quantization.html, "reduce_range").
_STEPS = 64
_ROW_STEPS = 127
"""Of word embeddings, which are looked up and not multiplied."""


def build_graph(
    architecture: Architecture, read: ReadTensor, *, quantized: bool = False, words_given: bool = False
) -> onnx.ModelProto:
    """Assemble the encoder, mean pooling over the mask, and the L2 normalisation as one graph.

    Args:
        architecture: The sizes.
        read: Returns the tensor of that name in the safetensors file, of any float type of numpy's.
        quantized: Whether dense layers and word embeddings have weights of eight bits.
        words_given: Whether who runs it looks up the word embeddings: those of a large vocabulary are better left in a file.

    Returns:
        A model with the inputs ``input_ids`` (int64, [texts, pieces]), or with ``words_given`` instead
        ``words`` (float32, [texts, pieces, hidden size]), and ``attention_mask`` (int64, [texts, pieces]),
        and the output ``vectors`` (float32, [texts, hidden size], unit length).

    Raises:
        EmbedderError: A tensor can't be read, or is not of the shape the architecture asks for.
    """
    graph = _Graph(read, quantized)
    found = _WORDS if words_given else _word_embeddings(graph, architecture)
    hidden, mask = _embeddings(graph, architecture, found)
    for layer in range(architecture.layers):
        hidden = _layer(graph, architecture, f"encoder.layer.{layer}", hidden, mask)
    _pooled(graph, hidden)
    sizes = ["texts", "pieces"]
    inputs = [
        helper.make_tensor_value_info(_WORDS, TensorProto.FLOAT, [*sizes, architecture.hidden])
        if words_given
        else helper.make_tensor_value_info("input_ids", TensorProto.INT64, sizes),
        helper.make_tensor_value_info(_MASK, TensorProto.INT64, sizes),
    ]
    vectors = helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["texts", architecture.hidden])
    proto = helper.make_graph(graph.nodes, "sentence_embedder", inputs, [vectors], graph.initializers)
    return helper.make_model(proto, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION)


@dataclass(slots=True)
class _Graph:
    """The nodes and constants so far. Constants are named after the tensors they hold."""

    read: ReadTensor
    quantized: bool = False
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    initializers: list[onnx.TensorProto] = field(default_factory=list)

    def node(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """Add a node of one output and return that output's name."""
        output = output or f"{kind}_{len(self.nodes)}"
        self.add(kind, inputs, [output], **attributes)
        return output

    def add(self, kind: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any) -> None:
        """Add a node."""
        self.nodes.append(helper.make_node(kind, inputs, outputs, name=f"{outputs[0]}.node", **attributes))

    def constant(self, array: NDArray[np.generic]) -> str:
        """Add a constant and return its name."""
        name = f"constant_{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(array, order="C"), name))
        return name

    def integers(self, *values: int) -> str:
        """Add a list of integers, as shapes and axes are given, and return its name."""
        return self.constant(np.array(values, dtype=np.int64))

    def weight(self, name: str, *shape: int) -> NDArray[np.float32]:
        """Return the tensor ``name`` as float32, once it proved to have ``shape``."""
        try:
            found = self.read(name)
        except (KeyError, TypeError) as error:  # missing; or bfloat16, which numpy does not know
            raise EmbedderError(
                f"The model's tensor {name} can't be read: {error}. It must be float32 or float16."
            ) from error
        if found.shape != shape:
            raise EmbedderError(f"The model's tensor {name} has the shape {found.shape}, not {shape}.")
        return found.astype(np.float32)

    def linear(self, inputs: str, matrix: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        """Add ``inputs @ matrix.T + bias``, the layout torch stores a dense layer in."""
        product = (
            self._integer_product(inputs, matrix)
            if self.quantized
            else self.node("MatMul", inputs, self.constant(matrix.T))
        )
        return self.node("Add", product, self.constant(bias))

    def _integer_product(self, inputs: str, matrix: NDArray[np.float32]) -> str:
        """Add ``inputs @ matrix.T`` in integers. onnxruntime makes one kernel of these nodes, which have to stand as they do."""
        weights, steps = _quantized_rows(matrix, _STEPS)
        name = f"Quantized_{len(self.nodes)}"
        numbers, step, zero = f"{name}.numbers", f"{name}.step", f"{name}.zero"
        self.add("DynamicQuantizeLinear", [inputs], [numbers, step, zero])
        zeros = self.constant(np.zeros(len(matrix), dtype=np.int8))
        product = self.node("MatMulInteger", numbers, self.constant(weights.T), zero, zeros)
        scale = self.node("Mul", step, self.constant(steps))
        return self.node("Mul", self.node("Cast", product, to=TensorProto.FLOAT), scale)

    def dense(self, name: str, inputs: str, outputs: int, width: int) -> str:
        """Add the dense layer ``name``, from ``width`` numbers to ``outputs``."""
        return self.linear(
            inputs, self.weight(f"{name}.weight", outputs, width), self.weight(f"{name}.bias", outputs)
        )

    def layer_norm(self, name: str, inputs: str, architecture: Architecture) -> str:
        """Add the layer normalisation ``name`` over the last axis."""
        size = architecture.hidden
        scale = self.constant(self.weight(f"{name}.weight", size))
        bias = self.constant(self.weight(f"{name}.bias", size))
        return self.node("LayerNormalization", inputs, scale, bias, axis=-1, epsilon=architecture.epsilon)


def _quantized_rows(matrix: NDArray[np.float32], steps: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return the rows in steps of their own, symmetrically around 0, and how large a step of each row is."""
    sizes = np.maximum(np.abs(matrix).max(axis=1) / steps, _TINY).astype(np.float32)
    return np.rint(matrix / sizes[:, None]).clip(-steps, steps).astype(np.int8), sizes


def _word_embeddings(graph: _Graph, architecture: Architecture) -> str:
    """Add the look-up of the pieces' embeddings."""
    words = graph.weight("embeddings.word_embeddings.weight", architecture.vocabulary, architecture.hidden)
    if not graph.quantized:
        return graph.node("Gather", graph.constant(words), "input_ids")
    numbers, steps = _quantized_rows(words, _ROW_STEPS)
    found = graph.node("Gather", graph.constant(numbers), "input_ids")
    scale = graph.node("Gather", graph.constant(steps[:, None]), "input_ids")
    return graph.node("Mul", graph.node("Cast", found, to=TensorProto.FLOAT), scale)


def _embeddings(graph: _Graph, architecture: Architecture, found: str) -> tuple[str, str]:
    """Add position and type embeddings to those of the words; return all, and what masks the padding's scores."""
    size = architecture.hidden
    positions = graph.weight("embeddings.position_embeddings.weight", architecture.positions, size)
    types = graph.weight("embeddings.token_type_embeddings.weight", architecture.types, size)
    # A single text is all of type 0, so that its embedding joins the positions' for good.
    length = graph.node("Shape", _MASK, start=1, end=2)
    placed = graph.node("Slice", graph.constant(positions + types[0]), graph.integers(0), length)
    hidden = graph.layer_norm("embeddings.LayerNorm", graph.node("Add", found, placed), architecture)

    present = graph.node("Cast", _MASK, output="present", to=TensorProto.FLOAT)
    absent = graph.node("Sub", graph.constant(np.array(1, dtype=np.float32)), present)
    # Finite, so that no score becomes NaN, and far below any real one.
    scores = graph.node("Mul", absent, graph.constant(np.array(-1e9, dtype=np.float32)))
    return hidden, graph.node("Unsqueeze", scores, graph.integers(1, 2))


def _attention(graph: _Graph, architecture: Architecture, name: str, hidden: str, mask: str) -> str:
    """Add self-attention over all heads: softmax(Q Kᵀ / sqrt(d) + mask) V."""
    size, heads = architecture.hidden, architecture.heads
    parts = ("query", "key", "value")
    matrices = [graph.weight(f"{name}.{part}.weight", size, size) for part in parts]
    biases = [graph.weight(f"{name}.{part}.bias", size) for part in parts]
    # One product instead of three: the input is read, and quantized, once. The scaling joins the query.
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
    scores = graph.node("Add", graph.node("MatMul", query, key), mask)
    mixed = graph.node("MatMul", graph.node("Softmax", scores, axis=-1), value)
    return graph.node(
        "Reshape", graph.node("Transpose", mixed, perm=[0, 2, 1, 3]), graph.integers(0, 0, size)
    )


def _layer(graph: _Graph, architecture: Architecture, name: str, hidden: str, mask: str) -> str:
    """Add one encoder layer: attention and feed-forward, each with its residual and norm."""
    size, inner = architecture.hidden, architecture.intermediate
    attended = _attention(graph, architecture, f"{name}.attention.self", hidden, mask)
    attended = graph.dense(f"{name}.attention.output.dense", attended, size, size)
    hidden = graph.layer_norm(
        f"{name}.attention.output.LayerNorm", graph.node("Add", attended, hidden), architecture
    )
    wide = graph.dense(f"{name}.intermediate.dense", hidden, inner, size)
    narrow = graph.dense(f"{name}.output.dense", _activation(graph, architecture, wide), size, inner)
    return graph.layer_norm(f"{name}.output.LayerNorm", graph.node("Add", narrow, hidden), architecture)


def _activation(graph: _Graph, architecture: Architecture, wide: str) -> str:
    if architecture.activation == "relu":
        return graph.node("Relu", wide)
    # "gelu" is the exact one, by erf; the others are its approximation by tanh (arXiv 1606.08415).
    approximation = "none" if architecture.activation == "gelu" else "tanh"
    return graph.node("Gelu", wide, approximate=approximation)


def _pooled(graph: _Graph, hidden: str) -> None:
    """Add the mean over the pieces that are there, brought to unit length."""
    present = graph.node("Unsqueeze", "present", graph.integers(2))
    total = graph.node("ReduceSum", graph.node("Mul", hidden, present), graph.integers(1), keepdims=0)
    count = graph.node("ReduceSum", "present", graph.integers(1), keepdims=1)
    mean = graph.node("Div", total, count)
    length = graph.node("ReduceL2", mean, graph.integers(1), keepdims=1)
    shortest = graph.constant(np.array(_TINY, dtype=np.float32))
    graph.node("Div", mean, graph.node("Max", length, shortest), output="vectors")
