"""Policies of ten lines over the statements that the store holds, as anchors for whatever is cleverer.

A policy is scored as Recollect is: by the lines of a block. All its lines were chosen for the question, so that all count.
Number and threshold of the nearest are chosen on half of the people and measured on the other half.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

import numpy as np

from bench.lives.formed import Bench
from bench.lives.life import Life, LifeQuestion
from bench.lives.scoring import Block, Given, Scoring
from recollect.errors import ConfigurationError
from recollect.text.tokens import token_counter

_TOKENS = 200
_NEAREST = (1, 2, 3, 4, 5, 7, 10)
_COSINES = tuple(round(0.05 * step, 2) for step in range(16))
_PLAIN = 5


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question and all the statements of its person.

    Attributes:
        important: The statements, the most important first.
        nearest: The same, the nearest first, each with its cosine.
    """

    question: LifeQuestion
    scoring: Scoring
    important: tuple[str, ...]
    nearest: tuple[tuple[str, float], ...]

    def given(self, lines: Sequence[str], *, tokens: int | None = None) -> Given:
        """Score these lines; with ``tokens`` only the first that fit."""
        sizes = [_count(f"- {line}\n") for line in lines]
        fit = len(lines) if tokens is None else int(np.searchsorted(np.cumsum(sizes), tokens, "right"))
        block = Block(tuple(lines[:fit]), (), sum(sizes[:fit]), tuple(sizes[:fit]))
        return self.scoring.score(self.question, block)

    def near(self, most: int, cosine: float) -> list[str]:
        """Return the ``most`` nearest statements with at least this cosine."""
        return [line for line, likeness in self.nearest[:most] if likeness >= cosine]


_count = token_counter("m")


async def anchors(bench: Bench, lives: Sequence[Life], recollect: Sequence[Given]) -> dict[str, list[Given]]:
    """Return what each policy gives, by its name.

    Args:
        bench: Holds what was formed of these people.
        lives: The people.
        recollect: What Recollect gave to the same questions, in order.

    Raises:
        ConfigurationError: There is no second embedder.
    """
    asked = [each for life in lives for each in await _asked(bench, life)]
    told = [
        replace(each.given(of.block), tokens=of.tokens) for each, of in zip(asked, recollect, strict=True)
    ]
    near = _chosen(asked)
    return {
        "Recollect, standing lines counted": told,
        "nearest by e5, k and cosine chosen": [each.given(near[id(each)]) for each in asked],
        f"the same, {_TOKENS} tokens": [each.given(near[id(each)], tokens=_TOKENS) for each in asked],
        f"{_PLAIN} nearest by e5": [each.given(each.near(_PLAIN, -1)) for each in asked],
        f"nearest by e5, {_TOKENS} tokens": [
            each.given([line for line, _ in each.nearest], tokens=_TOKENS) for each in asked
        ],
        "all that hold": [each.given(each.important) for each in asked],
        f"most important, {_TOKENS} tokens": [each.given(each.important, tokens=_TOKENS) for each in asked],
    }


async def _asked(bench: Bench, life: Life) -> list[_Asked]:
    """Return a person's questions."""
    embedder = bench.backends.second_embedder
    if embedder is None:
        raise ConfigurationError("The anchors need the second embedder.")
    stored = sorted(await bench.stored(life.person), key=lambda each: (-each.importance, each.id))
    lines = [each.content for each in stored]
    vectors, scoring = np.array(await embedder.embed(lines)), Scoring(life)
    asked = []
    for question in life.questions:
        cosines = vectors @ np.array(await embedder.embed_question(question.ask))
        order = np.argsort(-cosines, kind="stable").tolist()
        near = tuple((lines[each], float(cosines[each])) for each in order)
        asked.append(_Asked(question, scoring, tuple(lines), near))
    return asked


def _chosen(asked: Sequence[_Asked]) -> Mapping[int, list[str]]:
    """Return the nearest statements of each question, by its id; number and cosine are chosen on the other people."""
    people = sorted({each.scoring.person for each in asked})
    chosen: dict[int, list[str]] = {}
    for parity in (0, 1):
        own = set(people[parity::2])
        best = max(
            product(_NEAREST, _COSINES),
            key=partial(_f1, [each for each in asked if each.scoring.person not in own]),
        )
        chosen |= {id(each): each.near(*best) for each in asked if each.scoring.person in own}
    return chosen


def _f1(asked: Sequence[_Asked], near: tuple[int, float]) -> float:
    """Return the harmonic mean of the share of needed items that are given, and of given lines that are no noise."""
    given = [each.given(each.near(*near)) for each in asked]
    found = sum(each.found for each in given) / max(1, sum(each.must for each in given))
    clean = 1 - sum(len(each.noise) for each in given) / max(1, sum(each.lines for each in given))
    return 2 * found * clean / max(found + clean, 1e-9)
