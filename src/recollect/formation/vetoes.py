"""Finds what speaks against two statements being one. Pure. Never: a model, a vector.

Models that compare statements, and still more vectors, take "50 mg" for "75 mg", and one sister for the
other. So numbers, dates, units, names, denials and words that exclude each other are compared by rule.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.formation.categories import excluding_things
from recollect.formation.compounds import excluding_compounds
from recollect.formation.figures import Figures, figures
from recollect.formation.names import is_german, named, proper, tells, unspaced_names
from recollect.formation.oppositions import denied_words, excluding_words, polarity
from recollect.formation.slots import in_one_place, nouns_in_one_place
from recollect.formation.spelling import is_inhabitant
from recollect.formation.subjects import named_relatives, subjects_unknown
from recollect.formation.wording import Word, Wording, wording
from recollect.model import Candidate, Memory

_DAY = timedelta(days=1)
_COVERED = 0.5
"""More than this share of a statement another has to say, to say it with more."""
_HABIT = frozenset({"per day"})
"""What is told of a habit is so every day, said or not."""
_COMPOUND = 4
_MOST_WORDS = 400
_MOST_NAMES = 40


@dataclass(frozen=True, slots=True)
class Statement:
    """What is compared.

    Attributes:
        content: What it says.
        evidence: The words it rests on.
        event_at: When it happened or will happen, if known.
        said_at: When it was said.
    """

    content: str
    evidence: str = ""
    event_at: datetime | None = None
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Sides:
    """What only one of two statements has."""

    new: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.new or self.known)

    @property
    def are_both(self) -> bool:
        """Whether each has something that the other lacks."""
        return bool(self.new and self.known)


@dataclass(frozen=True, slots=True)
class Difference:
    """In what a new statement and a known one differ.

    Attributes:
        numbers: Numbers, and the units of numbers.
        dates: Months, weekdays, periods, and the days of events.
        names: Names of people, places, products.
        nouns: Other nouns that are written with a capital, as German does.
        words: What stands in one another's place where all else is alike.
        replaced: Two nouns that stand in one another's place where all else is alike.
        subjects: Of whose sister, boss or the like they tell.
        denied: Stems that one denies and the other affirms.
        excluding: Two words that exclude each other, as left and right do.
        shared: The stems in both.
        shared_people: The names in both that one has next to a relative or the like: they are the same people.
        covered: Which share of what the known one says the new one says too, 0 to 1.
        covering: Which share of what the new one says the known one says too, 0 to 1.
    """

    numbers: Sides
    dates: Sides
    names: Sides
    nouns: Sides
    words: Sides
    replaced: tuple[str, str] | None
    subjects: Sides
    denied: frozenset[str]
    excluding: tuple[str, str] | None
    shared: frozenset[str]
    shared_people: frozenset[str]
    covered: float
    covering: float

    @property
    def is_opposed(self) -> bool:
        """Whether both can't be so of one thing."""
        return bool(self.denied or self.excluding)

    @property
    def is_about_others(self) -> bool:
        """Whether they tell of different people."""
        return bool(self.subjects) and not self.shared_people

    @property
    def forbids_repeating(self) -> bool:
        """Whether the new one can't be only the known one again, even if a model says so."""
        return bool(
            self.is_opposed
            or self.is_about_others
            or self.numbers.new
            or (self.dates.new if self.dates.known else self.dates.new - _HABIT)
            or self.names.new
        )

    @property
    def forbids_being_one(self) -> bool:
        """Whether the new one can't be taken for the known one by its letters alone."""
        differing = (self.numbers, self.dates, self.names, self.nouns, self.replaced)
        return self.forbids_repeating or any(differing) or self.words.are_both

    @property
    def only_says_more(self) -> bool:
        """Whether the new one says what the known one says, with more: nothing of the known one is lost."""
        return not (
            self.is_opposed
            or self.is_about_others
            or self.numbers.known
            or self.dates.known
            or self.names.known
            or self.covered <= _COVERED
        )

    @property
    def names_others(self) -> bool:
        """Whether each names something, be it by a noun, that the other does not."""
        return self.names.are_both or self.nouns.are_both or self.words.are_both

    @property
    def is_another_thing(self) -> bool:
        """Whether each names, counts or dates what the other does not."""
        both = (self.names, self.nouns, self.numbers, self.dates)
        return self.is_about_others or any(sides.are_both for sides in both)

    @property
    def is_flat_denial(self) -> bool:
        """Whether they differ in a denial alone."""
        others = (self.excluding, self.numbers, self.dates, self.names, self.nouns, self.words, self.subjects)
        return bool(self.denied) and not any(others) and self.covered == self.covering == 1.0


def of_candidate(candidate: Candidate, at: datetime) -> Statement:
    """Return what is compared of a candidate that was said at a time."""
    return Statement(candidate.content, candidate.evidence, candidate.event_at, at)


def of_memory(memory: Memory) -> Statement:
    """Return what is compared of a memory."""
    return Statement(memory.content, memory.provenance.evidence or "", memory.event_at, memory.observed_at)


def differs(new: Statement, known: Statement) -> Difference:
    """Return in what a new statement and a known one differ. Linear in their length, but for 400 words of each."""
    said_new, said_known = wording(new.content), wording(known.content)
    names, nouns = _names(new, known)
    return Difference(
        numbers=_numbers(new, known),
        dates=_dates(new, known),
        names=names,
        nouns=nouns,
        words=Sides(*in_one_place(said_new, said_known)),
        replaced=nouns_in_one_place(said_new, said_known),
        subjects=Sides(
            subjects_unknown(new.content, known.content), subjects_unknown(known.content, new.content)
        ),
        denied=denied_words(new.content, known.content),
        excluding=excluding_words(new.content, known.content)
        or excluding_things(new.content, known.content)
        or excluding_compounds(nouns.new, nouns.known, are_denied=polarity(known.content).denies),
        shared=said_new.stems & said_known.stems,
        shared_people=said_new.stems
        & said_known.stems
        & (named_relatives(new.content) | named_relatives(known.content)),
        covered=_share(said_known, said_new),
        covering=_share(said_new, said_known),
    )


def _names(new: Statement, known: Statement) -> tuple[Sides, Sides]:
    """Return the names, and the other nouns, that only one statement has."""
    german = is_german(new.content, known.content, new.evidence, known.evidence)
    proper_new = proper(new.content, new.evidence, german=german)
    proper_known = proper(known.content, known.evidence, german=german)
    sides = [
        (_unknown(names, wording(other.content)), frozenset(name.plain for name in names))
        for names, other in (
            (proper_new, known),
            (proper_known, new),
            (named(new.content, new.evidence), known),
            (named(known.content, known.evidence), new),
        )
    ]
    unspaced_new, unspaced_known = unspaced_names(new.content), unspaced_names(known.content)
    of_new = frozenset(name for name in unspaced_new if name not in known.content)
    of_known = frozenset(name for name in unspaced_known if name not in new.content)
    if not (of_new and of_known):  # what is called so here may stand elsewhere without that word
        of_new = of_known = frozenset()
    names = Sides(sides[0][0] | of_new, sides[1][0] | of_known)
    return names, Sides(sides[2][0] - sides[0][1], sides[3][0] - sides[1][1])


def _unknown(names: Iterable[Word], other: Wording) -> frozenset[str]:
    return frozenset(
        word.plain
        for number, word in enumerate(names)
        if not word.stems & other.stems
        and not (
            number < _MOST_NAMES
            and any(is_inhabitant(word.plain, each.plain) for each in other.words[:_MOST_WORDS])
        )
    )


def _stands(word: Word, other: Wording) -> bool:
    """Tell whether a word stands in another wording, in some form or as part of a compound."""
    if word.stems & other.stems:
        return True
    if word.is_unspaced or len(word.plain) < _COMPOUND or other.language != "german":
        return False
    return any(
        len(each.plain) >= _COMPOUND and (each.plain.endswith(word.plain) or word.plain.endswith(each.plain))
        for each in other.words
        if each.is_capital or each.begins
    )


def _share(of: Wording, other: Wording) -> float:
    """Return which share of the words of one wording stands in another."""
    telling = [word for word in of.words[:_MOST_WORDS] if tells(word)]
    if not telling:
        return 1.0
    return sum(_stands(word, other) for word in telling) / len(telling)


def _numbers(new: Statement, known: Statement) -> Sides:
    of_new, of_known = figures(new.content), figures(known.content)
    dated_new, dated_known = _day_numbers(new), _day_numbers(known)
    units_new, units_known = _units(of_new, of_known), _units(of_known, of_new)
    return Sides(
        (of_new.numbers - of_known.numbers - dated_known) | units_new,
        (of_known.numbers - of_new.numbers - dated_new) | units_known,
    )


def _units(of: Figures, other: Figures) -> frozenset[str]:
    """Return the numbers with their units that the other names with other units alone."""
    others: dict[str, set[str]] = {}
    for number, unit in other.units:
        others.setdefault(number, set()).add(unit)
    return frozenset(
        f"{number} {unit}" for number, unit in of.units if number in others and unit not in others[number]
    )


def _day_numbers(statement: Statement) -> frozenset[str]:
    at = statement.event_at
    return frozenset({str(at.year), str(at.day)}) if at else frozenset()


def _dates(new: Statement, known: Statement) -> Sides:
    of_new, of_known = figures(new.content).dates, figures(known.content).dates
    months_new = {f"month {new.event_at.month}"} if new.event_at else set()
    months_known = {f"month {known.event_at.month}"} if known.event_at else set()
    day_new, day_known = _event_day(new), _event_day(known)
    if day_new and day_known and abs(day_new - day_known) > _DAY:
        return Sides(
            (of_new - of_known) | {f"{day_new:%Y-%m-%d}"}, (of_known - of_new) | {f"{day_known:%Y-%m-%d}"}
        )
    return Sides(of_new - of_known - months_known, of_known - of_new - months_new)


def _event_day(statement: Statement) -> datetime | None:
    """Return when it happened, unless that is only the day it was said."""
    event, said = statement.event_at, statement.said_at
    return None if event is None or (said is not None and abs(event - said) <= _DAY) else event
