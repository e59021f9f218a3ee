"""A tiny encoder of random weights, and its finished graph."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from recollect_weights.building.onnx_graph import build_graph
from recollect_weights.building.stored_model import Architecture

ARCHITECTURE = Architecture(
    vocabulary=12, positions=12, types=2, hidden=16, intermediate=24, layers=2, heads=4, epsilon=1e-12
)


@dataclass(frozen=True)
class Stored:
    """A model whose weights are at hand."""

    tensors: dict[str, NDArray[Any]]
    architecture: Architecture = ARCHITECTURE

    def tensor(self, name: str) -> NDArray[Any]:
        return self.tensors[name]


def tiny_weights(seed: int) -> dict[str, NDArray[np.float32]]:
    """Return random weights that suit ``ARCHITECTURE``."""
    random = np.random.default_rng(seed)
    size, inner = ARCHITECTURE.hidden, ARCHITECTURE.intermediate
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.position_embeddings.weight": (ARCHITECTURE.positions, size),
        "embeddings.token_type_embeddings.weight": (ARCHITECTURE.types, size),
        "embeddings.LayerNorm.weight": (size,),
        "embeddings.LayerNorm.bias": (size,),
    }
    for layer in range(ARCHITECTURE.layers):
        name = f"encoder.layer.{layer}"
        dense = {
            "attention.self.query": (size, size),
            "attention.self.key": (size, size),
            "attention.self.value": (size, size),
            "attention.output.dense": (size, size),
            "intermediate.dense": (inner, size),
            "output.dense": (size, inner),
        }
        for part, shape in dense.items():
            shapes |= {f"{name}.{part}.weight": shape, f"{name}.{part}.bias": shape[:1]}
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{name}.{part}.weight": (size,), f"{name}.{part}.bias": (size,)}
    return {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def write_tiny_graph(folder: Path, weights: dict[str, NDArray[np.float32]] | None = None) -> Path:
    folder.mkdir(parents=True)
    onnx.save_model(build_graph(Stored(weights or tiny_weights(0))), folder / "graph.onnx")
    return folder
