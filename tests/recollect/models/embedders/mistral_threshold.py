"""Prints the gate that follows for mistral-embed from the texts of mistral_texts.json.

From the repository's root, with a key of Mistral's (two calls, some 900 tokens):

    MISTRAL_API_KEY=... .venv/bin/python -m tests.recollect.models.embedders.mistral_threshold

Related texts are a statement with its paraphrase and with its question; unrelated ones are of two topics, in any two
languages. The threshold is the cut between their cosines that classifies most pairs right, each kind counting half
(Youden, Index for rating diagnostic tests, 1950). Among equal cuts it is the middle of the widest gap. It becomes the
gate in `recollect.models.mistral`.
"""

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.model import Vector
from recollect.models.mistral import MistralEmbedder

TEXTS = Path(__file__).with_name("mistral_texts.json")


class Threshold(NamedTuple):
    """Where related and unrelated texts part.

    Attributes:
        cosine: The cut.
        related_above: Share of the related pairs at or above it.
        unrelated_below: Share of the unrelated pairs below it.
    """

    cosine: float
    related_above: float
    unrelated_below: float


def texts() -> list[str]:
    """Return each topic's statement, paraphrase and question in turn."""
    topics = json.loads(TEXTS.read_text("utf-8"))
    return [topic[part] for topic in topics for part in ("statement", "paraphrase", "question")]


def labelled(vectors: Sequence[Vector]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the cosines of the related pairs of ``texts``, and of the unrelated ones."""
    matrix = np.array(vectors, dtype=np.float32)
    cosines = matrix @ matrix.T
    topic = np.arange(len(matrix)) // 3
    is_statement = np.arange(len(matrix)) % 3 == 0
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


async def main() -> None:
    """Ask Mistral, and print the threshold."""
    embedder = MistralEmbedder(api_key=os.environ["MISTRAL_API_KEY"])
    found = find_threshold(*labelled(await embedder.embed(texts())))
    await embedder.aclose()
    sys.stdout.write(
        f"threshold {found.cosine:.3f}: {found.related_above:.1%} of related pairs at or above it, "
        f"{found.unrelated_below:.1%} of unrelated ones below\n"
    )


if __name__ == "__main__":
    asyncio.run(main())
