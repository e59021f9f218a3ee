"""Decides what a candidate is to one known statement, where models and rules both have a word. Pure.

Never: a model's call, the batch it came in. A wrong merge or replacement destroys, a missed one only
repeats: where they disagree, both statements are kept.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, auto

from recollect.formation.cues import (
    adds_another,
    names_the_best,
    tells_of_change,
    tells_of_the_past,
    tells_since_when,
)
from recollect.formation.figures import figures
from recollect.formation.oppositions import denied_words, polarity
from recollect.formation.vetoes import Difference, Statement, differs
from recollect.formation.wording import wording
from recollect.model import Candidate, Kind, Memory, Relation

_ALIKE = 0.6
_SYNONYMS = 0.75
"""How far of the way from unrelated to equal two statements are that differ in two words for one thing."""
_UNSPACED = "\u2e80"
"""Where the scripts begin that do not part words by spaces."""
_SOON = timedelta(days=1)


class Outcome(Enum):
    """What becomes of a known statement by what was said."""

    REPEATED = auto()
    REFINED = auto()
    CONTRADICTED = auto()
    DISTINCT = auto()
    """Both are kept."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """A candidate and a known statement.

    Attributes:
        candidate: What was said.
        new: It as it is compared.
        memory: What is known.
        known: It as it is compared.
        corrects: Whether the turn corrects something.
        cosine: Of the two; None where there is none.
    """

    candidate: Candidate
    new: Statement
    memory: Memory
    known: Statement
    corrects: bool
    cosine: float | None


def related(meeting: Meeting, relation: Relation, *, floor: float) -> Outcome:
    """Return what becomes of the known statement, when a model says that relation of the new one to it.

    Args:
        meeting: The two.
        relation: The model's word.
        floor: From which cosine on two statements without a word in common may be about the same.
    """
    difference = differs(meeting.new, meeting.known)
    if relation is Relation.NEW or not _same_matter(meeting, difference, floor):
        return Outcome.DISTINCT
    if _says_nothing_else(difference) or (
        relation is Relation.REPEATS and _is_repeated(meeting, difference, floor)
    ):
        return Outcome.REPEATED
    if relation is Relation.CONTRADICTS:
        return Outcome.CONTRADICTED if _may_contradict(meeting, difference) else Outcome.DISTINCT
    if relation is Relation.REPEATS and _is_another(meeting, difference, floor):
        return Outcome.DISTINCT
    if difference.only_says_more or (relation is Relation.REFINES and _keeps_all(difference)):
        return Outcome.REFINED
    return Outcome.CONTRADICTED if _is_changed(meeting, difference) else Outcome.DISTINCT


def is_denied(new: Statement, known: Statement) -> bool:
    """Tell whether one statement is the other but for a denial; so that no model is needed to see it."""
    if polarity(new.content).denies == polarity(known.content).denies:
        return False
    if figures(new.content) != figures(known.content) or not denied_words(new.content, known.content):
        return False  # most pairs end here, before all of them is compared
    return differs(new, known).is_flat_denial and not adds_another(new)


def safer(one: Relation | None, other: Relation | None) -> Relation | None:
    """Return the relation that destroys less of two that were said of one pair; None: nothing was said."""
    said = [relation for relation in (one, other) if relation is not None]
    return min(said, key=_DESTROYING.index, default=None)


_DESTROYING = [Relation.NEW, Relation.CONTRADICTS, Relation.REFINES, Relation.REPEATS]
"""What drops the new statement destroys most; what replaces the old can be undone."""


def _is_repeated(meeting: Meeting, difference: Difference, floor: float) -> bool:
    """Tell whether nothing speaks against a model's word that the new statement only repeats the known one."""
    return not (difference.forbids_repeating or _is_another(meeting, difference, floor))


def _is_another(meeting: Meeting, difference: Difference, floor: float) -> bool:
    """Tell whether the two differ in one noun alone that is no other word for the same.

    Of what is near by meaning a model may say that it is the same, but not of what is far, or where no one
    knows how near it is.
    """
    if difference.replaced is None:
        return False
    near = floor + _SYNONYMS * (1 - floor)
    is_unspaced = max(difference.replaced) >= _UNSPACED  # small models take most of these for near
    return is_unspaced or meeting.cosine is None or meeting.cosine < near


def _says_nothing_else(difference: Difference) -> bool:
    """Tell whether both say the same in the same words, in some order; then it is no other statement, whatever a model says."""
    return difference.covered == difference.covering == 1.0 and not difference.forbids_being_one


def _same_matter(meeting: Meeting, difference: Difference, floor: float) -> bool:
    """Tell whether the two have a word in common, as they stand or as they were said, or are near by meaning."""
    if difference.shared or (meeting.cosine is not None and meeting.cosine >= floor):
        return True
    said_new, said_known = (
        wording(statement.content).stems | wording(statement.evidence).stems
        for statement in (meeting.new, meeting.known)
    )
    return bool(said_new & said_known)


def _keeps_all(difference: Difference) -> bool:
    """Tell whether no number, date or name of the known statement is lost, and nothing in it turned round."""
    return not (
        difference.is_opposed
        or difference.is_about_others
        or difference.numbers.known
        or difference.dates.known
        or difference.names.known
    )


def _may_contradict(meeting: Meeting, difference: Difference) -> bool:
    """Tell whether nothing speaks against both not being so: they may well be so of two people, times or things."""
    if difference.is_about_others or _is_of_another_time(meeting):
        return False
    if meeting.corrects or difference.is_opposed or tells_of_change(meeting.new):
        return True
    if adds_another(meeting.new) or (tells_of_the_past(meeting.new) and difference.is_another_thing):
        return False
    are_tastes = meeting.candidate.kind is meeting.memory.kind is Kind.PREFERENCE
    return not (are_tastes and difference.names_others) or _is_one_choice(meeting)


def _is_of_another_time(meeting: Meeting) -> bool:
    """Tell whether the new statement held only before the known one was made, or will hold only later."""
    until, since, said_at = meeting.candidate.holds_until, meeting.candidate.holds_from, meeting.new.said_at
    if until is not None and until <= meeting.memory.observed_at:
        return True
    return since is not None and said_at is not None and since > said_at + _SOON


def _is_one_choice(meeting: Meeting) -> bool:
    """Tell whether both statements speak of what is liked best: of that there is one."""
    return all(names_the_best(statement) for statement in (meeting.new, meeting.known))


def _is_changed(meeting: Meeting, difference: Difference) -> bool:
    """Tell whether the same thing is said to have another number or date than before, or to be no more."""
    if not (meeting.corrects or tells_of_change(meeting.new) or tells_since_when(meeting.new)):
        return False
    if difference.is_about_others or adds_another(meeting.new):
        return False
    if difference.denied:
        return difference.covered >= _ALIKE
    return (
        (difference.numbers.are_both or difference.dates.are_both)
        and not difference.names_others
        and min(difference.covered, difference.covering) >= _ALIKE
    )
