"""Trains the heads that recognize a question about earlier chats, and checks them by language.

    python -m bench last-chat-heads [--write]

`last_chat.jsonl` has messages that ask for the last chats, for the chats about a topic, or for neither though they sound like
it; `intents.jsonl` and `requests.jsonl` have ordinary messages. Each language is judged by heads that have not seen it. With them
stands a trivial baseline: the largest cosine to five of the messages. With `--write` the heads of all messages go into the package.
"""

import argparse
import asyncio
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from bench.training.relevance import logistic
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder
from recollect.recall import last_chat
from recollect.recall.relevance import Floats

_HERE = Path(__file__).parent
_OUT = Path(last_chat.__file__).parent / "last_chat_heads.json"
_RIDGE = 0.1
_EXAMPLES = (
    "What did we talk about in our last chat?",
    "Let us go on with what we discussed yesterday",
    "Continue our last conversation",
    "What have I asked you this week?",
    "When we talked about the attic, what did you recommend?",
)


def _read(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (_HERE / name).read_text("utf-8").splitlines()]


async def _embedded(texts: list[str]) -> tuple[str, Floats]:
    with TemporaryDirectory() as folder:
        embedder = MultilingualE5Embedder(cache_dir=Path(folder))
        try:
            vectors = [await embedder.embed_question(each) for each in texts]
        finally:
            await embedder.aclose()
    return embedder.name, np.array(vectors, np.float64)


def _trained(vectors: Floats, target: NDArray[np.bool_]) -> tuple[Floats, float]:
    return logistic(vectors, target.astype(np.float64), ridge=_RIDGE, balanced=True)


def _apart(vectors: Floats, target: NDArray[np.bool_], languages: NDArray[np.str_]) -> Floats:
    """Return the logit of each message by a head that has seen no message in its language."""
    logits = np.zeros(len(vectors))
    for language in np.unique(languages):
        own = languages == language
        weights, bias = _trained(vectors[~own], target[~own])
        logits[own] = vectors[own] @ weights + bias
    return logits


def _shares(name: str, score: Floats, bar: float, asks: NDArray[np.bool_], own: int) -> None:
    passed = score > bar
    near, other = passed[:own][~asks[:own]], passed[own:]
    print(
        f"{name}: {passed[asks].mean():.1%} of questions about chats, {near.mean():.1%} of near misses, {other.mean():.2%} of others"
    )


async def run(*, write: bool) -> None:
    """Train, judge and print; write the heads if so asked."""
    own, others = _read("last_chat.jsonl"), [*_read("intents.jsonl"), *_read("requests.jsonl")]
    every = [*own, *others]
    name, vectors = await _embedded([each["text"] for each in every])
    languages = np.array([each["language"] for each in every])
    asks = np.array([bool(each.get("asks")) for each in every])
    is_topic = np.array([each.get("asks") == "topic" for each in every])
    _shares("heads", _apart(vectors, asks, languages), 0.0, asks, len(own))
    by_topic = _apart(vectors[asks], is_topic[asks], languages[asks]) > 0
    print(f"of those, for a topic or the last ones: {(by_topic == is_topic[asks]).mean():.1%} right")
    nearest = (vectors @ vectors[[_place(every, each) for each in _EXAMPLES]].T).max(axis=1)
    for bar in (0.15, 0.3, 0.45):
        _shares(f"cosine {bar} to five examples", nearest, bar, asks, len(own))
    if write:
        heads = [_trained(vectors, asks), _trained(vectors[asks], is_topic[asks])]
        held = {
            "embedder": name,
            "weights": [np.round(weights, 5).tolist() for weights, _ in heads],
            "bias": [round(bias, 5) for _, bias in heads],
        }
        _OUT.write_text(json.dumps(held, separators=(",", ":")) + "\n", "utf-8")
        print(f"written: {_OUT.name}")


def _place(messages: list[dict[str, str]], text: str) -> int:
    return next(place for place, each in enumerate(messages) if each["text"] == text)


def main() -> None:
    """Read the arguments, and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true")
    asyncio.run(run(write=parser.parse_args().write))
