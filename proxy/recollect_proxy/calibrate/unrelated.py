"""Questions that have nothing to do with anybody's memory. Never: whose memory is asked."""

import random
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_FILE = "unrelated.txt"
_SEED = 2026


@dataclass(frozen=True, slots=True)
class UnrelatedQuestion:
    """A question about the world or a task of its own, never about who asks it.

    Attributes:
        number: Its place in the file, from 0.
        category: coding, knowledge, chat, or foreign (any of these in another language than English).
        text: What is asked.
    """

    number: int
    category: str
    text: str


@cache
def unrelated_questions() -> tuple[UnrelatedQuestion, ...]:
    """Return all of them, in the order of their file: a line each, category, tab, question."""
    lines = files(__package__).joinpath(_FILE).read_text("utf-8").splitlines()
    return tuple(UnrelatedQuestion(number, *line.split("\t")) for number, line in enumerate(lines))


def deal(stores: int, *, at_most: int | None = None) -> list[tuple[UnrelatedQuestion, ...]]:
    """Deal the questions out to the memories of ``stores`` users: shuffled alike each time, each asked once.

    Args:
        stores: How many there are.
        at_most: How many questions each gets at most; None: all are dealt.

    Returns:
        The questions for each memory; how many each gets differs by one at most.
    """
    shuffled = list(unrelated_questions())
    random.Random(_SEED).shuffle(shuffled)  # noqa: S311 -- a draw that must come out alike, no secret
    return [tuple(shuffled[store::stores][:at_most]) for store in range(stores)]
