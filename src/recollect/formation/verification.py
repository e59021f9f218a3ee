"""Decides by rule which candidates are accepted. Pure.

The model says how a statement is meant, whom it concerns, and its relation to known memories. The rules check that the person said it:
each candidate quotes the person's own words, and the quote has to be there. A sentence of the assistant's counts if the person's
words assent to it. A statement stays as the model wrote it, in any words and language; reconciliation decides about repetitions.
Secrets in a candidate are masked; a candidate that says nothing besides its secret is withheld ("the wifi's
password is [secret: password]").
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, takewhile
from typing import TypeAlias

from recollect.formation.quote_search import SearchableText, plain_quote, searchable, weight
from recollect.formation.wording import WITHHELD, naming_its_speaker, naming_its_subject, without_secrets
from recollect.model import Candidate, Ignore, Kind, Lasting, Reason, Relation, Stance, Vector
from recollect.text.attribution import Attribution
from recollect.text.attribution.own_words import is_hum, is_no
from recollect.text.denials import denial
from recollect.text.lexical.letters import ends_asking
from recollect.text.patterns import linear
from recollect.text.prompt_injection import WISHES, contains_takeover, is_injected
from recollect.text.secrets import mask
from recollect.text.word_analysis import analyze_words

CONFIRMED_CONFIDENCE = 0.8
"""The highest confidence of a statement by the assistant that the person only confirmed."""

CONFIRMING = " \u2026 "
"""Parts the person's word of assent from the assistant's sentence, in kept evidence."""

# A model may return any number of candidates: slow comparisons are made for the first of them alone.
_INJECTED_LINES = 200
_LINE_CHARACTERS = 500
_ALIGNMENTS = 100
_SHOWN_CHECKS = 100
_MOST_EVIDENCE = 2_000
_BESIDE_QUOTATION = 20
"""The least letters and digits of the person's own in a quote with a quotation in it: "Otto wrote" alone proves nothing about
Otto's words."""


LONGEST_CONTENT = 1_000
"""The most characters of a statement."""

MOST_OF_A_TURN = 20
"""The most statements believed of one turn."""

LEAST_EVIDENCE = 4
"""The fewest letters and digits that a quote within a sentence must have to prove anything; one of a script without spaces counts
double."""


_SUBJECT = linear(r"(?i)(^|[.!?;]\s+|\n)(?:the\s+)?user(?:['\u2019]s)?\s+(\w+)")
"""How agents name the person at the beginning of a sentence, and the word behind it."""


@dataclass(frozen=True, slots=True)
class FormationRules:
    """The settings of formation.

    Attributes:
        hourly: How many memories formation may give a user within an hour; 0: any number.
    """

    minimum_importance: float = 0.3
    hourly: int = 0
    approve_first: bool = False


@dataclass(frozen=True, slots=True)
class AcceptedCandidate:
    """An accepted candidate, and the number of the turn that supports it.

    Attributes:
        vector: The embedding of its content; None where the embedder is away, and before it was asked.
    """

    candidate: Candidate
    turn: int
    vector: Vector | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class HeldCandidate:
    """A candidate that the person has to approve, and the number of the turn that supports it."""

    candidate: Candidate
    turn: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class RefusedCandidate:
    """A candidate that is not kept, and the turn that holds its quote: the memories it ends, and to-dos it calls done, are over."""

    candidate: Candidate
    turn: int
    reason: Reason


Verdict: TypeAlias = AcceptedCandidate | HeldCandidate | RefusedCandidate | Ignore


def verify(
    candidates: Sequence[Candidate],
    attributions: Sequence[Attribution],
    *,
    minimum_importance: float,
    asked: frozenset[int] = frozenset(),
    allowance: int | None = None,
) -> list[Verdict]:
    """Return a verdict on each candidate, in order: accepted, held for approval, or ignored.

    There is an attribution of each turn of the batch, oldest first. A statement that a turn in ``asked`` proves is kept
    however little it matters, as the person asks to remember something there. ``allowance``: how many more memories the person may get now; None: any number.
    """
    verification = _Verification(attributions, minimum_importance, asked, allowance)
    return [verification.verdict(candidate) for candidate in candidates]


@dataclass(frozen=True, slots=True)
class _Proof:
    """The proof of a quote.

    Attributes:
        most_sure: The highest confidence it allows.
        refused: The assistant's sentence, where the person's word about it is a bare no; else "".
    """

    turn: int
    evidence: str
    most_sure: float = math.inf
    refused: str = ""


@dataclass(frozen=True, slots=True)
class _Said:
    """The texts of a turn, prepared for searching."""

    turn: int
    own: SearchableText
    doubtful: SearchableText
    confirmed: SearchableText
    answered: SearchableText


class _Verification:
    """The candidates of one batch in progress, and the statements believed before."""

    def __init__(
        self,
        attributions: Sequence[Attribution],
        minimum_importance: float,
        asked: frozenset[int],
        allowance: int | None,
    ) -> None:
        self._readings = attributions
        self._newest = [
            _Said(
                turn,
                *map(searchable, (each.authored, each.doubtful, each.confirmed, each.answered)),
            )
            for turn, each in enumerate(attributions)
        ][::-1]
        self._minimum_importance = minimum_importance
        self._asked = asked
        self._allowance = allowance
        self._taught: Counter[int] = Counter()
        self._proofs: dict[tuple[str, str | None, bool], _Proof | None] = {}
        self._believed = 0
        self._alignments = 0
        self._checks = 0

    def verdict(self, candidate: Candidate) -> Verdict:
        key = self._outside_quotations(candidate.evidence), self._confirmed(candidate), candidate.of_others
        if key not in self._proofs:
            self._proofs[key] = self._proof(*key[:2], of_others=candidate.of_others)
        proof = self._proofs[key]
        if proof is None or _affirms(candidate.content, proof.refused):
            return Ignore(self._unfit(candidate) or self._unproven(candidate), candidate)
        sure = min(candidate.confidence, proof.most_sure)
        proven = replace(candidate, evidence=proof.evidence, confidence=sure)
        verdict = self._judged(proven, proof.turn)
        ends = candidate.ends or candidate.relation is Relation.CONTRADICTS
        if isinstance(verdict, Ignore) and ends and verdict.reason is not Reason.NOT_STATED:
            return RefusedCandidate(verdict.candidate or proven, proof.turn, verdict.reason)
        return verdict

    def _judged(self, proven: Candidate, turn: int) -> Verdict:
        spoken = naming_its_speaker(proven, self._readings[turn])
        if spoken is None:
            return Ignore(Reason.NO_EVIDENCE, proven)
        named = naming_its_subject(spoken)
        if unfit := self._unfit(proven) or self._unfit(named):  # a name makes it longer
            return Ignore(unfit, proven)
        clean = without_secrets(named)
        if clean is None:
            return Ignore(Reason.CONFIDENTIAL, replace(proven, content=WITHHELD, evidence=WITHHELD))
        return self._within_limits(clean, turn)

    def _unfit(self, candidate: Candidate) -> Reason | None:
        """Return the reason to reject a candidate regardless of its evidence; None if there is none."""
        if not any(map(str.isalnum, candidate.content)):
            return Reason.EMPTY
        if len(candidate.content) > LONGEST_CONTENT:
            return Reason.TOO_LONG
        return None if candidate.stance is Stance.STATED else Reason.NOT_STATED

    def _within_limits(self, candidate: Candidate, turn: int) -> Verdict:
        if turn not in self._asked:
            # an outdated memory must not stay because the news matters little
            updates = candidate.relation is Relation.CONTRADICTS and candidate.about
            if not (candidate.importance >= self._minimum_importance or updates):
                return Ignore(Reason.LOW_IMPORTANCE, candidate)  # NaN as well
            # "the dentist is tomorrow instead" must not leave the old day
            if candidate.lasting is Lasting.MOMENT and not (updates and candidate.kind is Kind.TODO):
                return Ignore(Reason.PASSING, candidate)
        if self._taught[turn] >= MOST_OF_A_TURN:
            return Ignore(Reason.TOO_MANY, candidate)
        if self._allowance is not None and self._believed >= self._allowance:
            return Ignore(Reason.RATE_LIMIT, candidate)
        self._taught[turn] += 1
        self._believed += 1
        authored = self._readings[turn].authored
        if candidate.steers or is_injected(candidate.content, candidate.evidence, authored):
            return HeldCandidate(candidate, turn, Reason.INSTRUCTION)
        return AcceptedCandidate(candidate, turn)

    def _proof(self, evidence: str, confirms: str | None, *, of_others: bool) -> _Proof | None:
        """Return the proof of a quote: the newest turn that has it as written, else the newest with other forms of its words.

        A doubtful piece proves it, too, unless the model says that the message is all by others.
        """
        quote, sentence = plain_quote(evidence), plain_quote(confirms or "")
        # A sentence of the person's own needs no assent, whatever the model calls it.
        if sentence.tokens and not any(said.own.has(sentence) for said in self._newest):
            return self._assented(quote, sentence)
        proof = (
            self._quoted(quote, evidence, [(said.turn, said.own) for said in self._newest])
            or (
                not of_others
                and self._quoted(quote, evidence, [(said.turn, said.doubtful) for said in self._newest])
            )
            or self._quoted(
                quote, evidence, [(said.turn, said.confirmed) for said in self._newest], CONFIRMED_CONFIDENCE
            )
        )
        if proof:
            return proof
        own, joined, statement = evidence.partition(CONFIRMING)
        return self._assented(plain_quote(own), plain_quote(statement)) if joined and not confirms else None

    def _confirmed(self, candidate: Candidate) -> str | None:
        """Return the sentence that a candidate confirms; None if it was not said, but the person's own quote has words of the statement."""
        sentence = plain_quote(candidate.confirms or "")
        is_said = any(said.answered.source_of(sentence) for said in self._newest)
        told = analyze_words(candidate.content).stems & analyze_words(candidate.evidence).stems
        return candidate.confirms if is_said or not told else None

    def _quoted(
        self,
        quote: SearchableText,
        evidence: str,
        texts: Sequence[tuple[int, SearchableText]],
        most_sure: float = math.inf,
    ) -> _Proof | None:
        for turn, text in texts:
            if text.text and self._stands(quote, text):
                return _Proof(turn, evidence[:_MOST_EVIDENCE], most_sure)
        for turn, text in texts:
            if text.text and (span := self._nearest(quote, text)):
                return _Proof(turn, span, most_sure)
        return None

    def _outside_quotations(self, evidence: str) -> str:
        """Return a quote without the quotations in it; "" where too little is left to prove anything."""
        left = evidence
        for reading in self._readings:
            left = reading.outside_quotations(left)
        return "" if left != evidence and weight(plain_quote(left)) < _BESIDE_QUOTATION else left

    def _stands(self, quote: SearchableText, text: SearchableText) -> bool:
        if text.has_parts(quote):
            return True
        return text.is_clause(quote) if weight(quote) < LEAST_EVIDENCE else text.has(quote)

    def _nearest(self, quote: SearchableText, text: SearchableText) -> str | None:
        if weight(quote) < LEAST_EVIDENCE:
            return None
        self._alignments += 1
        return text.nearest(quote) if self._alignments <= _ALIGNMENTS else None

    def _assented(self, assent: SearchableText, sentence: SearchableText) -> _Proof | None:
        """Return the proof of a sentence of the assistant's: the turn that follows it and assents to it."""
        for said in self._newest:
            if not _assents(assent, said.own):
                continue
            stands = said.answered.has(sentence) or said.answered.has_parts(sentence)
            stated = sentence.text if stands else self._nearest(sentence, said.answered)
            if stated:
                kept = f"{assent.text.strip()}{CONFIRMING}{stated}"[:_MOST_EVIDENCE]
                refused = stated if is_no(assent.text) else ""
                return _Proof(said.turn, kept, CONFIRMED_CONFIDENCE, refused)
        return None

    def _unproven(self, candidate: Candidate) -> Reason:
        """Return the reason to reject a candidate without evidence: INJECTED if its quote was added to the prompt."""
        self._checks += 1
        quote = plain_quote(candidate.evidence)
        is_long = weight(quote) >= LEAST_EVIDENCE and self._checks <= _SHOWN_CHECKS
        is_shown = is_long and any(line.has(quote) for line in self._injected_lines)
        return Reason.INJECTED if is_shown else Reason.NO_EVIDENCE

    @cached_property
    def _injected_lines(self) -> list[SearchableText]:
        """The lines injected into the prompts."""
        lines = dict.fromkeys(line for attribution in self._readings for line in attribution.injected)
        return [searchable(line[:_LINE_CHARACTERS]) for line in islice(lines, _INJECTED_LINES)]


def _assents(words: SearchableText, message: SearchableText) -> bool:
    """Return True if words of a message can be the person's yes: they are there, and are no question, hum or denied words."""
    if not words.tokens:
        return message.is_clause(words)
    return (
        message.has(words)
        and not is_hum(words.text)
        and not _asks(words, message)
        and not message.denies(words)
    )


def _asks(words: SearchableText, message: SearchableText) -> bool:
    behind = takewhile(lambda letter: not letter.isalnum(), message.text.partition(words.text)[2])
    return ends_asking(words.text + "".join(behind))


def _affirms(content: str, sentence: str) -> bool:
    """Return True if a statement denies nothing, and affirms words that a sentence affirms."""
    said = denial(content)
    return not said.denied and bool(said.affirmed & denial(sentence).affirmed)


def judge_dictated(content: str, *, kind: Kind, importance: float, allowance: int | None) -> Verdict:
    """Return whether a statement may be kept: accepted, held for the person's approval, or ignored, and why.

    Secrets in it are masked. Its importance does not count: it was asked for. ``allowance`` as in ``verify``.
    """
    evidence = _SUBJECT.sub(lambda found: f"{found[1]}{found[2]}", content).strip()
    if 0 < weight(plain_quote(evidence)) < LEAST_EVIDENCE:
        return Ignore(Reason.NO_EVIDENCE, Candidate(content, kind, importance, evidence))
    candidate = Candidate(_SUBJECT.sub(_without_person, content).strip(), kind, importance, evidence)
    [verdict] = verify(
        [candidate],
        [Attribution(evidence, ())],
        minimum_importance=0.0,
        asked=frozenset({0}),
        allowance=allowance,
    )
    if isinstance(verdict, Ignore | RefusedCandidate):
        return verdict
    as_written = replace(verdict.candidate, content=mask(content).text)
    if isinstance(verdict, AcceptedCandidate) and contains_takeover(content):
        return HeldCandidate(as_written, verdict.turn, Reason.INSTRUCTION)
    return replace(verdict, candidate=as_written)


def _without_person(found: re.Match[str]) -> str:
    """Return a sentence's beginning without the person, unless it orders something for them."""
    return found[0] if found[2].lower() in WISHES else f"{found[1]}{found[2]}"
