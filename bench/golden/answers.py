"""The memories that a question is given, by labels, and the differences of two answers. Pure but for ``ask``."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from bench.engines import Bench
from bench.golden.people import GoldenQuestion, Person
from recollect.engine import Prepared
from recollect.model import Drop, Recollection

_LEFT = 5
"""The best items that are not given, and are noted."""
_NEAR = 0.015
"""Scores that differ by at most this much are the same but for rounding."""


class Entry(NamedTuple):
    """An item that a question was given, or that was left out.

    Attributes:
        label: Its label in the data set.
        why: ``standing``, ``found``, or the reason for which it was left out.
    """

    label: str
    why: str
    score: float


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The memories that a question is given.

    Attributes:
        question: The name of the question.
        given: The items in the prompt, in order.
        left: The best that are not.
        tokens: The size of everything added to the prompt.
        degraded: The stages that failed or were late; such an answer says nothing.
    """

    question: str
    given: tuple[Entry, ...] = ()
    left: tuple[Entry, ...] = ()
    tokens: int = 0
    skipped: str | None = None
    degraded: tuple[str, ...] = ()


async def ask(bench: Bench, person: Person, question: GoldenQuestion) -> Answer:
    """Ask a question in a new chat, without a trace."""
    prepared = await bench.ask(person.id, question.name, question.messages, question.at)
    if not isinstance(prepared, Prepared):
        return Answer(question.name, skipped=prepared)
    included = {_key(each) for each in prepared.included}
    left = [each for each in prepared.recall.ranked if _key(each) not in included]
    return Answer(
        question.name,
        tuple(_entry(person, each, "standing" if each.standing else "found") for each in prepared.included),
        tuple(_entry(person, each, each.dropped or Drop.BUDGET) for each in left[:_LEFT]),
        prepared.placed.tokens,
        prepared.recall.skipped,
        prepared.recall.degraded,
    )


def _key(each: Recollection) -> tuple[object, ...]:
    return each.item.id, getattr(each.item, "part", 0)


def _entry(person: Person, each: Recollection, why: str) -> Entry:
    return Entry(person.label(each.item), str(why), round(float(each.score), 2))


def differences(before: Answer, now: Answer) -> Iterator[tuple[str, str]]:
    """Yield each kind of difference between two answers to a question, and what differs, on one line."""
    was, is_ = _labels(before.given), _labels(now.given)
    if sorted(was) != sorted(is_):
        lost, new = [each for each in was if each not in is_], [each for each in is_ if each not in was]
        reasons = {each.label: each.why for each in now.left}
        told = " ".join(f"{each} ({reasons.get(each, '?')})" for each in lost)
        yield "other items", f"lacks {told or '-'}; has {' '.join(new) or '-'}"
    elif was != is_:
        yield "other order", f"{' '.join(was)} -> {' '.join(is_)}"
    reasons_before = {each.label: each.why for each in (*before.left, *before.given)}
    changed = [
        f"{each.label} {reasons_before[each.label]} -> {each.why}"
        for each in (*now.given, *now.left)
        if each.label in was + _labels(before.left) and each.why != reasons_before[each.label]
    ]
    if before.skipped != now.skipped:
        changed.append(f"skipped: {before.skipped} -> {now.skipped}")
    if changed:
        yield "other reason", "; ".join(changed)
    if _labels(before.left) != _labels(now.left):
        yield "others left out", f"{' '.join(_labels(before.left))} -> {' '.join(_labels(now.left))}"
    scores = {each.label: each.score for each in (*before.left, *before.given)}
    moved = [
        f"{each.label} {scores[each.label]} -> {each.score}"
        for each in (*now.given, *now.left)
        if abs(scores.get(each.label, each.score) - each.score) > _NEAR
    ]
    if moved:
        yield "other score", "; ".join(moved)
    if before.tokens != now.tokens and was == is_:
        yield "other size", f"{before.tokens} -> {now.tokens} tokens"


def _labels(entries: Sequence[Entry]) -> list[str]:
    return [each.label for each in entries]
