"""How likely a question needs each of a person's statements: a logistic regression over few signals. Pure.

What a question is about in general (nothing that is remembered, everything, a list of things, a recommendation, a time) linear
heads tell from the second embedder's vector of it, which means the same in every language that the embedder reads. Trained by
`bench.training.relevance` on people's lives and on messages without a person, cross-validated by person; without the second
embedder another set of weights stands in, that knows the first one's cosine alone.

Never: a store, a model's library, training, passages of the log.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from recollect.model import Kind, Memory, Vector
from recollect.text.dates import Period, proximity
from recollect.text.patterns import bounded

Floats: TypeAlias = NDArray[np.float64]

INTENTS = ("nothing", "overview", "list", "advice", "time", "oneself")
"""What a question is about: nothing of what is remembered; all of it; several things; what counts for a recommendation; when
something was or will be; one thing of the person's life."""

_KINDS = (Kind.FACT, Kind.PREFERENCE, Kind.INSIGHT, Kind.DECISION, Kind.TODO)
_WORD = bounded(r"\w+")
_GRAM = 4
_BEFORE = 0.5
"""What the message before it counts of a question's meaning."""
_FIRST_IDEOGRAM = "\u2e80"
_READ = 300
"""Characters of a text that are compared by their letters: hundreds of statements are, for each question."""
_SOON = timedelta(days=31)


@dataclass(frozen=True, slots=True)
class EmbeddedQuestion:
    """A question with its dates and its vector by the second embedder.

    Attributes:
        text: The person's words.
        now: When it is asked.
        periods: The dates it means.
        vector: Its vector by the second embedder; None where there is none.
    """

    text: str
    now: datetime
    periods: tuple[Period, ...] = ()
    vector: Vector | None = None


@dataclass(frozen=True, slots=True)
class LogisticWeights:
    """A logistic regression: the logit is ``bias + features @ weights``."""

    features: tuple[str, ...]
    weights: Floats
    bias: float


@dataclass(frozen=True, slots=True)
class RelevanceModel:
    """The trained model.

    Attributes:
        embedder: The second embedder's name.
        heads: A row for each of ``INTENTS``, over its dimensions.
        head_bias: One each.
        full: How likely a statement is needed, where there are vectors of the second embedder.
        first_only: The same where there are none.
    """

    embedder: str
    heads: Floats
    head_bias: Floats
    full: LogisticWeights
    first_only: LogisticWeights


def contextual_vector(question: Vector, before: Vector) -> Vector:
    """Return the vector of a question that goes on from what the person said before it; unit length."""
    both = question + _BEFORE * before
    return np.asarray(both / max(float(np.linalg.norm(both)), 1e-6), np.float32)


def intent_logits(asked: EmbeddedQuestion, model: RelevanceModel) -> Floats:
    """Return a logit for each of ``INTENTS``; 0 where there is no vector to tell by."""
    if asked.vector is None or len(asked.vector) != model.heads.shape[1]:
        return np.zeros(len(INTENTS))
    told: Floats = model.heads @ np.asarray(asked.vector, np.float64) + model.head_bias
    return told


def probabilities(
    asked: EmbeddedQuestion,
    statements: Sequence[Memory],
    first: Floats,
    second: Floats,
    model: RelevanceModel,
) -> tuple[Floats, dict[str, Floats]]:
    """Return how likely each statement is needed, 0 to 1, (n,), and what each feature gave to the logit, (n,) each.

    Args:
        asked: The question.
        statements: The n statements.
        first: Their cosines to the question by the first embedder, NaN where unknown or where it does not read the text, (n,).
        second: The same by the second embedder, (n,).
        model: What was trained.
    """
    has_second = asked.vector is not None and bool(np.isfinite(second).any())
    weights = model.full if has_second else model.first_only
    told = intent_logits(asked, model)
    table = features(asked, statements, first, second, told)
    columns = np.stack([table[name] for name in weights.features], axis=1)
    shares = columns * weights.weights
    logits = shares.sum(axis=1) + weights.bias
    return 1 / (1 + np.exp(-np.clip(logits, -40, 40))), dict(zip(weights.features, shares.T, strict=True))


def features(
    asked: EmbeddedQuestion, statements: Sequence[Memory], first: Floats, second: Floats, told: Floats
) -> dict[str, Floats]:
    """Return the features by name, (n,) each; what is not known is 0. ``told``: the logits of the question's intents."""
    n = len(statements)
    one = np.ones(n)
    near, near_first = np.nan_to_num(second), np.nan_to_num(first)
    shared = _shared_letters(asked.text, [each.content for each in statements])
    importance = np.array([each.importance for each in statements])
    kinds = {kind: np.array([each.kind is kind for each in statements], np.float64) for kind in _KINDS}
    when = np.array([_when(each, asked) for each in statements])
    order = (
        np.argsort(np.argsort(-near)) if np.isfinite(second).any() else np.argsort(np.argsort(-near_first))
    )
    intent = {name: np.tanh(value / 2) for name, value in zip(INTENTS, told.tolist(), strict=True)}
    table = {
        "near": near,
        "near_gap": near - near.max(),
        "near_best": one * near.max(),
        "first": near_first,
        "first_gap": near_first - near_first.max(),
        "letters": shared,
        "letters_gap": shared - shared.max(),
        "rank": np.log1p(order),
        "importance": importance,
        "vital": (importance >= 0.85).astype(np.float64),  # noqa: PLR2004 -- health, safety, asked to be remembered
        "length": one * np.log1p(len(asked.text)),
        "when": when,
    }
    table |= {f"kind_{kind.value}": values for kind, values in kinds.items()}
    table |= {f"asks_{name}": one * value for name, value in intent.items()}
    return table | _together(intent, table)


def _together(intent: Mapping[str, float], table: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return what features count together with what is asked."""
    importance, preference = table["importance"], table[f"kind_{Kind.PREFERENCE.value}"]
    near, gap = table["near"], table["near_gap"]
    return {
        "advice_importance": intent["advice"] * importance,
        "advice_vital": intent["advice"] * table["vital"],
        "advice_preference": intent["advice"] * preference,
        "nothing_importance": intent["nothing"] * importance,
        "nothing_preference": intent["nothing"] * preference,
        "nothing_near": intent["nothing"] * near,
        "list_gap": intent["list"] * gap,
        "oneself_gap": intent["oneself"] * gap,
        "time_when": intent["time"] * table["when"],
    }


def _when(statement: Memory, asked: EmbeddedQuestion) -> float:
    """Return how near what a statement tells of is to the time asked for, 0 to 1; a little for what is due soon."""
    moments = [each for each in (statement.event_at, statement.holds_from, statement.holds_until) if each]
    if asked.periods:
        return max((proximity(each, asked.periods) for each in moments), default=0.0)
    now = asked.now if asked.now.tzinfo else asked.now.replace(tzinfo=UTC)
    ahead = [each - now for each in moments if each >= now]
    return 0.3 * max((1 - each / _SOON for each in ahead if each < _SOON), default=0.0)


def _shared_letters(question: str, contents: Sequence[str]) -> Floats:
    """Return which share of the question's runs of letters, by their rarity, each text holds, 0 to 1, (n,).

    Runs of four letters within a word, of two where words are not parted: inflection and mistyping leave most of them.
    """
    asked = list(letter_runs(question))
    holds = np.array([[run in text for run in asked] for text in map(_in_words, contents)], np.float64)
    rarity = np.log((len(contents) + 1) / (holds.sum(axis=0) + 0.5))
    total = float(rarity.sum())
    return holds @ rarity / total if total > 0 else np.zeros(len(contents))


def _in_words(text: str) -> str:
    """Return a text's words, parted so that no run of letters goes over two of them."""
    return f" {'  '.join(_WORD.findall(text[:_READ].casefold()))} "


def letter_runs(text: str) -> frozenset[str]:
    """Return the runs of letters that a text holds."""
    runs: set[str] = set()
    for word in _WORD.findall(text[:_READ].casefold()):
        if max(word) >= _FIRST_IDEOGRAM:
            runs.update([word[n : n + 2] for n in range(max(1, len(word) - 1))])
        else:
            padded = f" {word} "
            runs.update([padded[n : n + _GRAM] for n in range(max(1, len(padded) - _GRAM + 1))])
    return frozenset(runs)


@cache
def shipped_model() -> RelevanceModel:
    """Return the model that is shipped with the package."""
    held = json.loads(files("recollect.retrieval").joinpath("relevance_model.json").read_text("utf-8"))
    return RelevanceModel(
        held["embedder"],
        np.array(held["heads"], np.float64),
        np.array(held["head_bias"], np.float64),
        _weights(held["full"]),
        _weights(held["first_only"]),
    )


def _weights(held: dict[str, object]) -> LogisticWeights:
    named: dict[str, float] = held["weights"]  # type: ignore[assignment]
    return LogisticWeights(tuple(named), np.array(list(named.values()), np.float64), float(held["bias"]))  # type: ignore[arg-type]
