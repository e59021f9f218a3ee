"""What evidence does not prove though it has the words: a number, the opposite, what is supposed. Pure.

Never: what the assistant or the prompt said, what becomes of the candidate.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from recollect.formation.difference.figures import figures
from recollect.formation.difference.names import tells
from recollect.formation.difference.oppositions import polarity
from recollect.formation.proof.passages import Passage
from recollect.formation.proof.support import pieces_of, presupposes_all, roots
from recollect.formation.word_lists.claiming import (
    BEGINS_CLAUSE,
    IMAGINES,
    SUPPOSES,
    SUPPOSES_UNSPACED,
    TAKES_ALONG,
    TAKES_ALONG_SUBORDINATE,
)
from recollect.formation.word_lists.claims import (
    AVERSE,
    COUNTS,
    NO_DENIAL,
    OWN_THING,
    SUBORDINATE,
    UNREAL_END,
)
from recollect.formation.wording import Word, wording
from recollect.model import Candidate
from recollect.patterns import anchored

_MOST_WORDS, _MOST_CHARACTERS = 1 / 2, 2 / 3
"""Share of a clause's words that have to be denied for the clause to be; of characters, where these are compared."""
_YEAR = anchored(r"20\d\d")
_DENIES_ONLY_IN = {"nem": {"portuguese", "hungarian"}, "ei": {"finnish"}}
"""Words that deny in these languages, and are something else in others."""
_READ = 12_000
_SHORT, _SHORT_ROOT = 5, 3
_MOST_BEFORE = 40
"""Words of a clause among which a denial is looked for, and words behind each that are looked at."""
_LEAD_CHARACTERS = 60
"""What is looked at before an opening."""


def invents_number(content: str, own: str) -> bool:
    """Tell whether a content counts something while the person names no number at all.

    One is said by an article, two by "both"; where any number is said, others may follow from it. Years
    and days may be reckoned from the message's date.

    Args:
        content: What a candidate says.
        own: All that the person says and confirms.
    """
    said = figures(content)
    numbers = {number for number in said.numbers if number != "1" and not _YEAR.fullmatch(number)}
    if not numbers or said.dates - _dates(own):
        return False
    return (
        not any(map(str.isdigit, own))
        and not COUNTS.search(own[:_READ].casefold())
        and not any(figures(piece).numbers for piece in pieces_of(own))
    )


def is_supposed(passage: Passage) -> bool:
    """Tell whether a quote stands in what is only supposed, and names nothing of the person's own alone."""
    sentence = passage.sentence
    start = len(passage.before)
    middle = start + len(passage.quote) // 2
    names = presupposes_all(passage)
    for shape in (IMAGINES,) if names else (IMAGINES, SUPPOSES, SUPPOSES_UNSPACED):
        for opening in shape.finditer(sentence):
            if opening.start() > middle:
                break
            opened = _opened_by(opening) if shape is IMAGINES else opening.end()
            end = UNREAL_END.search(sentence, opened)
            if end is None or start < end.start():
                return True
    return False


def _opened_by(opening: re.Match[str]) -> int:
    """Return from where on what an opening supposes may end: its own comma, in "suppose, I ski", ends nothing.

    A comma behind words that are thrown in ("we are married, imagine, and ...") is not their own.
    """
    sentence, end = opening.string, opening.end()
    own = TAKES_ALONG_SUBORDINATE.match(sentence, end)
    if own is None and BEGINS_CLAUSE.search(
        sentence, max(0, opening.start() - _LEAD_CHARACTERS), opening.start()
    ):
        own = TAKES_ALONG.match(sentence, end)
    return own.end() if own else end


def is_turned_round(candidate: Candidate, passage: Passage) -> bool:
    """Tell whether a candidate affirms what its evidence denies, or denies what it affirms, in the same words."""
    clauses = passage.clauses
    if NO_DENIAL.search(clauses):
        return False
    denied = _denied(clauses)
    is_plain = not (polarity(clauses).denies or polarity(clauses).is_averse or AVERSE.search(clauses))
    for words, denies in _clauses(candidate.content):
        telling = [word for word in words if tells(word)]
        stems = [_short_roots(word.stems) for word in telling]
        if stems and not denies and denied.speaks_against(stems, is_unspaced=telling[0].is_unspaced):
            return True
        if stems and denies and is_plain and _says_just(stems, clauses):
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Denied:
    """What is denied, as the roots of its words.

    Attributes:
        words: All that is denied.
        heads: What each denial stands before.
        affirmed: All else.
    """

    words: set[str]
    heads: set[str]
    affirmed: set[str]

    def speaks_against(self, stems: Sequence[set[str]], *, is_unspaced: bool) -> bool:
        """Tell whether what a denial stands before is affirmed, and much of the rest that is denied."""
        if any(each & self.affirmed for each in stems):
            return False
        against = [each for each in stems if each & self.words]
        share = _MOST_CHARACTERS if is_unspaced else _MOST_WORDS
        return any(each & self.heads for each in against) and len(against) >= share * len(stems)


def _denied(clauses: str) -> _Denied:
    """Return what clauses deny; one's own things are there either way."""
    found = _Denied(set(), set(), set())
    for part in SUBORDINATE.split(clauses):
        for words, denies in _clauses(OWN_THING.sub(" ", part)):
            telling = _behind_denial(words)
            for word in words:
                (found.words if denies else found.affirmed).update(_short_roots(word.stems))
            if denies and telling:
                found.heads.update(_short_roots(telling[0].stems))
    return found


def _behind_denial(words: Sequence[Word]) -> list[Word]:
    """Return the telling words behind what denies them; all, where the denial stands last."""
    for number in range(1, min(len(words), _MOST_BEFORE)):
        rest = " ".join(word.text for word in words[number : number + _MOST_BEFORE] if not word.is_unspaced)
        if rest and not polarity(rest).denies:
            return [word for word in words[number:] if tells(word)] or [word for word in words if tells(word)]
    return [word for word in words if tells(word)]


def _says_just(stems: Sequence[set[str]], clauses: str) -> bool:
    every = [_short_roots(word.stems) for word in wording(clauses).words if tells(word)]
    return len(every) == len(stems) and all(any(one & other for other in every) for one in stems)


def _clauses(text: str) -> Iterator[tuple[list[Word], bool]]:
    """Yield the words of each clause, and whether it is denied or says that something is avoided."""
    read = wording(text)
    for _, clause in groupby(read.words, key=lambda word: word.clause):
        words = list(clause)
        spaced = " ".join(
            word.text
            for word in words
            if (not word.is_unspaced or word.is_hangul)
            and read.language in _DENIES_ONLY_IN.get(word.plain, {read.language})
        )
        said = spaced or "".join(word.text for word in words)
        found = polarity(said)
        yield words, found.denies or found.is_averse


def _dates(own: str) -> frozenset[str]:
    return frozenset().union(*(figures(piece).dates for piece in pieces_of(own)))


def _short_roots(stems: Collection[str]) -> set[str]:
    """Return roots, and of short words the first letters: a short verb changes its ending for each person."""
    short = {stem[:_SHORT_ROOT] for stem in stems if _SHORT_ROOT < len(stem) <= _SHORT}
    return roots(stems) | short
