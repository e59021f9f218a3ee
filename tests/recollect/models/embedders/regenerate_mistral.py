"""Writes mistral_embeddings.npz: what mistral-embed makes of mistral_texts.json, and the threshold that follows.

From the repository's root, with a key of Mistral's (two calls, some 900 tokens):

    MISTRAL_API_KEY=... .venv/bin/python -m tests.recollect.models.embedders.regenerate_mistral

Without a key, a stand-in of the same dimensions, whose similarities are those of the local model:

    .venv/bin/python -m tests.recollect.models.embedders.regenerate_mistral --stand-in

The threshold is the cut between the cosines of related texts (a statement with its paraphrase and with the question it
answers) and those of unrelated ones (of two topics, in any two languages) that gets most of both right,
each kind counting half (Youden, Index for rating diagnostic tests, 1950). Where several cuts get as many
right, it is the middle of the widest gap. Of mistral-embed it belongs into `recollect.models.embedders.mistral`, as the gate.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recollect.errors import RecollectError
from recollect.model import Vector
from recollect.models.embedders.local import LocalEmbedder
from recollect.models.embedders.mistral import MistralEmbedder
from recollect.models.mistral_sdk import DEFAULT_BASE_URL
from recollect.ports import Embedder

HERE = Path(__file__).parent
FILE = HERE / "mistral_embeddings.npz"
MODEL = "mistral-embed"
DIMENSIONS = 1024
STAND_IN = (
    "stand-in: projected from all-MiniLM-L6-v2, not made by mistral-embed; regenerate with "
    "MISTRAL_API_KEY=... python -m tests.recollect.models.embedders.regenerate_mistral"
)
_SEED = 1024


@dataclass(frozen=True)
class Topic:
    """Something said, said otherwise, and asked for."""

    language: str
    statement: str
    paraphrase: str
    question: str


@dataclass(frozen=True)
class Threshold:
    """Where related and unrelated texts part.

    Attributes:
        cosine: The cut.
        related_above: Share of the related pairs at or above it.
        unrelated_below: Share of the unrelated pairs below it.
    """

    cosine: float
    related_above: float
    unrelated_below: float


@dataclass(frozen=True)
class Embeddings:
    """The file: unit vectors, of each topic's statement, paraphrase and question in turn."""

    source: str
    threshold: Threshold
    vectors: NDArray[np.float32]

    @property
    def by_text(self) -> dict[str, list[float]]:
        """The vector of each text."""
        return dict(zip(texts(), self.vectors.tolist(), strict=True))


def topics() -> list[Topic]:
    """Return the labelled texts."""
    return [Topic(**topic) for topic in json.loads((HERE / "mistral_texts.json").read_text("utf-8"))]


def texts() -> list[str]:
    """Return all texts, in the order of the file's vectors."""
    return [text for topic in topics() for text in (topic.statement, topic.paraphrase, topic.question)]


def read(file: Path = FILE) -> Embeddings:
    """Read a file that ``write`` wrote."""
    with np.load(file, allow_pickle=False) as stored:
        vectors = stored["vectors"].astype(np.float32)
        metadata = json.loads(str(stored["metadata"]))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)  # half precision moved them a little
    return Embeddings(metadata["source"], Threshold(**metadata["threshold"]), vectors)


def write(file: Path, source: str, vectors: Sequence[Vector]) -> Threshold:
    """Write the vectors of ``texts`` whole or not at all, and return the threshold that follows."""
    # Half precision moves a cosine by less than a thousandth, and halves the file.
    halves = np.array(vectors, dtype=np.float16)
    threshold = find_threshold(*labelled(halves.astype(np.float32)))
    metadata = {"source": source, "dimensions": DIMENSIONS, "threshold": asdict(threshold)}
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        unfinished = Path(folder) / file.name
        with unfinished.open("wb") as opened:
            np.savez_compressed(opened, vectors=halves, metadata=np.array(json.dumps(metadata)))
        unfinished.replace(file)
    return threshold


def labelled(vectors: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the cosines of the related pairs, and of the unrelated ones."""
    cosines = vectors @ vectors.T
    topic = np.arange(len(vectors)) // 3
    is_statement = np.arange(len(vectors)) % 3 == 0
    same = topic[:, None] == topic[None, :]
    later = np.triu(np.ones_like(same), k=1).astype(bool)
    return cosines[same & later & is_statement[:, None]], cosines[~same & later]


def find_threshold(related: NDArray[np.float32], unrelated: NDArray[np.float32]) -> Threshold:
    """Return the cut that gets most of both kinds right."""
    cuts = [
        (
            Threshold((low + high) / 2, float((related >= high).mean()), float((unrelated <= low).mean())),
            high - low,
        )
        for low, high in pairwise(np.unique(np.concatenate([related, unrelated])).tolist())
    ]
    return max(cuts, key=lambda cut: (round(cut[0].related_above + cut[0].unrelated_below, 9), cut[1]))[0]


def projected(vectors: Sequence[Vector]) -> list[Vector]:
    """Return the vectors in 1,024 dimensions, with the cosines they have: times a seeded orthogonal matrix."""
    random = np.random.default_rng(_SEED)
    matrix, _ = np.linalg.qr(random.normal(size=(DIMENSIONS, len(vectors[0]))))
    return [(matrix @ vector).astype(np.float32) for vector in vectors]


async def stand_in(embedder: Embedder) -> list[Vector]:
    """Return the vectors that stand in for mistral-embed's."""
    return projected(await embedder.embed(texts()))


async def _vectors(arguments: argparse.Namespace, key: str | None) -> list[Vector]:
    if not arguments.stand_in:
        mistral = MistralEmbedder(MODEL, api_key=key, base_url=arguments.base_url)
        try:
            return await mistral.embed(texts())
        finally:
            await mistral.aclose()
    with tempfile.TemporaryDirectory() as cache:
        local = LocalEmbedder("all-MiniLM-L6-v2", cache_dir=Path(cache))
        await local.load()
        try:
            return await stand_in(local)
        finally:
            await local.aclose()


async def main(given: Sequence[str] | None = None) -> int:
    """Write the file; return the exit code: 1 if Mistral failed, 2 if there is no key."""
    parser = argparse.ArgumentParser(description="Writes mistral_embeddings.npz anew.")
    parser.add_argument("--stand-in", action="store_true", help="make it of the local model, without a key")
    parser.add_argument("--base-url", default=DEFAULT_BASE_URL, help="of Mistral's API")
    parser.add_argument("--file", type=Path, default=FILE, help="what is written")
    arguments = parser.parse_args(given)
    key = os.environ.get("MISTRAL_API_KEY")
    if not (key or arguments.stand_in):
        sys.stderr.write("MISTRAL_API_KEY is not set: a key of Mistral's is needed. Without: --stand-in.\n")
        return 2
    try:
        vectors = await _vectors(arguments, key)
    except RecollectError as error:
        sys.stderr.write(f"{error} Nothing was written.\n")
        return 1
    threshold = write(arguments.file, STAND_IN if arguments.stand_in else MODEL, vectors)
    sys.stdout.write(
        f"{arguments.file}: {len(vectors)} vectors of {len(vectors[0])} dimensions\n"
        f"threshold {threshold.cosine:.3f}: {threshold.related_above:.1%} of related pairs at or above it, "
        f"{threshold.unrelated_below:.1%} of unrelated ones below\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
