"""Questions that nobody's memory has anything to do with. Never: who is asked them."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from recollect_proxy.bench.dataset import Question

_FILE = "unrelated.txt"
_SEED = 2026


@dataclass(frozen=True, slots=True)
class UnrelatedQuestion:
    """A question about the world or a task of its own, never about who asks it.

    Attributes:
        category: coding, knowledge, chat, or foreign (any of these in another language than English).
        text: What is asked.
    """

    category: str
    text: str


@cache
def unrelated_questions() -> tuple[UnrelatedQuestion, ...]:
    """Return all of them, in the order of their file: a line each, category, tab, question."""
    lines = files(__package__).joinpath(_FILE).read_text("utf-8").splitlines()
    return tuple(UnrelatedQuestion(*line.split("\t")) for line in lines)


def deal(stores: int, *, at_most: int | None = None) -> list[tuple[Question, ...]]:
    """Deal the questions out to ``stores`` memories: shuffled alike each time, each asked once.

    Args:
        stores: How many there are.
        at_most: How many questions each gets at most; None: all are dealt.

    Returns:
        What each is asked, with no evidence; numbers differ by one at most.
    """
    shuffled: list[tuple[int, UnrelatedQuestion]] = list(enumerate(unrelated_questions()))
    random.Random(_SEED).shuffle(shuffled)  # noqa: S311 -- a draw that must come out alike, no secret
    return [_asked(shuffled[store::stores][:at_most]) for store in range(stores)]


def _asked(dealt: Sequence[tuple[int, UnrelatedQuestion]]) -> tuple[Question, ...]:
    return tuple(Question(f"unrelated-{n}", each.text, each.category, evidence=()) for n, each in dealt)
