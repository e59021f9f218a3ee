"""Finds what speaks against two statements being one. Pure. Never: a model, a vector.

Models that compare statements, and still more vectors, take "50 mg" for "75 mg", and one sister for the
other. So numbers, dates, units, names, denials and words that exclude each other are compared by rule.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from recollect.formation.difference.categories import excluding_things
from recollect.formation.difference.compounds import excluding_compounds
from recollect.formation.difference.counted import dates_between, numbers_between
from recollect.formation.difference.modes import modes_unknown
from recollect.formation.difference.names import is_german, named, proper, tells, unspaced_names
from recollect.formation.difference.oppositions import denied_words, excluding_words, polarity
from recollect.formation.difference.roles import exchanged
from recollect.formation.difference.slots import in_one_place, nouns_in_one_place
from recollect.formation.difference.spelling import is_inhabitant
from recollect.formation.difference.statements import Sides, Statement, of_candidate, of_memory
from recollect.formation.difference.subjects import named_relatives, subjects_unknown
from recollect.formation.wording import Word, Wording, wording

__all__ = ["Difference", "Sides", "Statement", "differs", "of_candidate", "of_memory"]

_NEARLY = 0.6
_COVERED = 0.5
"""More than this share of a statement another has to say, to say it with more."""
_HABIT = frozenset({"per day"})
"""What is told of a habit is so every day, said or not."""
_NOT_YET = frozenset(["wished", "tried", "learned"])
_COMPOUND = 4
_MOST_WORDS = 400
_MOST_NAMES = 40


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
        modes: In which one says it and the other does not: wished, tried, learned, allowed, due, past.
        exchanged: Two words that have one another's role: who taught whom.
        subjects: Of whose sister, boss or the like they tell.
        denied: Stems that one denies and the other affirms.
        excluding: Two words that exclude each other, as left and right do.
        shared: The stems in both.
        shared_people: The names in both that one has next to a relative or the like: they are the same people.
        covered: Which share of what the known one says the new one says too, 0 to 1.
        covering: Which share of what the new one says the known one says too, 0 to 1.
        adds_behind_verb: Whether the new one has a word that the known one lacks, behind its first.
    """

    numbers: Sides
    dates: Sides
    names: Sides
    nouns: Sides
    words: Sides
    replaced: tuple[str, str] | None
    modes: Sides
    exchanged: tuple[str, str] | None
    subjects: Sides
    denied: frozenset[str]
    excluding: tuple[str, str] | None
    shared: frozenset[str]
    shared_people: frozenset[str]
    covered: float
    covering: float
    adds_behind_verb: bool

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
            or self.exchanged
            or self.modes
            or self.replaced
            or self.numbers.new
            or (self.dates.new if self.dates.known else self.dates.new - _HABIT)
            or self.names.new
        )

    @property
    def forbids_being_one(self) -> bool:
        """Whether the new one can't be taken for the known one by its letters alone."""
        differing = (self.numbers, self.dates, self.names, self.nouns)
        return self.forbids_repeating or any(differing) or self.words.are_both

    @property
    def only_says_more(self) -> bool:
        """Whether the new one says what the known one says, with more: nothing of the known one is lost."""
        return not (
            self.is_opposed
            or self.is_about_others
            or self.exchanged
            or self.replaced
            or (self.modes and not self.is_come_true)
            or self.numbers.known
            or self.dates.known
            or self.names.known
            or self.covered <= _COVERED
        )

    @property
    def is_come_true(self) -> bool:
        """Whether what was only wished, tried or learned is now so."""
        return bool(self.modes.known) and self.modes.known <= _NOT_YET and not self.modes.new

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

    @property
    def is_nearly_the_same(self) -> bool:
        """Whether nearly all words are the same, but not all that the new one has: mostly that is another thing.

        Who says the same in other words has more of them, or another verb: of these there are many for one thing.
        """
        return self.adds_behind_verb and min(self.covered, self.covering) >= _NEARLY


def differs(new: Statement, known: Statement) -> Difference:
    """Return in what a new statement and a known one differ. Linear in their length, but for 400 words of each."""
    said_new, said_known = wording(new.content), wording(known.content)
    names, nouns = _names(new, known)
    return Difference(
        numbers=numbers_between(new, known),
        dates=dates_between(new, known),
        names=names,
        nouns=nouns,
        words=Sides(*in_one_place(said_new, said_known)),
        replaced=nouns_in_one_place(said_new, said_known),
        modes=Sides(modes_unknown(new.content, known.content), modes_unknown(known.content, new.content)),
        exchanged=exchanged(said_new, said_known),
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
        adds_behind_verb=_adds_behind_verb(said_new, said_known),
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
    beside = {each.plain for each in other.words[:_MOST_WORDS]}
    return frozenset(
        word.plain
        for number, word in enumerate(names)
        if not word.stems & other.stems
        and not (number < _MOST_NAMES and any(is_inhabitant(word.plain, each) for each in beside))
    )


def _stands(word: Word, other: Wording) -> bool:
    """Tell whether a word stands in another wording, in some form or as the head of a compound; in German as its part."""
    if word.stems & other.stems:
        return True
    if word.is_unspaced or len(word.plain) < _COMPOUND:
        return False
    if other.language != "german":
        return any(each.plain.endswith(word.plain) for each in other.words)
    return any(
        len(each.plain) >= _COMPOUND and (each.plain.endswith(word.plain) or word.plain.endswith(each.plain))
        for each in other.words
        if each.is_capital or each.begins
    )


def _telling(said: Wording) -> list[Word]:
    return [word for word in said.words[:_MOST_WORDS] if tells(word)]


def _share(of: Wording, other: Wording) -> float:
    """Return which share of the words of one wording stands in another."""
    telling = _telling(of)
    return sum(_stands(word, other) for word in telling) / len(telling) if telling else 1.0


def _adds_behind_verb(new: Wording, known: Wording) -> bool:
    """Tell whether a word of the new wording behind its first, as a rule its verb, does not stand in the known one.

    What is written without spaces is not cut into words, but into characters: nothing can be told of it.
    """
    return any(not (word.is_unspaced or _stands(word, known)) for word in _telling(new)[1:])
