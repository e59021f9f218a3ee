"""Estimates how likely a question needs each of a person's statements: a logistic regression over a few features. Pure.

Linear heads over the second embedder's vector of the question classify its intent; the vector is comparable across the
languages that the embedder supports. `bench.training.relevance` trained heads and weights on the lives data set and on messages
without a person, cross-validated over persons. Without a second embedder the first one's cosines take the place of its
cosines, and the question's intents are unknown.

Never: a store, a model's library, training, passages of the log.
"""

import json
import math
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
Feature: TypeAlias = Floats | float
"""A value for each statement, (n,), or one for all."""

INTENTS = ("nothing", "overview", "list", "advice", "time", "oneself")
"""The intents of a question: it needs nothing remembered; an overview of everything; several things; what matters for a
recommendation; the time of something; one thing about the person."""

_KINDS = (Kind.FACT, Kind.PREFERENCE, Kind.INSIGHT, Kind.DECISION, Kind.TODO)
_BEFORE = 0.5
"""The weight of the message before in a question's vector; the question's own is 1."""
_LEAST_SPREAD = 1e-3
_MOST_DEVIATIONS = 2.5
_DAY = 86_400.0
_AT_THE_BORDER = 0.5
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
) -> tuple[Floats, dict[str, Feature]]:
    """Return the probability that each statement is needed, (n,), and each feature's contribution to its logit, by name.

    Args:
        asked: The question.
        table: The n statements.
        near: Their cosines to the question by the second embedder, or by the only one, (n,); NaN if unknown.
        shared_letters: The share of the question's letter runs that each holds, (n,); see ``LetterRuns.shared``.
        model: The trained model.
    """
    weights = model.regression
    told = features(asked, table, near, shared_letters, intent_logits(asked, model))
    shares = {
        name: weight * told[name]
        for name, weight in zip(weights.features, weights.weights.tolist(), strict=True)
    }
    logits = np.full(len(near), weights.bias)
    for share in shares.values():
        logits += share
    return 1 / (1 + np.exp(-np.clip(logits, -40, 40))), shares


def features(
    asked: EmbeddedQuestion,
    table: StatementColumns,
    near: Floats,
    shared_letters: Floats,
    told: Floats,
) -> dict[str, Feature]:
    """Return the features of the n statements by name: a value for each, (n,), or one for all; an unknown one is 0.

    The arguments are as those of ``probabilities``; ``told`` has the logits of the question's intents, (intents,).
    """
    near = np.nan_to_num(near)
    nearest, most = float(near.max(initial=-1.0)), float(shared_letters.max(initial=0.0))
    intent = {name: math.tanh(value / 2) for name, value in zip(INTENTS, told.tolist(), strict=True)}
    each: dict[str, Floats] = {
        "near": near,
        "near_gap": near - nearest,
        "near_deviations": _deviations(near),
        "letters": shared_letters,
        "letters_gap": shared_letters - most,
        "rank": _log_rank(near),
        "importance": table.importance,
        "vital": (table.importance >= 0.85).astype(np.float64),  # noqa: PLR2004 -- health, safety, asked to be remembered
        "when": _when(table, asked),
    }
    each |= {f"kind_{kind.value}": (table.kind == KIND_CODES[kind]).astype(np.float64) for kind in _KINDS}
    of_all = {"near_best": nearest, "length": math.log1p(len(asked.text))}
    of_all |= {f"asks_{name}": value for name, value in intent.items()}
    return each | of_all | _together(intent, each)


def _log_rank(near: Floats) -> Floats:
    """Return the logarithm of each cosine's place, from the largest, (n,)."""
    ranks = np.empty(len(near))
    ranks[np.argsort(-near)] = np.log1p(np.arange(len(near)))
    return ranks


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
