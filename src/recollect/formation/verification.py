"""Decides without a model which candidates may be believed. Pure. Never: await, the store, a model.

A model makes things up, and repeats what recall showed it as if the user had said it. So each
candidate has to quote the user's own words, and the quote has to be there.
"""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TypeAlias

from recollect.formation.confidential import REDACTED, secrets_in
from recollect.formation.evidence import Searched, plain_quote, searched, weight
from recollect.formation.instructions import is_planted
from recollect.formation.likeness import same_letters
from recollect.formation.names import named
from recollect.formation.oppositions import denied_words
from recollect.formation.reading import Reading
from recollect.formation.scripts import share_no_script
from recollect.formation.withholding import without_secrets
from recollect.formation.wording import wording
from recollect.model import Candidate, Ignore, Reason, Relation

CONFIRMED_CONFIDENCE = 0.8
"""How sure of what the assistant said and the person only confirmed one can be at most."""

_NAMING_WORDS = 2
"""So few words name something, and say nothing of it: `my cat`."""
_LEARNT_ANEW = frozenset({Relation.NEW, Relation.REFINES})
"""What an echo is called; a repetition adds nothing, and what contradicts is no echo."""
_INJECTED_LINES = 200
_LINE_CHARACTERS = 500
_FUZZY_SEARCHES = 100
_ECHO_CHECKS = 100
_ROOT = 5
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
        self._believed = 0
        self._searches = 0
        self._checks = 0

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
        if self._echoes(proven, turn):
            return Ignore(Reason.INJECTED, candidate)
        clean = without_secrets(proven, self._secrets)
        if clean is None:
            return Ignore(Reason.CONFIDENTIAL, replace(proven, content=REDACTED, evidence=REDACTED))
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

    def _echoes(self, candidate: Candidate, turn: int) -> bool:
        """Tell whether only the added lines say so: the quote has no word of it, asks whether it is so, or says nothing."""
        self._checks += 1
        stems = wording(candidate.content).stems
        if not stems or not self._lines or self._checks > _ECHO_CHECKS:
            return False
        texts = [text for number, text in (*self._authored, *self._confirmed) if number == turn]
        said = frozenset().union(*(wording(text.text).stems for text in texts))
        told = [wording(line.text).stems for line in self._lines]
        quoted = wording(candidate.evidence)
        if len(quoted.words) <= _NAMING_WORDS and any(
            quoted.stems <= line and (stems - said) & line for line in told
        ):
            return True  # the quote only names what the line tells of, and the rest is the line's
        if candidate.relation in _LEARNT_ANEW and self._borrows(candidate, said, told):
            return True
        if any(
            stems <= words and not denied_words(candidate.content, line.text)
            for line, words in zip(self._lines, told, strict=True)
        ):
            quote = plain_quote(candidate.evidence)
            return not stems & quoted.stems or any(text.asks(quote) for text in texts)
        names = frozenset().union(*(word.stems for word in named(candidate.content, "")))
        return bool(names) and names <= frozenset().union(*told) and not stems & said

    def _borrows(self, candidate: Candidate, said: frozenset[str], told: Sequence[frozenset[str]]) -> bool:
        """Tell whether what the candidate says beyond a line is no word of the quote, while much of it is the line's."""
        content = [word for word in wording(candidate.content).words if word.stems]
        quoted = wording(candidate.evidence)
        numbers = {word.plain for word in quoted.words if word.plain.isdecimal()}
        if any(word.plain in numbers for word in wording(candidate.content).words):
            return False
        beyond = [word.stems for word in content if not word.stems & said]
        shares = len(quoted.words) > _NAMING_WORDS and any(word.stems & quoted.stems for word in content)
        for line, words in zip(self._lines, told, strict=True):
            if shares and same_letters(candidate.content, line.text):
                continue  # the person says it once more; what is known already makes no second memory
            roots = _roots(words)
            borrowed = sum(bool(_roots(stems) & roots) for stems in beyond)
            is_own = any(word.stems & quoted.stems and not word.stems & words for word in content)
            if not is_own and borrowed and 2 * borrowed >= len(beyond):
                return not denied_words(candidate.content, line.text)
        return False

    @cached_property
    def _secrets(self) -> frozenset[str]:
        """What the person's words show to be a secret; a quote of it alone may not."""
        texts = (text for _, reading in self._readings for text in (reading.authored, reading.confirmed))
        return frozenset().union(*map(secrets_in, texts))

    @cached_property
    def _lines(self) -> list[Searched]:
        """What was added to the prompts."""
        lines = dict.fromkeys(line for _, reading in self._readings for line in reading.injected)
        return [searched(line[:_LINE_CHARACTERS]) for line in islice(lines, _INJECTED_LINES)]


def _roots(stems: Collection[str]) -> set[str]:
    """Return stems, and how the longer ones begin: an allergy is what somebody allergic has."""
    return {*stems, *(stem[:_ROOT] for stem in stems if len(stem) > _ROOT)}


def _in_own_script(candidate: Candidate) -> Candidate:
    """Return the candidate in the person's own words, where a model put it into a language of another script."""
    if weight(candidate.evidence) >= _OWN_WORDS and share_no_script(candidate.content, candidate.evidence):
        return replace(candidate, content=candidate.evidence)
    return candidate
