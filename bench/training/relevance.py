"""Trains how likely a question needs each of a person's statements, and checks it by person.

    python -m bench relevance --data LIVES.jsonl [--data MORE.jsonl] [--questions Q.jsonl] [--intents I.jsonl] [--write]

`--data` are people's lives with labelled statements and the questions they ask; `--questions` further questions for the same
people; `--intents` messages without a person, labelled by what they ask of the memory: those that ask for nothing, and for a
recommendation, are asked of somebody's statements, too, that have nothing to do with them. Without `--write` it prints what
cross-validation by person says (no person's statements or questions are in what judges them); with it the model trained on all of
it is written into the package, and what it was trained on, and how well, is printed just as well.
Never: the store, the log.
"""

import argparse
import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bench.training.relevance_data import (
    STRANGER,
    Embedded,
    Messages,
    Question,
    of_strangers,
    read_messages,
    read_questions,
)
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder
from recollect.recall import NeedThresholds, relevance
from recollect.recall.relevance import INTENTS, Floats, LogisticWeights, RelevanceModel
from recollect.recall.standing import choose_standing
from recollect.text.tokens import token_counter

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
"""Of a type of question, what it asks; of the others nothing is said. What asks for how to be answered looks like any question."""
_STILL = 1e-5
"""A step of Newton's method as short as this is the last."""
_FLAT = 1e-6
"""A signal whose deviation is no more than this tells nothing."""
_OUT = Path(relevance.__file__).parent / "relevance_model.json"


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


def train_heads(questions: Sequence[Question], messages: Messages) -> tuple[Floats, Floats]:
    """Return a row a head, and a bias each."""
    vectors = np.array([each.asked.vector for each in questions], np.float64)
    rows, biases = [], []
    for intent in INTENTS:
        # a follow-up's or a two-part question's intent is not labelled: it trains no head but the one against "nothing"
        known = np.array([each.type in _OF_TYPE or intent == "nothing" for each in questions])
        mine = np.array([intent in _OF_TYPE.get(each.type, ()) for each in questions], np.float64)
        table, target = vectors[known], mine[known]
        if messages.intents:
            table = np.concatenate([table, messages.vectors])
            target = np.concatenate([target, [float(each == intent) for each in messages.intents]])
        row, bias = logistic(table, target, ridge=0.3, balanced=True)
        rows.append(row)
        biases.append(bias)
    return np.array(rows), np.array(biases)


def train(
    questions: Sequence[Question], messages: Messages, name: str, folds: Sequence[int]
) -> RelevanceModel:
    """Return the model of these questions.

    The heads that its second part learns from have seen neither the person nor the messages that are asked of the person's
    statements.
    """
    own = [each for each in questions if each.type != STRANGER]
    heads, bias = train_heads(own, messages)
    empty = LogisticWeights((), np.zeros(0), 0.0)
    tables: list[Floats] = []
    names: tuple[str, ...] = ()
    targets: list[Floats] = []
    fold_of = {each.person: fold for each, fold in zip(questions, folds, strict=True)}
    for fold in sorted(set(folds)):
        inner_heads = train_heads(
            [each for each in own if fold_of[each.person] != fold],
            messages.without([person for person, its in fold_of.items() if its == fold]),
        )
        inner = RelevanceModel(name, *inner_heads, empty)
        for question in (q for q, f in zip(questions, folds, strict=True) if f == fold):
            if question.type == "overview" or not len(question.statements):
                continue
            told = relevance.intent_logits(question.asked, inner)
            columns, letters = question.columns, question.letters
            found = relevance.features(question.asked, columns, question.near, letters, told)
            names = tuple(found)
            tables.append(np.stack(np.broadcast_arrays(*found.values(), question.must)[:-1], axis=1))
            targets.append(question.must)
    return RelevanceModel(name, heads, bias, _fit(names, np.concatenate(tables), np.concatenate(targets)))


def _fit(names: Sequence[str], table: Floats, target: Floats) -> LogisticWeights:
    spread = table.std(axis=0)
    kept = [n for n in range(len(names)) if spread[n] > _FLAT]
    weights, bias = logistic((table[:, kept] - table[:, kept].mean(axis=0)) / spread[kept], target, ridge=4.0)
    plain = weights / spread[kept]
    return LogisticWeights(
        tuple(names[n] for n in kept), plain, bias - float((plain * table[:, kept].mean(axis=0)).sum())
    )


def cross_validated(
    questions: Sequence[Question], messages: Messages, name: str
) -> list[tuple[Floats, Floats]]:
    """Return for each question the probabilities and its intents, by a model that has not seen the person."""
    judged: list[tuple[Floats, Floats] | None] = [None] * len(questions)
    for fold in range(_FOLDS):
        others = [each for each in questions if each.person % _FOLDS != fold]
        apart = messages.without([each.person for each in questions if each.person % _FOLDS == fold])
        model = train(others, apart, name, [each.person % (_FOLDS - 1) for each in others])
        for n, each in enumerate(questions):
            if each.person % _FOLDS == fold:
                likely, _ = relevance.probabilities(each.asked, each.columns, each.near, each.letters, model)
                judged[n] = likely, relevance.intent_logits(each.asked, model)
    return [each for each in judged if each is not None]


@dataclass(slots=True)
class Tally:
    """What a bar would have given: of the questions that need something, of the lines, of the questions that need nothing."""

    asked: int = 0
    whole: int = 0
    lines: int = 0
    noise: int = 0
    idle: int = 0
    idle_given: int = 0
    blocks: int = 0

    def add(self, question: Question, standing: frozenset[int], given: Sequence[int]) -> None:
        """Count what a question was given, beside what stands in every chat."""
        must = set(np.flatnonzero(question.must).tolist())
        bad = sum(question.may[each] == 0 for each in given)
        self.blocks += 1
        self.lines += len(given)
        self.noise += bad
        if must:
            self.asked += 1
            self.whole += must <= standing | set(given)
        else:
            self.idle += 1
            self.idle_given += bad > 0

    def __str__(self) -> str:
        return (
            f"all needed there {100 * self.whole / max(1, self.asked):.1f} %, lines {self.lines / max(1, self.blocks):.1f} "
            f"a question, noise {100 * self.noise / max(1, self.lines):.0f} %, nothing needed and noise given "
            f"{self.idle_given}/{self.idle}"
        )


def tally(
    questions: Sequence[Question],
    judged: Sequence[tuple[Floats, Floats]],
    *,
    bar: NeedThresholds,
    budget: int,
    of_type: str | None = None,
) -> Tally:
    """Return what a bar gives beside a standing part of ``budget`` tokens, by probabilities of who has not seen the person."""
    count = token_counter("")
    total = Tally()
    for question, (chance, told) in zip(questions, judged, strict=True):
        if of_type is not None and question.type != of_type:
            continue
        stands = choose_standing(question.statements, budget=budget, count=count, now=question.asked.now)
        place = {each.id: n for n, each in enumerate(question.statements)}
        standing = frozenset(place[each.id] for each in stands)
        intent = dict(zip(INTENTS, told.tolist(), strict=True))
        order = [n for n in np.argsort(-chance).tolist() if n not in standing]
        if intent["overview"] > bar.overview:
            given = order
        elif intent["nothing"] > bar.nothing:
            given = []
        else:
            lists = intent["list"] > 0
            floor = bar.listed if lists else max(bar.statement, bar.share * float(chance.max(initial=0.0)))
            given = [n for n in order if chance[n] >= floor][: bar.few if lists else 7]
        total.add(question, standing, given)
    return total


def as_json(model: RelevanceModel) -> dict[str, Any]:
    """Return a model as it is kept in the package; five digits are more than it knows."""
    short: Callable[[Floats], Any] = lambda values: np.round(values, 5).tolist()  # noqa: E731 -- one line thrice
    weights = model.regression
    return {
        "embedder": model.embedder,
        "heads": short(model.heads),
        "head_bias": short(model.head_bias),
        "regression": {
            "weights": dict(zip(weights.features, short(weights.weights), strict=True)),
            "bias": round(weights.bias, 5),
        },
    }


def print_table(questions: Sequence[Question], judged: Sequence[tuple[Floats, Floats]], budget: int) -> None:
    """Print what bars around the product's own give."""
    own = NeedThresholds()
    print(f"{len(questions)} questions, cross-validated by person, standing part {budget} tokens")
    for nothing in (own.nothing - 1, own.nothing, own.nothing + 1):
        for statement in (0.03, own.statement, 0.07, 0.1, 0.15):
            bar = replace(own, statement=statement, listed=0.3 * statement, nothing=nothing)
            print(
                f"bar {statement:.2f}, nothing {nothing:.1f}: {tally(questions, judged, bar=bar, budget=budget)}"
            )
    for each in sorted({question.type for question in questions}):
        print(f"{each}: {tally(questions, judged, bar=own, budget=budget, of_type=each)}")


async def run(arguments: argparse.Namespace) -> None:
    """Read, train, judge, print; write what was trained if so asked."""
    with TemporaryDirectory() as folder:
        embedder = MultilingualE5Embedder(cache_dir=Path(folder))
        try:
            embedded = Embedded(embedder)
            questions = await read_questions(arguments.data, arguments.questions, embedded)
            people = sorted({each.person for each in questions if each.statements})
            messages = await read_messages(arguments.intents, embedded, people)
            questions += await of_strangers(messages, questions, embedded)
        finally:
            await embedder.aclose()
    print_table(questions, cross_validated(questions, messages, embedder.name), arguments.standing)
    if arguments.write:
        model = train(questions, messages, embedder.name, [each.person % _FOLDS for each in questions])
        _OUT.write_text(json.dumps(as_json(model), separators=(",", ":")) + "\n", "utf-8")
        print(f"written: {_OUT.name}")


def main() -> None:
    """Read the arguments, and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, action="append", required=True)
    parser.add_argument("--questions", type=Path, action="append", default=[])
    parser.add_argument("--intents", type=Path, action="append", default=[])
    parser.add_argument("--standing", type=int, default=120)
    parser.add_argument("--write", action="store_true")
    asyncio.run(run(parser.parse_args()))
