"""Trains how likely a question needs each of a person's statements, and any of them, and checks it by person.

    python -m bench relevance --data LIVES.jsonl [--data MORE.jsonl] --hints HINTS.jsonl [--hints MORE.jsonl] [--write]

`--data` are people's lives with labelled statements and the questions they ask, `--hints` the hints of these statements;
`questions.jsonl` has further questions for the same people. `intents.jsonl` and `requests.jsonl` are messages without a person,
labelled by their intent: those that ask for nothing, and for a recommendation, are asked of a person's statements, too, that have
nothing to do with them. The questions of `people.jsonl` teach the intents; those of people who have not trained the embedder teach
all. `needs.jsonl` are messages labelled by whether knowing the person would change the answer; those of `general.jsonl` teach the
head of general questions alone (decision 0103). Each question is
asked of the person's own statements and among nine other people's, with hints and without. Without `--write` it prints the result of cross-validation by person (no statements or questions of a person are in the model that judges
them); with it, the model trained on everything is written into the package, too.
"""

import argparse
import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bench.report import parser_of
from bench.training.relevance_data import (
    STRANGER,
    STRANGER_TO_MADE_UP,
    Embedded,
    Messages,
    Question,
    Store,
    of_strangers,
    read_held_out,
    read_messages,
    read_people,
    read_questions,
)
from recollect.model import Vector
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder
from recollect.recall import NeedThresholds, SelectionLimits, relevance_model
from recollect.recall.relevance_model import (
    INTENTS,
    Floats,
    LinearHeads,
    LogisticWeights,
    QuadraticHead,
    Relevance,
    RelevanceModel,
)
from recollect.recall.selection import choose_standing
from recollect.text.tokens import token_counter

_Judged: TypeAlias = tuple[Question, Relevance]

_FOLDS = 5
_OF_TYPE = {
    "unrelated": ("nothing",),
    "standing": ("nothing",),
    "overview": ("overview",),
    "count-or-list": ("list",),
    "advice": ("advice",),
    "date": ("time",),
    "oneself": ("oneself",),
    "update": ("oneself",),
}
"""The intents of a type of question, if labelled. A question for how to be answered looks like any question."""
_ONCE = "small"
"""The store that stands for all in the training of intents."""
_STRANGERS = (STRANGER, STRANGER_TO_MADE_UP)
_APART = (STRANGER, "overview")
_STANDING = 120
_DIRECTIONS = 64
_CURVE_RIDGE, _CURVE_STEPS = 1.0, 80
_STILL = 1e-5
"""A step of Newton's method as short as this is the last."""
_FLAT = 1e-6
"""A signal whose deviation is no more than this tells nothing."""
_count = token_counter("")
_OUT = Path(relevance_model.__file__).parent / "trained" / "relevance_model.json"


def logistic(table: Floats, target: Floats, *, ridge: float, balanced: bool = False) -> tuple[Floats, float]:
    """Return weights and bias by Newton's method; ``ridge`` is the penalty on the weights of standardized columns."""
    weight = np.ones(len(target))
    if balanced:
        share = max(float(target.mean()), 1e-6)
        weight = np.where(target > 0, 0.5 / share, 0.5 / (1 - share))
    columns = np.column_stack([table, np.ones(len(table))])
    penalty = np.full(columns.shape[1], ridge)
    penalty[-1] = 1e-6
    theta = np.zeros(columns.shape[1])
    for _ in range(7):
        chance = 1 / (1 + np.exp(-np.clip(columns @ theta, -30, 30)))
        slope = columns.T @ (weight * (chance - target)) + penalty * theta
        curve = (columns * (weight * chance * (1 - chance))[:, None]).T @ columns + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        theta = theta - step
        if float(np.abs(step).max()) < _STILL:
            break
    return theta[:-1], float(theta[-1])


def quadratic(table: Floats, target: Floats, most: int = _DIRECTIONS) -> QuadraticHead:
    """Return a head by ridge regression with all products of two dimensions, as far as ``most`` directions hold them.

    The products are those of the kernel (1 + x y)^2; its system is solved by conjugate gradients.
    """
    vectors, share = table.astype(np.float32), float(target.mean())
    root = np.sqrt(np.where(target > 0, 0.5 / share, 0.5 / (1 - share))).astype(np.float32)
    kernel = vectors @ vectors.T
    kernel += 1
    kernel *= kernel
    kernel *= root
    kernel *= root[:, None]
    left: NDArray[Any] = root * np.where(target > 0, 1, -1).astype(np.float32)
    found, step, size = np.zeros_like(left), left, float(left @ left)
    for _ in range(_CURVE_STEPS):
        along = kernel @ step + _CURVE_RIDGE * step
        far = size / float(step @ along)
        found, left = found + far * step, left - far * along
        before, size = size, float(left @ left)
        if size < _FLAT**2:
            break
        step = left + (size / before) * step
    alpha = (found * root).astype(np.float64)
    curve, axes = np.linalg.eigh((table * alpha[:, None]).T @ table)
    kept = np.argsort(-np.abs(curve))[:most]
    directions = (axes[:, kept] * np.sqrt(np.abs(curve[kept]))).T
    return QuadraticHead(directions, np.sign(curve[kept]), 2 * table.T @ alpha, float(alpha.sum()))


def train_intents(questions: Sequence[Question], messages: Messages) -> tuple[LinearHeads, QuadraticHead]:
    """Return the heads of the intents, and that of general questions; each question counts once, whatever stores it is asked of."""
    told = [
        (each.type, each.asked.vector)
        for each in questions
        if each.size == _ONCE and each.type not in _STRANGERS
    ]
    told += messages.typed
    heads = []
    for intent in INTENTS:
        # a follow-up's or a two-part question's intent is not labelled: it trains no head but the one against "nothing"
        known = [
            (vector, intent in _OF_TYPE.get(kind, ()))
            for kind, vector in told
            if kind in _OF_TYPE or intent == "nothing"
        ]
        known += [(each.vector, each.intent == intent) for each in messages.labelled]
        vectors, targets = (np.array(column, np.float64) for column in zip(*known, strict=True))
        heads.append(logistic(vectors, targets, ridge=0.3, balanced=True))
        if intent == "nothing":
            more, are_general = zip(*messages.general, strict=True)
            vectors, targets = np.concatenate([vectors, more]), np.concatenate([targets, are_general])
            curved = quadratic(vectors, targets)
    return LinearHeads(np.array([row for row, _ in heads]), np.array([bias for _, bias in heads])), curved


def train(questions: Sequence[Question], messages: Messages, fold_of: Callable[[int], int]) -> RelevanceModel:
    """Return the model of these questions; ``fold_of`` parts people, by their numbers.

    Neither the heads that the regression learns from nor the regression that the gate learns from have seen the person.
    """
    judged = [each for each in questions if each.type != "overview"]
    unseen = _unseen_heads(judged, questions, messages, fold_of)
    values = [
        relevance_model.features(each.asked, each.compared, told)
        for each, (told, _) in zip(judged, unseen, strict=True)
    ]
    names = tuple(values[0])
    tables = [_table(each, len(question.must)) for each, question in zip(values, judged, strict=True)]
    of_question: list[Mapping[str, float]] = [{}] * len(judged)
    of_fold = np.array([fold_of(each.person) for each in judged])
    for fold in set(of_fold.tolist()):
        weights = _fit_statements(names, tables, judged, np.flatnonzero(of_fold != fold).tolist())
        columns = [names.index(each) for each in weights.features]
        for n in np.flatnonzero(of_fold == fold).tolist():
            logits = tables[n][:, columns] @ weights.weights + weights.bias
            of_question[n] = relevance_model.gate_features(*unseen[n], logits, values[n])
    # A question for how to be answered sounds like any other: as one that needs something it would open the gate for all.
    clear = [n for n, each in enumerate(judged) if each.type != "standing"]
    gate = _fit(
        tuple(of_question[0]),
        np.array([list(of_question[n].values()) for n in clear]),
        np.array([_is_needy(judged[n]) for n in clear], np.float64),
        ridge=3.0,
    )
    regression = _fit_statements(names, tables, judged, range(len(judged)))
    return RelevanceModel(*train_intents(questions, messages), regression, gate)


def _unseen_heads(
    judged: Sequence[Question],
    questions: Sequence[Question],
    messages: Messages,
    fold_of: Callable[[int], int],
) -> list[tuple[Floats, float]]:
    """Return the logits of the intents of each judged question, and how general it sounds, by heads that have not seen it or its person."""
    heads = {}
    for fold in {fold_of(each.person) for each in questions}:
        others = [each for each in questions if fold_of(each.person) != fold]
        asked = {_key(each.asked.vector) for each in judged if fold_of(each.person) == fold}
        apart = [each for each in messages.labelled if _key(each.vector) not in asked]
        typed = [each for each in messages.typed if _key(each[1]) not in asked]
        heads[fold] = train_intents(others, messages._replace(labelled=apart, typed=typed))
    found = []
    for each in judged:
        intents, general = heads[fold_of(each.person)]
        told = relevance_model.intent_logits(each.asked, intents)
        found.append((told, relevance_model.general_score(each.asked, general)))
    return found


def _key(vector: Vector | None) -> bytes:
    return np.asarray(vector).tobytes()


def _fit_statements(
    names: Sequence[str], tables: Sequence[Floats], judged: Sequence[Question], rows: Sequence[int]
) -> LogisticWeights:
    rows = [n for n in rows if judged[n].type != STRANGER_TO_MADE_UP]
    table, target = [tables[n] for n in rows], [judged[n].must for n in rows]
    return _fit(names, np.concatenate(table), np.concatenate(target), ridge=4.0)


def _table(values: Mapping[str, Floats | float], size: int) -> Floats:
    return np.stack([np.broadcast_to(each, size) for each in values.values()], axis=1)


def _is_needy(question: Question) -> bool:
    """Return whether a question needs more than the standing memories."""
    return bool(set(np.flatnonzero(question.must).tolist()) - standing_of(question))


def standing_of(question: Question) -> frozenset[int]:
    """Return the rows of the standing memories."""
    return _standing(question.store, question.asked.now.date())


@lru_cache(100_000)
def _standing(store: Store, on: date) -> frozenset[int]:
    now = datetime.combine(on, time(12), UTC)
    chosen = {each.id for each in choose_standing(store.items, budget=_STANDING, count=_count, now=now)}
    return frozenset(n for n, each in enumerate(store.items) if each.id in chosen)


def _fit(names: Sequence[str], table: Floats, target: Floats, *, ridge: float) -> LogisticWeights:
    spread = table.std(axis=0)
    kept = [n for n in range(len(names)) if spread[n] > _FLAT]
    weights, bias = logistic(
        (table[:, kept] - table[:, kept].mean(axis=0)) / spread[kept], target, ridge=ridge
    )
    plain = weights / spread[kept]
    return LogisticWeights(
        tuple(names[n] for n in kept), plain, bias - float((plain * table[:, kept].mean(axis=0)).sum())
    )


def cross_validated(
    questions: Sequence[Question], more: Sequence[Question], messages: Messages
) -> list[Relevance]:
    """Return for each question how likely it needs its statements, by a model that has not seen the person, and ``more``."""
    judged: dict[int, Relevance] = {}
    for fold in range(_FOLDS):
        others = [each for each in questions if each.person % _FOLDS != fold]
        apart = [each for each in messages.labelled if each.person % _FOLDS != fold]
        model = train(
            [*others, *more], messages._replace(labelled=apart), lambda person: person % (_FOLDS - 1)
        )
        judged |= {
            n: relevance_model.judge(each.asked, each.compared, model)
            for n, each in enumerate(questions)
            if each.person % _FOLDS == fold
        }
    return [judged[n] for n in range(len(questions))]


def given(judged: Sequence[_Judged], *, bar: NeedThresholds, most: int) -> str:
    """Return what thresholds give to questions beyond the standing part, at most so many statements, in words."""
    whole, idle_given, lines, noise = list[bool](), list[bool](), 0, 0
    for question, found in judged:
        likely, standing = found.likely, standing_of(question)
        order = [n for n in np.argsort(-likely).tolist() if n not in standing]
        needed = [n for n in order if likely[n] >= bar.statement][:most] if found.need >= bar.need else []
        bad = sum(question.may[each] == 0 for each in needed)
        lines, noise = lines + len(needed), noise + bad
        if must := set(np.flatnonzero(question.must).tolist()):
            whole.append(must <= standing | set(needed))
        else:
            idle_given.append(bad > 0)
    return (
        f"all needed there {100 * sum(whole) / max(1, len(whole)):.1f} %, lines {lines / max(1, len(judged)):.1f} "
        f"a question, noise {100 * noise / max(1, lines):.0f} %, nothing needed and noise given "
        f"{sum(idle_given)}/{len(idle_given)}"
    )


def head_as_json(head: QuadraticHead) -> dict[str, Any]:
    """Return a head as it is kept in the package."""
    return {
        "directions": np.round(head.directions, 4).tolist(),
        "signs": head.signs.tolist(),
        "weights": np.round(head.weights, 5).tolist(),
        "bias": round(head.bias, 5),
    }


def as_json(model: RelevanceModel, embedder: str) -> dict[str, Any]:
    """Return a model as it is kept in the package; five digits are more than it knows."""
    short: Callable[[Floats], Any] = lambda values: np.round(values, 5).tolist()  # noqa: E731 -- one line thrice
    return {
        "embedder": embedder,
        "heads": short(model.heads.weights),
        "head_bias": short(model.heads.bias),
        "general": head_as_json(model.general),
        **{
            name: {
                "weights": dict(zip(weights.features, short(weights.weights), strict=True)),
                "bias": round(weights.bias, 5),
            }
            for name, weights in (("regression", model.regression), ("gate", model.gate))
        },
    }


def print_table(questions: Sequence[Question], relevances: Sequence[Relevance]) -> None:
    """Print what thresholds around the product's own give, by size of store, and what its own give by type of question."""
    own, most = NeedThresholds(), SelectionLimits().limit
    print(f"{len(questions)} questions, cross-validated by person, standing part {_STANDING} tokens")
    judged: dict[str, list[_Judged]] = defaultdict(list)
    for each in zip(questions, relevances, strict=True):
        judged[each[0].size].append(each)
    sizes = sorted(judged)
    own_questions = {size: [each for each in judged[size] if each[0].type not in _APART] for size in sizes}
    for size in sizes:
        for need in (own.need - 1, own.need, own.need + 0.5, own.need + 1):
            for statement in (0.4 * own.statement, own.statement, 4 * own.statement):
                bar = replace(own, statement=statement, need=need)
                found = given(own_questions[size], bar=bar, most=most)
                print(f"{size}, need {need:.1f}, statement {statement:.4f}: {found}")
    for kind in sorted({question.type for question in questions}):
        for size in sizes:
            found = given([each for each in judged[size] if each[0].type == kind], bar=own, most=most)
            print(f"{kind}, {size}: {found}")


async def run(arguments: argparse.Namespace) -> None:
    """Read, train, judge and print; write the model if so asked."""
    embedder = MultilingualE5Embedder()
    try:
        embedded = Embedded(embedder)
        people = await read_people(arguments.data, arguments.hints, embedded)
        questions = await read_questions(people, embedded)
        held_out = await read_held_out(embedded, len(people))
        more = await read_questions(held_out, embedded)
        messages = await read_messages(embedded)
        dealt = messages.dealt_to(held_out)
        more += of_strangers(dealt, held_out, more[0].asked.now, STRANGER_TO_MADE_UP)
        messages = messages.dealt_to(people)
        questions += of_strangers(messages, people, questions[0].asked.now)
    finally:
        await embedder.aclose()
    print_table(questions, cross_validated(questions, more, messages))
    if arguments.write:
        model = train([*questions, *more], messages, lambda person: person % _FOLDS)
        _OUT.write_text(json.dumps(as_json(model, embedder.name), separators=(",", ":")) + "\n", "utf-8")
        print(f"written: {_OUT.name}")


def main() -> None:
    """Read the arguments, and run."""
    parser = parser_of(__doc__)
    parser.add_argument("--data", type=Path, action="append", required=True)
    parser.add_argument("--hints", type=Path, action="append", required=True)
    parser.add_argument("--write", action="store_true")
    asyncio.run(run(parser.parse_args()))
