"""Trains the heads that recognize questions about the past and about earlier chats, and checks them.

    python -m bench past-heads [--write]
    python -m bench last-chat-heads [--write]

`past.jsonl` has messages that ask for the past, for a change, or for to-dos; `last_chat.jsonl` messages that ask for the last chats, or for
the chats about a topic. Both have near misses in many languages, and teach the heads of the other, too. `intents.jsonl`,
`requests.jsonl`, `general.jsonl` and `needs.jsonl` have ordinary messages. Each language is judged by heads that have not seen it; with `--write` the heads of all messages go into the package.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.figures import percent
from bench.report import parser_of, table
from bench.training.relevance import head_as_json, logistic, quadratic
from bench.training.relevance_data import read_own
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder
from recollect.recall import last_chat, past_and_todos
from recollect.recall.past_and_todos import ASKED
from recollect.recall.relevance_model import Floats, QuadraticHead

_RIDGE = 0.1
_FOLDS = 5
_DIRECTIONS = 32
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

_Messages = Sequence[Mapping[str, Any]]
_Flags = NDArray[np.bool_]


def _embedded(messages: _Messages) -> tuple[str, Floats]:
    """Return the embedder's name, and the vectors of the messages as questions, (n, dimensions)."""
    embedder = MultilingualE5Embedder()

    async def embed() -> Floats:
        return np.array([await embedder.embed_question(each["text"]) for each in messages], np.float64)

    return embedder.name, asyncio.run(embed())


def _judged_apart(vectors: Floats, target: _Flags, languages: Sequence[str]) -> Floats:
    """Return the scores of messages by heads that have seen no message in their languages, (n,)."""
    numbers = {each: number % _FOLDS for number, each in enumerate(sorted(set(languages)))}
    fold_of, scores = np.array([numbers[each] for each in languages]), np.zeros(len(vectors))
    for fold in range(_FOLDS):
        own = fold_of == fold
        head = _quadratic(vectors[~own], target[~own])
        scores[own] = [head.score(each) for each in vectors[own]]
    return scores


def _quadratic(vectors: Floats, target: _Flags) -> QuadraticHead:
    return quadratic(vectors, target.astype(np.float64), _DIRECTIONS)


def _train(vectors: Floats, target: _Flags, languages: Sequence[str]) -> tuple[QuadraticHead, Floats]:
    """Return a head whose scores are logits, and the logits of the messages by heads that have not seen their languages."""
    apart = _judged_apart(vectors, target, languages)
    [scale], bias = logistic(apart[:, None], target.astype(np.float64), ridge=_RIDGE, balanced=True)
    head = _quadratic(vectors, target)
    scaled = QuadraticHead(
        head.directions * np.sqrt(scale), head.signs, head.weights * scale, head.bias * scale + bias
    )
    return scaled, scale * apart + bias


def _write(module: str | None, name: str, embedder: str, heads: Sequence[QuadraticHead]) -> None:
    """Write heads into the package; five digits are more than they know."""
    held = {"embedder": embedder, "heads": [head_as_json(each) for each in heads]}
    out = Path(module or "").parent / "trained" / name
    out.write_text(json.dumps(held, separators=(",", ":")) + "\n", "utf-8")
    print(f"written: {out.name}")


def _writes() -> bool:
    parser = parser_of(__doc__)
    parser.add_argument("--write", action="store_true", help="write the heads into the package")
    return bool(parser.parse_args().write)


def _general() -> list[dict[str, Any]]:
    """Return messages that ask for nothing remembered."""
    return [each for name in ("general.jsonl", "needs.jsonl") for each in read_own(name) if not each["needs"]]


def train_past() -> None:
    """Check the heads that recognize questions about the past, by language."""
    writes = _writes()
    own = read_own("past.jsonl")
    others = [each for each in read_own("intents.jsonl") if each["intent"] not in _UNKNOWN]
    others += [each for each in read_own("last_chat.jsonl") if each["asks"]]
    others += [*read_own("requests.jsonl"), *_general()]
    messages = [*own, *(each | {"asks": "present"} for each in others)]
    languages = [each["language"] for each in messages]
    targets = [np.array([each["asks"] == name for each in messages]) for name in ASKED]
    embedder, vectors = _embedded(messages)
    trained = [_train(vectors, each, languages) for each in targets]
    rows = _past_rows(len(own), targets, np.stack([logits for _, logits in trained], axis=1))
    print("Each language judged by heads that have not seen it: found, near misses, others\n")
    print(table(("logit above", *(f"{bar:+.1f}" for bar in _BARS)), rows))
    if writes:
        _write(past_and_todos.__file__, "past_heads.json", embedder, [head for head, _ in trained])


def _past_rows(own: int, targets: Sequence[_Flags], logits: Floats) -> list[tuple[str, ...]]:
    is_other = np.arange(len(logits)) >= own
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
    own, past = read_own("last_chat.jsonl"), [each | {"asks": ""} for each in read_own("past.jsonl")]
    every = [*own, *read_own("intents.jsonl"), *read_own("requests.jsonl"), *past, *_general()]
    embedder, vectors = _embedded(every)
    languages = [each["language"] for each in every]
    asks = np.array([bool(each.get("asks")) for each in every])
    is_topic = np.array([each.get("asks") == "topic" for each in every])[asks]
    texts = [each["text"] for each in every]
    nearest = (vectors @ vectors[[texts.index(each) for each in _EXAMPLES]].T).max(axis=1)
    chats, logits = _train(vectors, asks, languages)
    scores = [("heads", logits > last_chat.BAR)]
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
    topic, by_topic = _train(vectors[asks], is_topic, asking)
    share = percent(float(((by_topic > 0) == is_topic).mean()), decimals=1)
    print(f"\nOf those, for a topic or the last ones: {share} right")
    if writes:
        _write(last_chat.__file__, "last_chat_heads.json", embedder, [chats, topic])
