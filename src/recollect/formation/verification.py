"""Decides without a model which candidates may be believed. Pure. Never: await, the store, a model.

A model makes things up, and repeats what recall showed it as if the user had said it. So each
candidate has to quote the user's own words, and the quote has to be there.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TypeAlias

from recollect.formation.difference.likeness import same_letters
from recollect.formation.planting.instructions import is_planted
from recollect.formation.proof.evidence import Searched, plain_quote, searched, weight
from recollect.formation.proof.passages import Passage, lines_as_searched, passages_of
from recollect.formation.proof.support import Grounds, Line, line_of
from recollect.formation.reading import Reading
from recollect.formation.scripts import share_no_script
from recollect.formation.withholding import WITHHELD, without_secrets
from recollect.model import Candidate, Ignore, Reason

CONFIRMED_CONFIDENCE = 0.8
"""How sure of what the assistant said and the person only confirmed one can be at most."""

_INJECTED_LINES = 200
_LINE_CHARACTERS = 500
_FUZZY_SEARCHES = 100
_ECHO_CHECKS = 100
_OWN_WORDS = 8
_MOST_EVIDENCE = 2_000


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a turn may teach.

    Attributes:
        content_length: The most characters of a statement.
        candidates: The most statements believed of one turn.
        evidence_length: The fewest letters and digits a quote must have to prove anything; one
            of a script without spaces counts double.
    """

    content_length: int = 1_000
    candidates: int = 20
    evidence_length: int = 4


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Believed:
    """A candidate that may be believed, and the number of the turn that proves it."""

    candidate: Candidate
    turn: int


@dataclass(frozen=True, slots=True)
class Held:
    """A candidate that the person has to approve, and the number of the turn that proves it."""

    candidate: Candidate
    turn: int
    reason: Reason


Verdict: TypeAlias = Believed | Held | Ignore


def verify(
    candidates: Sequence[Candidate],
    readings: Sequence[Reading],
    *,
    minimum_importance: float,
    asked: frozenset[int] = frozenset(),
    allowance: int | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> list[Verdict]:
    """Return whether each candidate may be believed, is to be held back, or is to be ignored; in order.

    Args:
        candidates: What was extracted.
        readings: What the person says in each turn of the batch, oldest first.
        minimum_importance: What is below it is not kept.
        asked: Turns in which they ask to remember something: what those prove is kept however little it matters.
        allowance: How many more memories the person may get now; None: any number.
        limits: How much a turn may teach.
    """
    verification = _Verification(readings, minimum_importance, asked, allowance, limits)
    return [verification.verdict(candidate) for candidate in candidates]


class _Verification:
    """The candidates of one batch on their way, and what was believed before."""

    def __init__(
        self,
        readings: Sequence[Reading],
        minimum_importance: float,
        asked: frozenset[int],
        allowance: int | None,
        limits: Limits,
    ) -> None:
        self._readings = [(turn, reading) for turn, reading in enumerate(readings)][::-1]
        self._authored = [(turn, searched(reading.authored)) for turn, reading in self._readings]
        self._confirmed = [
            (turn, searched(reading.confirmed)) for turn, reading in self._readings if reading.confirmed
        ]
        self._minimum_importance = minimum_importance
        self._asked = asked
        self._allowance = allowance
        self._limits = limits
        self._taught: Counter[int] = Counter()
        self._proofs: dict[str, tuple[int, str, float] | None] = {}
        self._grounds: dict[int, Grounds] = {}
        self._believed = 0
        self._searches = 0
        self._checks = 0
        self._as_searched: dict[int, str] = {}

    def verdict(self, candidate: Candidate) -> Verdict:
        if not any(map(str.isalnum, candidate.content)):
            return Ignore(Reason.EMPTY, candidate)
        if len(candidate.content) > self._limits.content_length:
            return Ignore(Reason.TOO_LONG, candidate)
        proof = self._proof(candidate)
        if proof is None:
            reason = Reason.INJECTED if self._is_injected(candidate) else Reason.NO_EVIDENCE
            return Ignore(reason, candidate)
        turn, proven = proof
        if unsupported := self._unsupported(proven, turn):
            return unsupported
        clean = without_secrets(proven)
        if clean is None:
            return Ignore(Reason.CONFIDENTIAL, replace(proven, content=WITHHELD, evidence=WITHHELD))
        return self._within_limits(_in_own_script(clean), turn)

    def _within_limits(self, candidate: Candidate, turn: int) -> Verdict:
        if turn not in self._asked and not candidate.importance >= self._minimum_importance:
            return Ignore(Reason.LOW_IMPORTANCE, candidate)  # NaN as well
        if self._taught[turn] >= self._limits.candidates:
            return Ignore(Reason.TOO_MANY, candidate)
        if self._allowance is not None and self._believed >= self._allowance:
            return Ignore(Reason.RATE_LIMIT, candidate)
        self._taught[turn] += 1
        self._believed += 1
        authored = next(reading.authored for number, reading in self._readings if number == turn)
        if is_planted(candidate.content, candidate.evidence, authored):
            return Held(candidate, turn, Reason.INSTRUCTION)
        return Believed(candidate, turn)

    def _proof(self, candidate: Candidate) -> tuple[int, Candidate] | None:
        """Return the newest turn that proves the candidate, and it with its evidence as it stands there."""
        if candidate.evidence not in self._proofs:
            self._proofs[candidate.evidence] = self._proof_of(candidate.evidence)
        proof = self._proofs[candidate.evidence]
        if proof is None:
            return None
        turn, evidence, most_sure = proof
        return turn, replace(candidate, evidence=evidence, confidence=min(candidate.confidence, most_sure))

    def _proof_of(self, evidence: str) -> tuple[int, str, float] | None:
        """Return the turn that has a quote, the quote as it stands there, and how sure it makes at most."""
        quote = plain_quote(evidence)
        if weight(quote) < self._limits.evidence_length:
            return None
        for texts, most_sure in ((self._authored, math.inf), (self._confirmed, CONFIRMED_CONFIDENCE)):
            if found := self._found(quote, evidence, texts):
                return *found, most_sure
        return None

    def _found(
        self, quote: str, evidence: str, texts: Sequence[tuple[int, Searched]]
    ) -> tuple[int, str] | None:
        for turn, text in texts:
            if text.has(quote):
                return turn, evidence[:_MOST_EVIDENCE]
        for turn, text in texts:
            self._searches += 1
            if self._searches > _FUZZY_SEARCHES:
                return None
            if span := text.likest(quote):
                return turn, span
        return None

    def _is_injected(self, candidate: Candidate) -> bool:
        """Tell whether what proves nothing stands in what was added to a prompt."""
        self._checks += 1
        if self._checks > _ECHO_CHECKS:
            return False
        quote = plain_quote(candidate.evidence)
        has_weight = weight(quote) >= self._limits.evidence_length
        return any(
            (has_weight and line.has(quote)) or same_letters(candidate.content, line.text)
            for line in self._lines
        )

    def _unsupported(self, candidate: Candidate, turn: int) -> Ignore | None:
        """Return why a quote that is there does not prove the candidate; None where nothing speaks against it.

        What is said twice is proven where one of the places proves it: "suppose I ski? Really, I ski."
        """
        self._checks += 1
        first: Ignore | None = None
        for passage in self._passages(candidate, turn):
            unsupported = self._unsupported_by(passage, candidate, turn)
            if unsupported is None:
                return None
            first = first or unsupported
        return first

    def _unsupported_by(self, passage: Passage, candidate: Candidate, turn: int) -> Ignore | None:
        if self._checks <= _ECHO_CHECKS and self._grounds_in(turn).lends(candidate, passage):
            return Ignore(Reason.INJECTED, candidate)
        return None

    def _passages(self, candidate: Candidate, turn: int) -> list[Passage]:
        """Return where the evidence stands in what the person says themselves in a turn."""
        if turn not in self._as_searched:
            authored = next(reading.authored for number, reading in self._readings if number == turn)
            self._as_searched[turn] = lines_as_searched(authored)
        return passages_of(self._as_searched[turn], plain_quote(candidate.evidence))

    def _grounds_in(self, turn: int) -> Grounds:
        """Return what supports what a turn proves: its text first, since only so much of all is read."""
        if turn not in self._grounds:
            readings = sorted(self._readings, key=lambda each: each[0] != turn)
            own = "\n".join(
                text for _, reading in readings for text in (reading.authored, reading.confirmed) if text
            )
            self._grounds[turn] = Grounds(own, *self._others)
        return self._grounds[turn]

    @cached_property
    def _others(self) -> tuple[list[Line], list[Line]]:
        """What was added to the prompts, and what the assistant said."""
        told = dict.fromkeys(line for _, reading in self._readings for line in reading.told)
        return (
            [line_of(line.text) for line in self._lines],
            [line_of(line[:_LINE_CHARACTERS]) for line in islice(told, _INJECTED_LINES)],
        )

    @cached_property
    def _lines(self) -> list[Searched]:
        """What was added to the prompts."""
        lines = dict.fromkeys(line for _, reading in self._readings for line in reading.injected)
        return [searched(line[:_LINE_CHARACTERS]) for line in islice(lines, _INJECTED_LINES)]


def _in_own_script(candidate: Candidate) -> Candidate:
    """Return the candidate in the person's own words, where a model put it into a language of another script."""
    if weight(candidate.evidence) >= _OWN_WORDS and share_no_script(candidate.content, candidate.evidence):
        return replace(candidate, content=candidate.evidence)
    return candidate
