"""Assembles the ONNX graph of a BERT sentence embedder, node by node, from plain arrays.

Devlin et al., "BERT" (arXiv 1810.04805); the pooling is that of Sentence-BERT (arXiv 1908.10084).
Imported only when a graph must be built: loading `onnx` costs more than loading a finished graph.

Never: checksums, caching, tokenizers.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors import SafetensorError

from recollect.errors import EmbedderError
from recollect.models.embedders.model_folder import Architecture

ReadTensor = Callable[[str], NDArray[np.generic]]

# 20 brought Gelu; onnxruntime 1.22, the oldest we allow, knows it, and IR version 10 belongs to it.
_OPSET = 20
_IR_VERSION = 10
_TINY = 1e-12


def write_graph(architecture: Architecture, read: ReadTensor, folder: Path, *, quantized: bool) -> Path:
    """Build the graph and write it into ``folder``, with weights of eight bits if ``quantized``.

    Weights are quantized by output channel, activations at run time and by the whole tensor.

    Raises:
        EmbedderError: As ``build_graph``.
    """
    whole, small = folder / "fp32.onnx", folder / "int8.onnx"
    onnx.save(build_graph(architecture, read), str(whole))
    if not quantized:
        return whole
    # The weights use seven of the eight bits: without VNNI, x86 adds two products in 16 bits, which
    # overflow otherwise, so that vectors would differ from one machine to the next
    # (onnxruntime.ai/docs/performance/model-optimizations/quantization.html, "reduce_range").
    quantize_dynamic(whole, small, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)
    return small


def build_graph(architecture: Architecture, read: ReadTensor) -> onnx.ModelProto:
    """Assemble the encoder, mean pooling over the mask, and the L2 normalisation as one graph.

    Args:
        architecture: The sizes.
        read: Returns the tensor of that name in the safetensors file, of any float type of numpy's.

    Returns:
        A model with the inputs ``input_ids`` and ``attention_mask`` (int64, [texts, pieces])
        and the output ``vectors`` (float32, [texts, hidden size], unit length).

    Raises:
        EmbedderError: A tensor can't be read, or is not of the shape the architecture asks for.
    """
    graph = _Graph(read)
    hidden, mask = _embeddings(graph, architecture)
    for layer in range(architecture.layers):
        hidden = _layer(graph, architecture, f"encoder.layer.{layer}", hidden, mask)
    _pooled(graph, hidden)
    sizes = ["texts", "pieces"]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, sizes)
        for name in ("input_ids", "attention_mask")
    ]
    vectors = helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["texts", architecture.hidden])
    proto = helper.make_graph(graph.nodes, "sentence_embedder", inputs, [vectors], graph.initializers)
    model = helper.make_model(proto, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION)
    # Says that the graph needs no pre-processing, which onnxruntime's quantizer would otherwise
    # recommend through the root logger, configuring it on the way.
    helper.set_model_props(model, {"onnx.quant.pre_process": "onnxruntime.quant"})
    return model


@dataclass(slots=True)
class _Graph:
    """The nodes and constants so far. Constants are named after the tensors they hold."""

    read: ReadTensor
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    initializers: list[onnx.TensorProto] = field(default_factory=list)

    def node(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """Add a node of one output and return that output's name."""
        output = output or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], name=f"{output}.node", **attributes))
        return output

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
        except (SafetensorError, TypeError) as error:  # missing; or bfloat16, which numpy does not know
            raise EmbedderError(
                f"The model's tensor {name} can't be read: {error}. It must be float32 or float16."
            ) from error
        if found.shape != shape:
            raise EmbedderError(f"The model's tensor {name} has the shape {found.shape}, not {shape}.")
        return found.astype(np.float32)

    def linear(self, inputs: str, matrix: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        """Add ``inputs @ matrix.T + bias``, the layout torch stores a dense layer in."""
        return self.node("Add", self.node("MatMul", inputs, self.constant(matrix.T)), self.constant(bias))

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


def _embeddings(graph: _Graph, architecture: Architecture) -> tuple[str, str]:
    """Add word, position and type embeddings; return them, and what masks the padding's scores."""
    size = architecture.hidden
    words = graph.weight("embeddings.word_embeddings.weight", architecture.vocabulary, size)
    positions = graph.weight("embeddings.position_embeddings.weight", architecture.positions, size)
    types = graph.weight("embeddings.token_type_embeddings.weight", architecture.types, size)
    # A single text is all of type 0, so that its embedding joins the positions' for good.
    length = graph.node("Shape", "input_ids", start=1, end=2)
    placed = graph.node("Slice", graph.constant(positions + types[0]), graph.integers(0), length)
    found = graph.node("Gather", graph.constant(words), "input_ids")
    hidden = graph.layer_norm("embeddings.LayerNorm", graph.node("Add", found, placed), architecture)

    present = graph.node("Cast", "attention_mask", output="present", to=TensorProto.FLOAT)
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
