"""Trains the heads that recognize a question about earlier chats, and checks them by language.

    python -m bench last-chat-heads [--write]

`last_chat.jsonl` has messages that ask for the last chats, for the chats about a topic, or for neither though they sound like
it; `intents.jsonl` and `requests.jsonl` have ordinary messages. Each language is judged by heads that have not seen it. With them
stands a trivial baseline: the largest cosine to five of the messages. With `--write` the heads of all messages go into the package.
"""

import argparse
import asyncio
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.training.heads import embedded, judged_apart, read_messages, train_heads, write_heads
from recollect.recall import last_chat
from recollect.recall.heads import Floats, LinearHeads

_OUT = Path(last_chat.__file__).parent / "last_chat_heads.json"
_EXAMPLES = (
    "What did we talk about in our last chat?",
    "Let us go on with what we discussed yesterday",
    "Continue our last conversation",
    "What have I asked you this week?",
    "When we talked about the attic, what did you recommend?",
)


def _shares(name: str, score: Floats, bar: float, asks: NDArray[np.bool_], own: int) -> None:
    passed = score > bar
    near, other = passed[:own][~asks[:own]], passed[own:]
    print(
        f"{name}: {passed[asks].mean():.1%} of questions about chats, {near.mean():.1%} of near misses, {other.mean():.2%} of others"
    )


async def run(*, write: bool) -> None:
    """Train, judge and print; write the heads if so asked."""
    own = read_messages("last_chat.jsonl")
    every = [*own, *read_messages("intents.jsonl"), *read_messages("requests.jsonl")]
    name, vectors = await embedded([each["text"] for each in every])
    languages = np.array([each["language"] for each in every])
    asks = np.array([bool(each.get("asks")) for each in every])
    is_topic = np.array([each.get("asks") == "topic" for each in every])
    _shares("heads", judged_apart(vectors, [asks], languages)[:, 0], 0.0, asks, len(own))
    by_topic = judged_apart(vectors[asks], [is_topic[asks]], languages[asks])[:, 0] > 0
    print(f"of those, for a topic or the last ones: {(by_topic == is_topic[asks]).mean():.1%} right")
    texts = [each["text"] for each in every]
    nearest = (vectors @ vectors[[texts.index(each) for each in _EXAMPLES]].T).max(axis=1)
    for bar in (0.15, 0.3, 0.45):
        _shares(f"cosine {bar} to five examples", nearest, bar, asks, len(own))
    if write:
        chats, topic = train_heads(vectors, [asks]), train_heads(vectors[asks], [is_topic[asks]])
        weights = np.concatenate([chats.weights, topic.weights])
        write_heads(_OUT, name, LinearHeads(weights, np.concatenate([chats.bias, topic.bias])))


def main() -> None:
    """Read the arguments, and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true")
    asyncio.run(run(write=parser.parse_args().write))
