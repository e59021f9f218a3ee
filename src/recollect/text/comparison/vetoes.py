"""Finds what speaks against a new statement being only a known one again. Pure. Never: a model, a vector.

Models that compare statements take "50 mg" for "75 mg", and one sister for the other. So numbers, dates, names and
denials are compared by rule, and words where all other letters are the same. A statement that is taken for another is dropped:
only there a rule may overrule a model.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from recollect.model import Candidate, Memory
from recollect.text.comparison.denials import denied_words
from recollect.text.comparison.figures import Figures, figures
from recollect.text.comparison.likeness import same_letter, same_letters
from recollect.text.comparison.names import names_in
from recollect.text.word_analysis import analyze_words

_DAY = timedelta(days=1)
_HABIT = frozenset({"per day"})
"""What is told of a habit is so every day, said or not."""


class Veto(StrEnum):
    """What speaks against two statements being one."""

    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    DENIAL = "denial"
    WORD = "word"


@dataclass(frozen=True, slots=True)
class ComparedStatement:
    """What is compared.

    Attributes:
        content: What it says.
        evidence: The words it rests on.
        event_at: When it happened or will happen, if known.
        said_at: When it was said.
        subject: Whom it tells of, if that is said and is not the person.
    """

    content: str
    evidence: str = ""
    event_at: datetime | None = None
    said_at: datetime | None = None
    subject: str | None = None


def of_candidate(candidate: Candidate, at: datetime) -> ComparedStatement:
    """Return what is compared of a candidate that was said at a time."""
    return ComparedStatement(candidate.content, candidate.evidence, candidate.event_at, at, candidate.subject)


def of_memory(memory: Memory) -> ComparedStatement:
    """Return what is compared of a memory."""
    return ComparedStatement(
        memory.content, memory.provenance.evidence or "", memory.event_at, memory.observed_at
    )


def veto(new: ComparedStatement, known: ComparedStatement) -> Veto | None:
    """Return what a new statement says that a known one does not, though it be only the known one again; None: nothing.

    That is a number, a unit, a month, a weekday, a period, the day of an event, a name, or whom it tells of; what one denies and
    the other affirms; or one word for another, where more than 0.8 of the letters are the same.
    """
    of_new, of_known = figures(new.content), figures(known.content)
    if _numbers(of_new, of_known, known):
        return Veto.NUMBER
    if _dates(of_new, of_known, known) or _is_another_day(new, known):
        return Veto.DATE
    if _names(new, known):
        return Veto.NAME
    if denied_words(new.content, known.content):
        return Veto.DENIAL
    is_slot = same_letters(new.content, known.content) and not same_letter(new.content, known.content)
    return Veto.WORD if is_slot else None


def says_all_of(new: ComparedStatement, known: ComparedStatement) -> bool:
    """Tell whether a new statement says all words and figures of a known one, and more: nothing is lost with that."""
    of_new, of_known = analyze_words(new.content).stems, analyze_words(known.content).stems
    counted, counted_before = figures(new.content), figures(known.content)
    return (
        bool(of_known)
        and of_known <= of_new
        and counted_before.numbers <= counted.numbers
        and counted_before.dates <= counted.dates
        and not denied_words(new.content, known.content)
    )


def _numbers(of_new: Figures, of_known: Figures, known: ComparedStatement) -> frozenset[str]:
    """Return the numbers that only the new statement has, and those that it gives another unit: 40 miles are not 40 km."""
    units: dict[str, set[str]] = {}
    for number, unit in of_known.units:
        units.setdefault(number, set()).add(unit)
    at = known.event_at
    day = {str(at.year), str(at.day)} if at else set[str]()
    others = {number for number, unit in of_new.units if number in units and unit not in units[number]}
    return (of_new.numbers - of_known.numbers - day) | others


def _dates(of_new: Figures, of_known: Figures, known: ComparedStatement) -> frozenset[str]:
    month = frozenset({f"month {known.event_at.month}"}) if known.event_at else frozenset()
    habit = frozenset() if of_known.dates else _HABIT
    return of_new.dates - of_known.dates - month - habit


def _is_another_day(new: ComparedStatement, known: ComparedStatement) -> bool:
    day, other = _event_day(new), _event_day(known)
    return day is not None and other is not None and abs(day - other) > _DAY


def _event_day(statement: ComparedStatement) -> datetime | None:
    """Return when it happened, unless that is only the day it was said."""
    event, said = statement.event_at, statement.said_at
    return None if event is None or (said is not None and abs(event - said) <= _DAY) else event


def _names(new: ComparedStatement, known: ComparedStatement) -> bool:
    """Tell whether the new statement names what the known one does not, nor the words it rests on."""
    said = analyze_words(known.content).stems | analyze_words(known.evidence).stems
    of_whom = analyze_words(new.subject or "").stems
    is_of_another = bool(of_whom) and not of_whom & said
    return is_of_another or any(not name.stems & said for name in names_in(new.content, new.evidence))
