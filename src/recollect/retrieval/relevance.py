"""Estimates how likely a question needs each of a person's statements: a logistic regression over a few features. Pure.

Linear heads over the second embedder's vector of the question classify its intent; the vector is comparable across the
languages that the embedder supports. `bench.training.relevance` trained heads and weights on the lives data set and on messages
without a person, cross-validated over persons. A second set of weights, for the first embedder's cosine alone, is used if there
is no second embedder.

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
"""The intents of a question: it needs nothing remembered; an overview of everything; several things; what matters for a
recommendation; the time of something; one thing about the person."""

_KINDS = (Kind.FACT, Kind.PREFERENCE, Kind.INSIGHT, Kind.DECISION, Kind.TODO)
_WORD = bounded(r"\w+")
_GRAM = 4
_BEFORE = 0.5
"""The weight of the message before in a question's vector; the question's own is 1."""
_FIRST_IDEOGRAM = "\u2e80"
_READ = 300
"""Characters of a text whose letters are compared; few, since each question is compared with hundreds of statements."""
_SOON = timedelta(days=31)


@dataclass(frozen=True, slots=True)
class EmbeddedQuestion:
    """A question with its dates and its vector by the second embedder.

    Attributes:
        text: The user's words.
        now: The time of the question.
        periods: The dates that it means.
        vector: Its vector by the second embedder, unit length; None without one.
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
        embedder: The name of the second embedder that it was trained with.
        heads: The weights of the intents' heads, (intents, dimensions), in the order of ``INTENTS``.
        head_bias: Their biases, (intents,).
        full: The weights with vectors of the second embedder.
        first_only: The weights without them.
    """

    embedder: str
    heads: Floats
    head_bias: Floats
    full: LogisticWeights
    first_only: LogisticWeights


def contextual_vector(question: Vector, before: Vector) -> Vector:
    """Return the vector of a question in the context of the user's message ``before``; unit length."""
    both = question + _BEFORE * before
    return np.asarray(both / max(float(np.linalg.norm(both)), 1e-6), np.float32)


def intent_logits(asked: EmbeddedQuestion, model: RelevanceModel) -> Floats:
    """Return the logits of ``INTENTS``, (intents,); all 0 without a vector of the model's dimensions."""
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
    """Return the probability that each statement is needed, (n,), and each feature's contribution to its logit, (n,) each.

    Args:
        asked: The question.
        statements: The n statements.
        first: Their cosines to the question by the first embedder, (n,); NaN if unknown, or if it does not support the script.
        second: Their cosines by the second embedder, (n,); NaN if unknown.
        model: The trained model.
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
    """Return the features of the statements by name, (n,) each; an unknown one is 0.

    Args:
        asked: The question.
        statements: The n statements.
        first: Their cosines by the first embedder, (n,); NaN if unknown.
        second: Their cosines by the second embedder, (n,); NaN if unknown.
        told: The logits of the question's intents, (intents,).
    """
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
    """Return the products of intents and features."""
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
    """Return how near a statement's dates are to those of the question, 0 to 1.

    If the question means no date, dates in the next month count up to 0.3.
    """
    moments = [each for each in (statement.event_at, statement.holds_from, statement.holds_until) if each]
    if asked.periods:
        return max((proximity(each, asked.periods) for each in moments), default=0.0)
    now = asked.now if asked.now.tzinfo else asked.now.replace(tzinfo=UTC)
    ahead = [each - now for each in moments if each >= now]
    return 0.3 * max((1 - each / _SOON for each in ahead if each < _SOON), default=0.0)


def _shared_letters(question: str, contents: Sequence[str]) -> Floats:
    """Return the share of the question's character n-grams, weighted by their rarity, that each text holds, 0 to 1, (n,).

    The n-grams are those of ``letter_runs``: most of them survive inflection and typing errors.
    """
    asked = list(letter_runs(question))
    holds = np.array([[run in text for run in asked] for text in map(_in_words, contents)], np.float64)
    rarity = np.log((len(contents) + 1) / (holds.sum(axis=0) + 0.5))
    total = float(rarity.sum())
    return holds @ rarity / total if total > 0 else np.zeros(len(contents))


def _in_words(text: str) -> str:
    """Return a text's words, separated by two spaces, so that no n-gram spans two of them."""
    return f" {'  '.join(_WORD.findall(text[:_READ].casefold()))} "


def letter_runs(text: str) -> frozenset[str]:
    """Return a text's character n-grams: four characters within a padded word, two in scripts without spaces."""
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
    """Return the model shipped with the package."""
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
