"""Trains the linear heads that recognize questions about the past and about earlier chats, and checks them.

    python -m bench past-heads [--write]
    python -m bench last-chat-heads [--write]

`past.jsonl` has messages that ask for the past, for a change, or for to-dos; `last_chat.jsonl` messages that ask for the last chats, or for
the chats about a topic. Both have near misses in many languages, and teach the heads of the other, too. `intents.jsonl` and
`requests.jsonl` have ordinary messages. Each language is judged by heads that have not seen it; with `--write` the heads of all messages go into the package.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.figures import percent
from bench.files import read_lines
from bench.report import parser_of, table
from bench.training.relevance import logistic
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder
from recollect.recall import last_chat, past_and_todos
from recollect.recall.past_and_todos import ASKED
from recollect.recall.relevance import Floats, LinearHeads

_RIDGE = 0.1
_FOLDS = 5
_OTHERS = "of others"
_BARS = (-1.0, -0.5, 0.0, 0.5, 1.0)
_UNKNOWN = frozenset({"time", "oneself", "list"})
"""Intents whose messages may ask for the past, too: they teach nothing about it."""

_EXAMPLES = (
    "What did we talk about in our last chat?",
    "Let us go on with what we discussed yesterday",
    "Continue our last conversation",
    "What have I asked you this week?",
    "When we talked about the attic, what did you recommend?",
)
"""A trivial baseline is the largest cosine to one of these."""

_Messages = Sequence[Mapping[str, str]]
_Flags = NDArray[np.bool_]


def _read(name: str) -> list[dict[str, str]]:
    return read_lines([Path(__file__).with_name(name)])


def _embedded(messages: _Messages) -> tuple[str, Floats]:
    """Return the embedder's name, and the vectors of the messages as questions, (n, dimensions)."""

    async def embed() -> tuple[str, Floats]:
        embedder = MultilingualE5Embedder()
        try:
            vectors = [await embedder.embed_question(each["text"]) for each in messages]
        finally:
            await embedder.aclose()
        return embedder.name, np.array(vectors, np.float64)

    return asyncio.run(embed())


def _train(vectors: Floats, targets: Sequence[_Flags]) -> LinearHeads:
    """Return a head for each target, (n,) each."""
    heads = [logistic(vectors, each.astype(np.float64), ridge=_RIDGE, balanced=True) for each in targets]
    return LinearHeads(np.array([weights for weights, _ in heads]), np.array([bias for _, bias in heads]))


def _judged_apart(vectors: Floats, targets: Sequence[_Flags], groups: Sequence[str]) -> Floats:
    """Return the logits of each message by heads that have seen no message of its group, (n, heads)."""
    logits, group_of = np.zeros((len(vectors), len(targets))), np.array(groups)
    for group in np.unique(group_of):
        own = group_of == group
        heads = _train(vectors[~own], [each[~own] for each in targets])
        logits[own] = vectors[own] @ heads.weights.T + heads.bias
    return logits


def _write(module: str | None, name: str, embedder: str, heads: LinearHeads) -> None:
    """Write heads into the package; five digits are more than they know."""
    weights, bias = heads.weights.round(5).tolist(), heads.bias.round(5).tolist()
    held = {"embedder": embedder, "weights": weights, "bias": bias}
    out = Path(module or "").parent / "trained" / name
    out.write_text(json.dumps(held, separators=(",", ":")) + "\n", "utf-8")
    print(f"written: {out.name}")


def _writes() -> bool:
    parser = parser_of(__doc__)
    parser.add_argument("--write", action="store_true", help="write the heads into the package")
    return bool(parser.parse_args().write)


def train_past() -> None:
    """Check the heads that recognize questions about the past, by message and by language."""
    writes = _writes()
    others = [each["text"] for each in _read("intents.jsonl") if each["intent"] not in _UNKNOWN]
    others += [each["text"] for each in _read("last_chat.jsonl") if each["asks"]]
    others += [each["text"] for each in _read("requests.jsonl")]
    messages = _read("past.jsonl") + [
        {"text": each, "language": _OTHERS, "asks": "present"} for each in others
    ]
    targets = [np.array([each["asks"] == name for each in messages]) for name in ASKED]
    embedder, vectors = _embedded(messages)
    folds = [str(number % _FOLDS) for number in range(len(messages))]
    languages = [
        fold if each["language"] == _OTHERS else each["language"]
        for fold, each in zip(folds, messages, strict=True)
    ]
    for name, groups in (("message", folds), ("language", languages)):
        rows = _past_rows(messages, targets, _judged_apart(vectors, targets, groups))
        print(f"\nJudged apart by {name}: found, near misses, others\n")
        print(table(("logit above", *(f"{bar:+.1f}" for bar in _BARS)), rows))
    if writes:
        _write(past_and_todos.__file__, "past_heads.json", embedder, _train(vectors, targets))


def _past_rows(messages: _Messages, targets: Sequence[_Flags], logits: Floats) -> list[tuple[str, ...]]:
    is_other = np.array([each["language"] == _OTHERS for each in messages])
    rows = []
    for column, (name, mine) in enumerate(zip(ASKED, targets, strict=True)):
        groups = (mine, ~mine & ~is_other, ~mine & is_other)
        cells = (
            ", ".join(percent(float(np.mean(logits[group, column] > bar)), decimals=1) for group in groups)
            for bar in _BARS
        )
        rows.append((name, *cells))
    return rows


def train_last_chat() -> None:
    """Check the heads that recognize questions about earlier chats, by language, against cosines to five examples."""
    writes = _writes()
    own, past = _read("last_chat.jsonl"), [each | {"asks": ""} for each in _read("past.jsonl")]
    every = [*own, *_read("intents.jsonl"), *_read("requests.jsonl"), *past]
    embedder, vectors = _embedded(every)
    languages = [each["language"] for each in every]
    asks = np.array([bool(each.get("asks")) for each in every])
    is_topic = np.array([each.get("asks") == "topic" for each in every])[asks]
    texts = [each["text"] for each in every]
    nearest = (vectors @ vectors[[texts.index(each) for each in _EXAMPLES]].T).max(axis=1)
    scores = [("heads", _judged_apart(vectors, [asks], languages)[:, 0] > 0)]
    scores += [(f"cosine {bar} to five examples", nearest > bar) for bar in (0.15, 0.3, 0.45)]
    rows = [
        (
            name,
            *(
                percent(float(np.mean(each)), decimals=2)
                for each in (passed[asks], passed[: len(own)][~asks[: len(own)]], passed[len(own) :])
            ),
        )
        for name, passed in scores
    ]
    print(table(("", "questions about chats", "near misses", "other messages"), rows))
    asking = [language for language, is_asked in zip(languages, asks, strict=True) if is_asked]
    by_topic = _judged_apart(vectors[asks], [is_topic], asking)[:, 0] > 0
    print(
        f"\nOf those, for a topic or the last ones: {percent(float((by_topic == is_topic).mean()), decimals=1)} right"
    )
    if writes:
        chats, topic = _train(vectors, [asks]), _train(vectors[asks], [is_topic])
        heads = LinearHeads(
            np.concatenate([chats.weights, topic.weights]), np.concatenate([chats.bias, topic.bias])
        )
        _write(last_chat.__file__, "last_chat_heads.json", embedder, heads)
