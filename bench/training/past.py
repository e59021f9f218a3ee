"""Trains which questions ask for the past, for a change, or for what is due, and checks it.

    python -m bench past-heads [--write]

It learns from `past.jsonl`, messages in ten languages with near misses, and from the messages of `intents.jsonl` and
`last_chat.jsonl`, which ask for none of the three. Cross-validated in two ways: by message in five folds, and by language, so that no message of a language is in what
judges it. With `--write` the heads trained on all of it are written into the package.
Never: a store, a person's statements, the questions of `bench past`.
"""

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.training.relevance import logistic
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder
from recollect.recall import past
from recollect.recall.candidates import Floats
from recollect.recall.past import ASKED

_OWN = Path(__file__).parent
_OUT = Path(past.__file__).parent / "past_model.json"
_FOLDS = 5
_UNKNOWN = frozenset({"time", "oneself", "list"})
"""Intents whose messages may ask for the past, too: their messages teach nothing."""


def read_messages() -> list[dict[str, str]]:
    """Return the messages, each with its ``text``, ``language`` and what it ``asks``."""
    own, intents, chats = (
        [json.loads(line) for line in (_OWN / name).read_text("utf-8").splitlines()]
        for name in ("past.jsonl", "intents.jsonl", "last_chat.jsonl")
    )
    others = [each["text"] for each in intents if each["intent"] not in _UNKNOWN]
    others += [each["text"] for each in chats if each["asks"]]
    return own + [{"text": each, "language": "of others", "asks": "present"} for each in others]


def train(vectors: Floats, asks: Sequence[str]) -> tuple[Floats, Floats]:
    """Return a row a head, and a bias each."""
    heads = [
        logistic(vectors, np.array([float(each == name) for each in asks]), ridge=0.1, balanced=True)
        for name in ASKED
    ]
    return np.array([row for row, _ in heads]), np.array([bias for _, bias in heads])


def judged(vectors: Floats, asks: Sequence[str], groups: Sequence[object]) -> Floats:
    """Return the logits of each message by heads that have seen no message of its group, (messages, heads)."""
    found = np.zeros((len(asks), len(ASKED)))
    for group in dict.fromkeys(groups):
        apart = np.array([each == group for each in groups])
        heads, bias = train(vectors[~apart], [each for each, out in zip(asks, apart, strict=True) if not out])
        found[apart] = vectors[apart] @ heads.T + bias
    return found


def table(messages: Sequence[dict[str, str]], logits: Floats) -> str:
    """Return for some bars how many messages of each kind are found, and how many others."""
    lines = []
    for column, name in enumerate(ASKED):
        mine = np.array([each["asks"] == name for each in messages])
        near = np.array([each["asks"] != name and each["language"] != "of others" for each in messages])
        told = [
            f"{bar:+.1f}: {np.mean(logits[mine, column] > bar):.0%}, near misses {np.mean(logits[near, column] > bar):.1%}, "
            f"others {np.mean(logits[~mine & ~near, column] > bar):.1%}"
            for bar in (-1.0, -0.5, 0.0, 0.5, 1.0)
        ]
        lines.append(f"{name}: " + "; ".join(told))
    return "\n".join(lines)


async def _vectors(texts: Sequence[str]) -> tuple[str, Floats]:
    with TemporaryDirectory() as folder:
        embedder = MultilingualE5Embedder(cache_dir=Path(folder))
        found = np.array([await embedder.embed_question(each) for each in texts], np.float64)
        await embedder.aclose()
    return embedder.name, found


def main() -> None:
    """Check the heads, and write them where that is asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the heads into the package")
    options = parser.parse_args()
    messages = read_messages()
    asks = [each["asks"] for each in messages]
    name, vectors = asyncio.run(_vectors([each["text"] for each in messages]))
    print("by message\n" + table(messages, judged(vectors, asks, [n % _FOLDS for n in range(len(asks))])))
    languages = [
        n % _FOLDS if each["language"] == "of others" else each["language"] for n, each in enumerate(messages)
    ]
    print("by language\n" + table(messages, judged(vectors, asks, languages)))
    if options.write:
        heads, bias = train(vectors, asks)
        held = {"embedder": name, "heads": heads.round(4).tolist(), "bias": bias.round(4).tolist()}
        _OUT.write_text(json.dumps(held, separators=(",", ":")) + "\n", "utf-8")
        print(f"written to {_OUT.name}")


if __name__ == "__main__":
    main()
