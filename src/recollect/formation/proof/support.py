"""What the content of a candidate rests on: the person's own words, or what was borrowed from others. Pure.

Never: where the quote is found, what becomes of the candidate. What nobody said is another thing than what
somebody else said: a model may paraphrase, but what it has only from the prompt or from the assistant's words
comes back as if the person had said it.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from recollect.formation.difference.figures import figures
from recollect.formation.difference.likeness import same_letters
from recollect.formation.difference.names import tells
from recollect.formation.difference.oppositions import denied_words, polarity
from recollect.formation.proof.passages import Passage
from recollect.formation.word_lists.claiming import (
    ANY_SELF,
    ASKS,
    ASKS_UNSPACED,
    OWNED,
    POINTS,
    POSSESSIVE,
    REACTIONS,
    REQUESTS,
)
from recollect.formation.wording import Word, wording
from recollect.model import Candidate, Relation
from recollect.patterns import bounded, linear

_ROOT = 5
_SAID = 2
"""So many words at least tell something that a model may put in words of its own."""
_READ, _PIECE = 12_000, 4_000
_CLAUSE = bounded("[,;:.!?\u2026\n\u3002\uff01\uff1f\uff0c\u3001]+(?!\\d)")
_SENTENCE = linear("[^.!?\u2026\n\u3002\uff01\uff1f\u061f]+[.!?\u2026\n\u3002\uff01\uff1f\u061f]*")
_MARKS = ("?", "\uff1f", "\u061f")
_TAG = 4
"""Letters of a last clause that only asks for a yes: "right?"."""


@dataclass(frozen=True, slots=True)
class Line:
    """Something that somebody else said, or that stood in the prompt.

    Attributes:
        text: It.
        roots: The roots of its words.
    """

    text: str
    roots: frozenset[str]


def line_of(text: str) -> Line:
    """Return a line of others' words."""
    return Line(text, frozenset(roots(wording(text).stems)))


def roots(stems: Collection[str]) -> set[str]:
    """Return stems, and how the longer ones begin: an allergy is what somebody allergic has."""
    return {*stems, *(stem[:_ROOT] for stem in stems if len(stem) > _ROOT)}


@dataclass(frozen=True)
class Grounds:
    """What may support a candidate.

    Attributes:
        own: All that the person says, and confirms.
        injected: What was added to the prompt.
        told: What the assistant said, sentence by sentence.
    """

    own: str
    injected: Sequence[Line] = ()
    told: Sequence[Line] = ()

    def lends(self, candidate: Candidate, passage: Passage) -> bool:
        """Tell whether what a candidate says is borrowed: what is the person's in it was known, or only asked.

        A borrowed word may well name what a pronoun of the person stands for; so it is an echo only where
        nothing of the rest is what they assert.
        """
        content = [word for word in wording(candidate.content).words if tells(word) and word.stems]
        beyond = [word for word in content if not roots(word.stems) & self._roots]
        lending = self._lending(beyond, _figures(candidate.content) - self._figures)
        if not lending and is_asked(passage):
            lending = self._asked_about([word for word in content if word not in beyond])
        if not lending or self._says_otherwise(candidate, passage, lending):
            return False
        known = frozenset().union(*(line.roots for line in lending))
        own = [word for word in content if word not in beyond]
        asserts = not is_asked(passage)
        if asserts and any(_is_new(word, known, self._asserted) for word in own):
            return False
        if asserts and self._names_number(candidate, passage, lending):
            return False
        if not asserts:
            return not _presupposes(passage, own, known)
        if _is_repeated(candidate, passage, own, lending):
            return False
        return not self._is_paraphrased(beyond, passage, known)

    def _lending(self, beyond: Sequence[Word], counted: Collection[str]) -> list[Line]:
        """Return the lines that have words, numbers or dates of a candidate that the person doesn't say."""
        return [
            line
            for line in (*self.injected, *self.told)
            if any(roots(word.stems) & line.roots for word in beyond)
            or (counted and line in self.injected and _figures(line.text).intersection(counted))
        ]

    def _asked_about(self, own: Sequence[Word]) -> list[Line]:
        """Return the lines that have what a question names: it is what the model found them by."""
        if not own:
            return []
        least = len(own) / 2 if own[0].is_unspaced else len(own)
        return [
            line
            for line in self.injected
            if sum(bool(roots(word.stems) & line.roots) for word in own) >= least
        ]

    def _says_otherwise(self, candidate: Candidate, passage: Passage, lending: Sequence[Line]) -> bool:
        """Tell whether the person denies what a line says, and the candidate with them."""
        if polarity(passage.clauses).denies or polarity(candidate.evidence).denies:
            return any(denied_words(candidate.content, line.text) for line in lending)
        return False

    def _names_number(self, candidate: Candidate, passage: Passage, lending: Sequence[Line]) -> bool:
        said = _figures(passage.clauses) & _figures(candidate.content)
        return bool(said.difference(*(_figures(line.text) for line in lending)))

    def _is_paraphrased(self, beyond: Sequence[Word], passage: Passage, known: Collection[str]) -> bool:
        """Tell whether the content has words of nobody, and the quote says something that no line does."""
        free = [word for word in beyond if not roots(word.stems) & frozenset(known)]
        said = [word for word in _telling(passage.quote) if not roots(word.stems) & frozenset(known)]
        points = POINTS.search(passage.quote) is not None
        return len(free) + points > len(beyond) - len(free) and len(said) >= (
            1 if ANY_SELF.search(passage.quote) else _SAID
        )

    @cached_property
    def _roots(self) -> frozenset[str]:
        return frozenset(roots(wording_of_all(self.own)))

    @cached_property
    def _figures(self) -> frozenset[str]:
        return frozenset().union(*map(_figures, pieces_of(self.own)))

    @cached_property
    def _asserted(self) -> frozenset[str]:
        """The roots of what the person says, their questions and requests left out."""
        return frozenset(roots(wording_of_all("\n".join(_asserting(self.own[:_READ].casefold())))))


def _asserting(text: str) -> Iterator[str]:
    """Yield the clauses that neither ask nor request: of a question those before the last."""
    for sentence in _SENTENCE.findall(text):
        clauses = [clause.strip() for clause in _CLAUSE.split(sentence) if clause.strip()]
        if sentence.rstrip().endswith(_MARKS):
            clauses = clauses[:-1]
        yield from (clause for clause in clauses if not _opens_as_asking(clause))


def wording_of_all(text: str) -> frozenset[str]:
    """Return the stems of a text of any length, of its first 12,000 characters."""
    return frozenset().union(*(wording(piece).stems for piece in pieces_of(text)))


def pieces_of(text: str) -> list[str]:
    """Return the first 12,000 characters of a text in pieces that are read as statements are."""
    return [text[start : start + _PIECE] for start in range(0, min(len(text), _READ), _PIECE)]


def is_asked(passage: Passage) -> bool:
    """Tell whether the clauses of a quote ask something, want something done, or only react."""
    if not _telling(passage.quote) and not _figures(passage.quote):
        return True
    clauses = passage.clauses.strip()
    if _opens_as_asking(clauses) or _opens_as_asking(passage.quote):
        return True
    if not passage.asks:
        return bool(REQUESTS.search(passage.sentence)) and not ANY_SELF.search(clauses)
    return not passage.goes_on


def presupposes_all(passage: Passage) -> bool:
    """Tell whether a quote only names something of the person's own: it is so whatever the sentence says of it."""
    return POSSESSIVE.search(passage.quote) is not None


def _presupposes(passage: Passage, own: Sequence[Word], known: Collection[str]) -> bool:
    """Tell whether a question names a thing of the person's own that the lines don't."""
    new = {root for word in own for root in roots(word.stems)} - set(known)
    clauses = passage.clauses.strip()
    if any(map(_opens_as_asking, (clauses, passage.quote, passage.sentence.strip()))):
        things = " ".join(OWNED.findall(clauses))
        return bool(new & roots(wording(things).stems))
    return bool(ANY_SELF.search(clauses) and new & roots(wording(passage.quote).stems))


def _is_new(word: Word, known: Collection[str], asserted: Collection[str]) -> bool:
    found = roots(word.stems)
    return not found & set(known) and bool(found & set(asserted))


def _is_repeated(
    candidate: Candidate, passage: Passage, own: Sequence[Word], lending: Sequence[Line]
) -> bool:
    """Tell whether the person says once more what a line says: that strengthens it, and makes no second memory."""
    quoted = roots(wording(passage.clauses).stems)
    shares = any(roots(word.stems) & quoted for word in own)
    if not shares and not _figures(passage.clauses) & _figures(candidate.content):
        return False
    if candidate.relation is Relation.REPEATS:
        return True
    return any(same_letters(candidate.content, line.text) for line in lending)


def _figures(text: str) -> frozenset[str]:
    found = figures(text)
    return found.numbers | found.dates


def _telling(text: str) -> list[Word]:
    return [word for word in wording(text).words if tells(word) and word.plain not in REACTIONS]


def _opens_as_asking(clause: str) -> bool:
    clause = " ".join(clause.split())
    return bool(ASKS.search(clause) or ASKS_UNSPACED.search(clause) or REQUESTS.search(clause))
