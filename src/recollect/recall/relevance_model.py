"""Estimates how likely a question needs each of a person's statements, and any at all: two logistic regressions. Pure.

Linear heads over the question's vector classify its intent, in every language of the embedder. `bench.training.relevance` trained
heads and weights on the lives data set and on messages without a person, cross-validated over persons.

It uses no store and no model's library, does no training, and judges no passages of the log.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recollect.index import KIND_CODES, USE_CODES, StatementColumns, utc
from recollect.model import VITAL, Kind, Use, Vector
from recollect.text import read_table
from recollect.text.dates.date_finder import Period

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LinearHeads:
    """Trained heads.

    Attributes:
        weights: Their weights, (heads, dimensions).
        bias: Their biases, (heads,).
    """

    weights: Floats
    bias: Floats

    def logits(self, question: Vector | None) -> Floats | None:
        """Return the logits of a question, (heads,); None without a vector of the heads' dimensions."""
        if question is None or len(question) != self.weights.shape[1]:
            return None
        logits: Floats = self.weights @ np.asarray(question, np.float64) + self.bias
        return logits


@dataclass(frozen=True, slots=True)
class QuadraticHead:
    """A trained head that also weighs the products of a vector's dimensions.

    Attributes:
        directions: The vector is projected on them, (directions, dimensions); the squares of these count by ``signs``.
        signs: 1 or -1, (directions,).
        weights: The weights of the dimensions, (dimensions,).
        bias: The bias.
    """

    directions: Floats
    signs: Floats
    weights: Floats
    bias: float

    def score(self, question: Vector | None) -> float:
        """Return the score of a question; 0 without a vector of the head's dimensions."""
        if question is None or len(question) != len(self.weights):
            return 0.0
        vector = np.asarray(question, np.float64)
        return float(self.signs @ (self.directions @ vector) ** 2 + self.weights @ vector) + self.bias


def _quadratic(held: Mapping[str, Any]) -> QuadraticHead:
    directions, signs, weights = (
        np.array(held[name], np.float64) for name in ("directions", "signs", "weights")
    )
    return QuadraticHead(directions, signs, weights, float(held["bias"]))


@cache
def _shipped_heads(name: str) -> tuple[QuadraticHead, ...]:
    held: Mapping[str, Any] = read_table("recollect.recall", f"trained/{name}")
    return tuple(_quadratic(each) for each in held["heads"])


def shipped_logits(name: str, question: Vector | None) -> Floats | None:
    """Return the logits of a question by the heads in a file of ``trained``, (heads,); None without a vector of their dimensions."""
    heads = _shipped_heads(name)
    if question is None or len(question) != len(heads[0].weights):
        return None
    return np.array([each.score(question) for each in heads])


Feature: TypeAlias = Floats | float
"""A value for each statement, (n,), or one for all."""

INTENTS = ("nothing", "overview", "list", "advice", "time", "oneself")
"""The intents of a question, by need: nothing remembered, an overview of everything, several things, facts for a
recommendation, the time of something, one thing about the person."""

_NOTHING = INTENTS.index("nothing")
_KINDS = (Kind.FACT, Kind.PREFERENCE, Kind.INSIGHT, Kind.DECISION, Kind.TODO)
_BEFORE = 0.5
"""The weight of the message before in a question's vector; the question's own is 1."""
# Beyond it the probability is 1 to eight digits, and `exp` would overflow at 710.
_SURE = 20.0
_DAY = 86_400.0
_AT_THE_BORDER = 0.5
_SOON = 31 * _DAY


@dataclass(frozen=True, slots=True)
class EmbeddedQuestion:
    """A question with its dates and its vector.

    Attributes:
        text: The user's words.
        now: The time of the question.
        periods: The dates that it means.
        vector: Its vector, unit length; None without one.
        is_personal: Whether it is known to ask about the person, however general it sounds.
    """

    text: str
    now: datetime
    periods: tuple[Period, ...] = ()
    vector: Vector | None = None
    is_personal: bool = False


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
        heads: The heads of the intents, in the order of ``INTENTS``.
        general: The head of general questions, for the gate: "nothing" again, with products (decision 0103).
        regression: The weights of the features of a statement.
        gate: The weights of the features of a question, for the logit that it needs any statement.
    """

    heads: LinearHeads
    general: QuadraticHead
    regression: LogisticWeights
    gate: LogisticWeights


class Statements(NamedTuple):
    """The n statements of a question, as far as its relevance depends on them.

    Attributes:
        table: Their columns.
        near: Their cosines to the question, (n,); NaN if unknown. With hints it is the cosine of the statement with its topics.
        asked: The same for the nearest of the statement and its hints.
        letters: The share of the question's letter runs that each holds with its hints, (n,); see ``LetterRuns.shared``.
    """

    table: StatementColumns
    near: Floats
    asked: Floats
    letters: Floats


class Relevance(NamedTuple):
    """How likely a question needs n statements.

    Attributes:
        likely: The probability that it needs each, (n,).
        shares: The contribution of each feature to the logit of ``likely``, by its name.
        need: The logit that it needs any.
    """

    likely: Floats
    shares: dict[str, Feature]
    need: float


def contextual_vector(question: Vector, before: Vector) -> Vector:
    """Return the vector of a question in the context of the user's message ``before``; unit length."""
    both = question + _BEFORE * before
    return np.asarray(both / max(float(np.linalg.norm(both)), 1e-6), np.float32)


def intent_logits(asked: EmbeddedQuestion, heads: LinearHeads) -> Floats:
    """Return the logits of ``INTENTS``, (intents,); all 0 without a vector of the heads' dimensions."""
    logits = heads.logits(asked.vector)
    if logits is None:
        return np.zeros(len(INTENTS))
    if asked.is_personal:
        # In languages that leave out "I", a question about the person sounds general.
        logits[_NOTHING] = min(0.0, logits[_NOTHING])
    return logits


def general_score(asked: EmbeddedQuestion, head: QuadraticHead) -> float:
    """Return how general a question sounds, about -1 to 1."""
    score = math.tanh(head.score(asked.vector))
    return min(0.0, score) if asked.is_personal else score


def judge(asked: EmbeddedQuestion, statements: Statements, model: RelevanceModel) -> Relevance:
    """Return how likely a question needs each of some statements, and any of them."""
    weights = model.regression
    intents = intent_logits(asked, model.heads)
    values = features(asked, statements, intents)
    shares = {
        name: weight * values[name]
        for name, weight in zip(weights.features, weights.weights.tolist(), strict=True)
    }
    logits = np.full(len(statements.near), weights.bias)
    for share in shares.values():
        logits += share
    of_question = gate_features(intents, general_score(asked, model.general), logits, values)
    need = model.gate.bias + sum(
        weight * of_question[name]
        for name, weight in zip(model.gate.features, model.gate.weights.tolist(), strict=True)
    )
    return Relevance(1 / (1 + np.exp(-np.clip(logits, -_SURE, _SURE))), shares, need)


def features(asked: EmbeddedQuestion, statements: Statements, intents: Floats) -> dict[str, Feature]:
    """Return the features of the n statements by name: a value for each, (n,), or one for all; an unknown one is 0.

    Args:
        asked: The question.
        statements: The statements.
        intents: The logits of the question's intents, (intents,).
    """
    table, letters = statements.table, statements.letters
    near, nearest = np.nan_to_num(statements.near), np.nan_to_num(statements.asked)
    best = {"near": near, "asked": nearest, "letters": letters}
    of_all = {f"{name}_best": float(values.max(initial=0.0)) for name, values in best.items()}
    intent = _squashed(intents)
    each: dict[str, Floats] = {
        **best,
        **{f"{name}_gap": values - of_all[f"{name}_best"] for name, values in best.items()},
        "importance": table.importance,
        "vital": (table.importance >= VITAL).astype(np.float64),
        "when": _when(table, asked),
        "always": (table.use == USE_CODES[Use.ALWAYS]).astype(np.float64),
        "only_asked": (table.use == USE_CODES[Use.ASKED]).astype(np.float64),
    }
    each |= {f"kind_{kind.value}": (table.kind == KIND_CODES[kind]).astype(np.float64) for kind in _KINDS}
    of_all["length"] = math.log1p(len(asked.text))
    of_all |= {f"asks_{name}": value for name, value in intent.items()}
    return each | of_all | _together(intent, each)


def gate_features(
    intents: Floats, general: float, logits: Floats, values: Mapping[str, Feature]
) -> dict[str, float]:
    """Return the features of a question by name: its intents, and how well the best of its statements match.

    Args:
        intents: The logits of the question's intents, (intents,).
        general: How general it sounds, in place of the intent "nothing".
        logits: The logits that it needs each statement, (n,).
        values: The features of the statements.
    """
    best = float(np.clip(logits, -_SURE, _SURE).max(initial=-_SURE))
    matches = {name: float(np.max(values[name])) for name in ("asked_best", "letters_best")}
    asks = {f"asks_{name}": value for name, value in _squashed(intents).items() if name != "nothing"}
    return {"general": general, **asks, "best": best, **matches}


def _squashed(intents: Floats) -> dict[str, float]:
    """Return the intents' logits by name, between -1 and 1."""
    return {name: math.tanh(value / 2) for name, value in zip(INTENTS, intents.tolist(), strict=True)}


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


def _when(table: StatementColumns, asked: EmbeddedQuestion) -> Floats:
    """Return how near the statements' dates are to those of the question, 0 to 1, (n,).

    If the question means no date, dates in the next month count up to 0.3.
    """
    moments = np.stack([table.event, table.holds_from, table.holds_until])
    if asked.periods:
        near = proximities(moments, asked.periods)
    else:
        now = utc(asked.now)
        ahead = moments - now.timestamp()
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
        # An event without an hour stands at midnight, and is not over until its day is.
        ahead[0, table.event == midnight] = 0.0
        near = 0.3 * np.where(ahead >= 0, np.maximum(0.0, 1 - ahead / _SOON), 0.0)
    nearest: Floats = np.nan_to_num(near).max(axis=0)
    return nearest


def proximities(moments: Floats, periods: Sequence[Period]) -> Floats:
    """Return how near moments, in seconds since 1970, are to the nearest of one or more periods, 0 to 1; NaN for NaN.

    It is 1 inside, 0.5 at the border, and falls evenly to 0 at a distance of the period's own length, at least a day.
    """
    nearest: Floats = np.stack([_proximity(moments, each) for each in periods]).max(axis=0)
    return nearest


def _proximity(moments: Floats, period: Period) -> Floats:
    start, end = period.start.timestamp(), period.end.timestamp()
    distance = np.maximum(start - moments, moments - end)
    outside = np.maximum(0.0, _AT_THE_BORDER * (1 - distance / max(_DAY, end - start)))
    near: Floats = np.where((start <= moments) & (moments < end), 1.0, outside)
    return near


@cache
def shipped_model() -> RelevanceModel:
    """Return the model shipped with the package."""
    held = read_table("recollect.recall", "trained/relevance_model")
    return RelevanceModel(
        LinearHeads(np.array(held["heads"], np.float64), np.array(held["head_bias"], np.float64)),
        _quadratic(held["general"]),
        _weights(held["regression"]),
        _weights(held["gate"]),
    )


def _weights(held: dict[str, object]) -> LogisticWeights:
    named: dict[str, float] = held["weights"]  # type: ignore[assignment]
    return LogisticWeights(tuple(named), np.array(list(named.values()), np.float64), float(held["bias"]))  # type: ignore[arg-type]
