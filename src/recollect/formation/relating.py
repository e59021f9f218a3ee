"""Decides what a candidate is to one known statement, where models and rules both have a word. Pure.

Never: a model's call, the batch it came in. A wrong merge or replacement destroys, a missed one only
repeats: where they disagree, both statements are kept.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, auto

from recollect.formation.difference.ages import is_older_by
from recollect.formation.difference.cues import (
    adds_another,
    counts_one_more,
    names_the_best,
    tells_of_birth,
    tells_of_change,
    tells_of_the_past,
    tells_plainly_of_change,
    tells_since_when,
)
from recollect.formation.difference.figures import figures
from recollect.formation.difference.oppositions import denied_words, limits, polarity
from recollect.formation.difference.vetoes import Difference, Statement, differs
from recollect.formation.wording import wording
from recollect.model import Candidate, Kind, Memory, Relation

_ALIKE = 0.6
_HALF = 0.5
_SHORTEST_HEAD = 3
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
    if _says_nothing_else(difference):
        return Outcome.REPEATED
    if relation is Relation.REPEATS and not difference.forbids_repeating:
        return Outcome.DISTINCT if difference.is_nearly_the_same else Outcome.REPEATED
    if relation is Relation.CONTRADICTS:
        return Outcome.CONTRADICTED if _may_contradict(meeting, difference) else Outcome.DISTINCT
    return _refined_or_changed(meeting, difference, relation)


def _refined_or_changed(meeting: Meeting, difference: Difference, relation: Relation) -> Outcome:
    if _is_one_more(meeting):
        return Outcome.DISTINCT
    if difference.only_says_more or (relation is Relation.REFINES and _keeps_all(meeting, difference)):
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


def _keeps_all(meeting: Meeting, difference: Difference) -> bool:
    """Tell whether no number, date or name of the known statement is lost, and nothing in it turned round."""
    if difference.covered < _HALF and difference.shared and _shares_the_verb_alone(meeting, difference):
        return False
    return not (
        difference.is_opposed
        or difference.is_about_others
        or difference.exchanged
        or (difference.replaced and difference.covered < _HALF)
        or (difference.modes and not difference.is_come_true and difference.covered < 1)
        or difference.numbers.known
        or difference.dates.known
        or difference.names.known
    )


def _shares_the_verb_alone(meeting: Meeting, difference: Difference) -> bool:
    """Tell whether of the known statement only the first word is left, and no kind of what it names."""
    words = wording(meeting.new.content).words
    if not words or words[0].is_unspaced or not difference.shared <= words[0].stems:
        return False
    named = tuple(
        word.plain
        for word in wording(meeting.known.content).words
        if word.stems and len(word.plain) >= _SHORTEST_HEAD
    )
    return not any(word.plain.endswith(named) for word in words[1:])


def _is_one_more(meeting: Meeting) -> bool:
    """Tell whether the new statement's own words say that it is of another than the known one's."""
    return counts_one_more(meeting.new) and not counts_one_more(meeting.known)


def _may_contradict(meeting: Meeting, difference: Difference) -> bool:
    """Tell whether nothing speaks against both not being so: they may well be so of two people, times or things."""
    if difference.is_about_others or _is_of_another_time(meeting):
        return False
    if meeting.corrects or tells_of_change(meeting.new):
        return True
    if _says_as_much(meeting, difference) or tells_of_birth(meeting.new) != tells_of_birth(meeting.known):
        return False
    if difference.is_opposed:
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


def _says_as_much(meeting: Meeting, difference: Difference) -> bool:
    """Tell whether both deny the same, or count the same, so that nothing is left to contradict one another in."""
    new, known = meeting.new.content, meeting.known.content
    of_new, of_known = polarity(new), polarity(known)
    if limits(new) != limits(known) and of_new.denies != of_known.denies:
        return bool(difference.shared)  # only this, and not that: they go together
    if difference.is_opposed or difference.numbers or difference.dates or difference.names:
        return False
    counted, counted_before = set(figures(new).units), set(figures(known).units)
    if counted and counted == counted_before and not difference.modes:
        return True
    return (
        bool(of_new.denied & of_known.denied) and not difference.is_another_thing and not difference.replaced
    )


def _is_changed(meeting: Meeting, difference: Difference) -> bool:
    """Tell whether the same thing is said to have another number, date or place than before, or to be no more."""
    if difference.is_about_others or adds_another(meeting.new):
        return False
    if is_older_by(meeting.new, meeting.known) and _is_one_matter(difference):
        return True
    if not (meeting.corrects or tells_of_change(meeting.new) or tells_since_when(meeting.new)):
        return False
    if difference.denied:
        return difference.covered >= _ALIKE
    return (
        _is_one_matter(difference)
        and not difference.names_others
        and (difference.numbers.are_both or difference.dates.are_both or bool(difference.excluding))
    ) or _is_in_its_place(meeting, difference)


def _is_one_matter(difference: Difference) -> bool:
    return min(difference.covered, difference.covering) >= _ALIKE


def _is_in_its_place(meeting: Meeting, difference: Difference) -> bool:
    """Tell whether one thing is said to be in the place of another, and is no name or number."""
    if difference.replaced is None or difference.numbers or difference.dates:
        return False
    _, old = difference.replaced
    names_old = bool(wording(old).stems & wording(meeting.new.evidence).stems)
    return tells_plainly_of_change(meeting.new) or (tells_of_change(meeting.new) and names_old)
