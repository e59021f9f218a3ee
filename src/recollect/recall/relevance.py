"""Estimates how likely a question needs each of a person's statements: a logistic regression over a few features. Pure.

Linear heads over the second embedder's vector of the question classify its intent; the vector is comparable across the
languages that the embedder supports. `bench.training.relevance` trained heads and weights on the lives data set and on messages
without a person, cross-validated over persons. Without a second embedder the first one's cosines take the place of its
cosines, and the question's intents are unknown.

Never: a store, a model's library, training, passages of the log.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from recollect.index import KIND_CODES, StatementColumns, utc
from recollect.model import Kind, Vector
from recollect.text.dates import Period

Floats: TypeAlias = NDArray[np.float64]

INTENTS = ("nothing", "overview", "list", "advice", "time", "oneself")
"""The intents of a question: it needs nothing remembered; an overview of everything; several things; what matters for a
recommendation; the time of something; one thing about the person."""

_KINDS = (Kind.FACT, Kind.PREFERENCE, Kind.INSIGHT, Kind.DECISION, Kind.TODO)
_BEFORE = 0.5
"""The weight of the message before in a question's vector; the question's own is 1."""
_LEAST_SPREAD = 1e-3
_MOST_DEVIATIONS = 2.5
_DAY = 86_400.0
_SOON = 31 * _DAY


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
        regression: The weights of the features.
    """

    embedder: str
    heads: Floats
    head_bias: Floats
    regression: LogisticWeights


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
    table: StatementColumns,
    near: Floats,
    shared_letters: Floats,
    model: RelevanceModel,
) -> tuple[Floats, dict[str, Floats]]:
    """Return the probability that each statement is needed, (n,), and each feature's contribution to its logit, (n,) each.

    Args:
        asked: The question.
        table: The n statements.
        near: Their cosines to the question by the second embedder, or by the only one, (n,); NaN if unknown.
        shared_letters: The share of the question's letter runs that each holds, (n,); see ``LetterRuns.shared``.
        model: The trained model.
    """
    weights = model.regression
    told = features(asked, table, near, shared_letters, intent_logits(asked, model))
    columns = np.stack([told[name] for name in weights.features], axis=1)
    shares = columns * weights.weights
    logits = shares.sum(axis=1) + weights.bias
    return 1 / (1 + np.exp(-np.clip(logits, -40, 40))), dict(zip(weights.features, shares.T, strict=True))


def features(
    asked: EmbeddedQuestion,
    table: StatementColumns,
    near: Floats,
    shared_letters: Floats,
    told: Floats,
) -> dict[str, Floats]:
    """Return the features of the statements by name, (n,) each; an unknown one is 0.

    Args:
        asked: The question.
        table: The n statements.
        near: Their cosines to the question, (n,); NaN if unknown.
        shared_letters: The share of the question's letter runs that each holds, (n,).
        told: The logits of the question's intents, (intents,).
    """
    one = np.ones(len(near))
    near = np.nan_to_num(near)
    intent = {name: np.tanh(value / 2) for name, value in zip(INTENTS, told.tolist(), strict=True)}
    found = {
        "near": near,
        "near_gap": near - near.max(initial=-1.0),
        "near_best": one * near.max(initial=-1.0),
        "near_deviations": _deviations(near),
        "letters": shared_letters,
        "letters_gap": shared_letters - shared_letters.max(initial=0.0),
        "rank": np.log1p(np.argsort(np.argsort(-near))),
        "importance": table.importance,
        "vital": (table.importance >= 0.85).astype(np.float64),  # noqa: PLR2004 -- health, safety, asked to be remembered
        "length": one * np.log1p(len(asked.text)),
        "when": _when(table, asked),
    }
    found |= {f"kind_{kind.value}": (table.kind == KIND_CODES[kind]).astype(np.float64) for kind in _KINDS}
    found |= {f"asks_{name}": one * value for name, value in intent.items()}
    return found | _together(intent, found)


def _deviations(near: Floats) -> Floats:
    """Return by how many standard deviations each cosine exceeds the mean, (n,), within the bounds seen in training."""
    if not len(near):
        return near
    spread = max(float(near.std()), _LEAST_SPREAD)
    deviations: Floats = np.clip((near - near.mean()) / spread, -_MOST_DEVIATIONS, _MOST_DEVIATIONS)
    return deviations


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
        ahead = moments - utc(asked.now).timestamp()
        near = 0.3 * np.where(ahead >= 0, np.maximum(0.0, 1 - ahead / _SOON), 0.0)
    nearest: Floats = np.nan_to_num(near).max(axis=0)
    return nearest


def proximities(moments: Floats, periods: Sequence[Period]) -> Floats:
    """Return how near moments, in seconds since 1970, are to the nearest of one or more periods, 0 to 1; NaN for NaN.

    It is the columnar form of `recollect.text.dates.proximity`.
    """
    nearest: Floats = np.stack([_proximity(moments, each) for each in periods]).max(axis=0)
    return nearest


def _proximity(moments: Floats, period: Period) -> Floats:
    start, end = period.start.timestamp(), period.end.timestamp()
    distance = np.maximum(start - moments, moments - end)
    outside = np.maximum(0.0, 0.5 * (1 - distance / max(_DAY, end - start)))
    near: Floats = np.where((start <= moments) & (moments < end), 1.0, outside)
    return near


@cache
def shipped_model() -> RelevanceModel:
    """Return the model shipped with the package."""
    held = json.loads(files("recollect.recall").joinpath("relevance_model.json").read_text("utf-8"))
    return RelevanceModel(
        held["embedder"],
        np.array(held["heads"], np.float64),
        np.array(held["head_bias"], np.float64),
        _weights(held["regression"]),
    )


def _weights(held: dict[str, object]) -> LogisticWeights:
    named: dict[str, float] = held["weights"]  # type: ignore[assignment]
    return LogisticWeights(tuple(named), np.array(list(named.values()), np.float64), float(held["bias"]))  # type: ignore[arg-type]
