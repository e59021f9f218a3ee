"""What the trainers of linear heads share: messages, their vectors, heads judged by groups they have not seen, the file of the heads.

Never: what a head tells.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from bench.training.relevance import logistic
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder
from recollect.recall.heads import Floats, LinearHeads

_RIDGE = 0.1


def read_messages(name: str) -> list[dict[str, str]]:
    """Read a file of this folder, a message a line."""
    return [json.loads(line) for line in Path(__file__).with_name(name).read_text("utf-8").splitlines()]


async def embedded(texts: Sequence[str]) -> tuple[str, Floats]:
    """Return the embedder's name, and the vectors of questions, (n, dimensions)."""
    with TemporaryDirectory() as folder:
        embedder = MultilingualE5Embedder(cache_dir=Path(folder))
        try:
            vectors = [await embedder.embed_question(each) for each in texts]
        finally:
            await embedder.aclose()
    return embedder.name, np.array(vectors, np.float64)


def train_heads(vectors: Floats, targets: Sequence[NDArray[np.bool_]]) -> LinearHeads:
    """Return a head for each target, (n,) each."""
    heads = [logistic(vectors, each.astype(np.float64), ridge=_RIDGE, balanced=True) for each in targets]
    return LinearHeads(np.array([weights for weights, _ in heads]), np.array([bias for _, bias in heads]))


def judged_apart(
    vectors: Floats, targets: Sequence[NDArray[np.bool_]], groups: NDArray[np.str_] | NDArray[np.intp]
) -> Floats:
    """Return the logits of each message by heads that have seen no message of its group, (n, heads)."""
    logits = np.zeros((len(vectors), len(targets)))
    for group in np.unique(groups):
        own = groups == group
        heads = train_heads(vectors[~own], [each[~own] for each in targets])
        logits[own] = vectors[own] @ heads.weights.T + heads.bias
    return logits


def write_heads(out: Path, embedder: str, heads: LinearHeads) -> None:
    """Write heads into the package; five digits are more than they know."""
    weights, bias = heads.weights.round(5).tolist(), heads.bias.round(5).tolist()
    held = {"embedder": embedder, "weights": weights, "bias": bias}
    out.write_text(json.dumps(held, separators=(",", ":")) + "\n", "utf-8")
    print(f"written: {out.name}")
