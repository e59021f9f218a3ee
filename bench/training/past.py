"""Trains which questions ask for the past, for a change, or for what is due, and checks it.

    python -m bench past-heads [--write]

It learns from `past.jsonl`, messages in ten languages with near misses, and from the messages of `intents.jsonl` and
`last_chat.jsonl`, which ask for none of the three. Cross-validated in two ways: by message in five folds, and by language, so that no message of a language is in what
judges it. With `--write` the heads trained on all of it are written into the package.
Never: a store, a person's statements, the questions of `bench past`.
"""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.training.heads import embedded, judged_apart, read_messages, train_heads, write_heads
from recollect.recall import past
from recollect.recall.heads import Floats
from recollect.recall.past import ASKED

_OUT = Path(past.__file__).parent / "past_heads.json"
_FOLDS = 5
_UNKNOWN = frozenset({"time", "oneself", "list"})
"""Intents whose messages may ask for the past, too: their messages teach nothing."""


def all_messages() -> list[dict[str, str]]:
    """Return the messages, each with its ``text``, ``language`` and what it ``asks``."""
    others = [each["text"] for each in read_messages("intents.jsonl") if each["intent"] not in _UNKNOWN]
    others += [each["text"] for each in read_messages("last_chat.jsonl") if each["asks"]]
    of_others = [{"text": each, "language": "of others", "asks": "present"} for each in others]
    return read_messages("past.jsonl") + of_others


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


def main() -> None:
    """Check the heads, and write them where that is asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the heads into the package")
    options = parser.parse_args()
    messages = all_messages()
    targets = [np.array([each["asks"] == name for each in messages]) for name in ASKED]
    name, vectors = asyncio.run(embedded([each["text"] for each in messages]))
    folds = np.arange(len(messages)) % _FOLDS
    print("by message\n" + table(messages, judged_apart(vectors, targets, folds)))
    languages = np.array(
        [
            str(n % _FOLDS) if each["language"] == "of others" else each["language"]
            for n, each in enumerate(messages)
        ]
    )
    print("by language\n" + table(messages, judged_apart(vectors, targets, languages)))
    if options.write:
        write_heads(_OUT, name, train_heads(vectors, targets))


if __name__ == "__main__":
    main()
