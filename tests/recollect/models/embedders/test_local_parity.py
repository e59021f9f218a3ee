"""The local embedder against sentence-transformers, on texts of many scripts and shapes."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from recollect.models.embedders.local import LocalEmbedder

HERE = Path(__file__).parent
TEXTS: list[str] = json.loads((HERE / "parity_texts.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def reference() -> NDArray[np.float32]:
    """What make_parity_fixture.py wrote, at unit length."""
    vectors = np.load(HERE / "parity_vectors.npz")["vectors"].astype(np.float32)
    unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


async def test_fp32_vectors_are_those_of_the_reference(graphs: Path, reference: NDArray[np.float32]) -> None:
    embedder = LocalEmbedder("all-MiniLM-L6-v2", cache_dir=graphs, precision="fp32")
    vectors = np.array(await embedder.embed(TEXTS))
    await embedder.aclose()

    cosines = (vectors * reference).sum(axis=1)

    assert len(TEXTS) >= 200
    assert {text: cosine for text, cosine in zip(TEXTS, cosines, strict=True) if cosine < 0.9999} == {}


async def test_int8_vectors_are_near_those_of_the_reference(
    minilm: LocalEmbedder, reference: NDArray[np.float32], record_property: Callable[[str, object], None]
) -> None:
    cosines = (np.array(await minilm.embed(TEXTS)) * reference).sum(axis=1)

    record_property("int8_mean_cosine", f"{cosines.mean():.4f}")
    # Measured: 0.991 on average, 0.973 at worst.
    assert cosines.mean() >= 0.985
    assert cosines.min() >= 0.96
