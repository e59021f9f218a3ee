"""Names in code talk, and the questions that ask for them. Pure. Never: how they are found again.

An identifier here is a name of two parts or more that prose does not have: ``getUserName``,
``user_name``, ``MAX_RETRIES``. Names that differ in case or underscores alone are one.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bench.recall.dataset import Question, SaidTurn
from recollect.text.patterns import bounded

FORMS = ("exact", "lower_case", "words")
"""How an identifier is asked for: as it stands, in small letters, and split into its words."""

_TURNS_AT_MOST = 3
_LETTERS_AT_LEAST = 6
_PARTS_AT_LEAST = 2
_SEED = 2026

_NAME = bounded(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_PART = bounded(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")


@dataclass(frozen=True, slots=True)
class Identifier:
    """A name, and where it stands.

    Attributes:
        name: As it is spelled where it stands first.
        turns: The ids of the turns that hold it, in any spelling of the same parts.
    """

    name: str
    turns: tuple[str, ...]


def parts_of(name: str) -> tuple[str, ...]:
    """Return the parts of a name in small letters; none if it could be a word of prose.

    A name whose first letter is the only capital, or which begins with a capital and has no
    underscore (``JavaScript``), could be.
    """
    bare = name.strip("_")
    if len(bare) < _LETTERS_AT_LEAST or not ("_" in bare or bare[:1].islower()):
        return ()
    parts = tuple(part.lower() for part in _PART.findall(bare))
    return parts if len(parts) >= _PARTS_AT_LEAST else ()


def rare_identifiers(turns: Iterable[SaidTurn]) -> list[Identifier]:
    """Return the identifiers that one to three turns hold, in the order of their first turns."""
    spelled: dict[tuple[str, ...], str] = {}
    holding: dict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
    for turn in turns:
        for name in _NAME.findall(turn.text):
            if parts := parts_of(name):
                spelled.setdefault(parts, name.strip("_"))
                holding[parts][turn.id] = None
    return [
        Identifier(spelled[parts], tuple(found))
        for parts, found in holding.items()
        if len(found) <= _TURNS_AT_MOST
    ]


def sampled(identifiers: Sequence[Identifier], at_most: int) -> list[Identifier]:
    """Return ``at_most`` of them, drawn alike each time, in their order."""
    if len(identifiers) <= at_most:
        return list(identifiers)
    drawn = random.Random(_SEED).sample(range(len(identifiers)), at_most)  # noqa: S311 -- must come out alike
    return [identifiers[n] for n in sorted(drawn)]


def questions_about(identifier: Identifier) -> tuple[Question, ...]:
    """Return one question for each of ``FORMS``, which is its category."""
    name = identifier.name
    asked = (name, name.lower(), " ".join(parts_of(name)))
    return tuple(
        Question(f"{form}-{name}", f"Where did we use {text}?", form, identifier.turns)
        for form, text in zip(FORMS, asked, strict=True)
    )
