"""Tells what comes from the prompt from what the person says. Pure. Never: where a quote is found.

A quote that is there proves little where the statement has nothing to do with it: a model that was shown what is known,
or what the assistant said, gives that out for what it read. A single name or verb that stands in both is no sign of it:
a model is asked to put names where the person says "he".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from recollect.model import Candidate, Relation
from recollect.text.comparison.figures import figures
from recollect.text.lexical import document_terms
from recollect.text.patterns import linear

_ROOT = 5
_READ, _PIECE = 12_000, 4_000
_SENTENCE = linear("[^.!?\u2026\n\u3002\uff01\uff1f\u061f]+[.!?\u2026\n\u3002\uff01\uff1f\u061f]*")
_QUESTIONS = ("?", "\uff1f", "\u061f")


@dataclass(frozen=True)
class ComparableText:
    """A text as two texts are compared: by the roots of what its words mean, and by its numbers and dates."""

    text: str

    @cached_property
    def telling(self) -> list[frozenset[str]]:
        """The roots of each word that means something by itself."""
        return [_roots(term) for term in document_terms(self.text[:_READ]) if not term.isdecimal()]

    @cached_property
    def roots(self) -> frozenset[str]:
        """The roots of all words."""
        return frozenset().union(*self.telling)

    @cached_property
    def figures(self) -> frozenset[str]:
        """The numbers and dates."""
        found = [figures(piece) for piece in _pieces(self.text)]
        return frozenset().union(*(each.numbers | each.dates for each in found))

    def shares(self, other: "ComparableText") -> bool:
        """Tell whether a word, a number or a date is in both."""
        return bool(self.roots & other.roots or self.figures & other.figures)

    def holds(self, other: "ComparableText") -> bool:
        """Tell whether all that another text says is in it."""
        return other.figures <= self.figures and all(each & self.roots for each in other.telling)


def _roots(term: str) -> frozenset[str]:
    """Return a term, and how a longer one begins: an allergy is what somebody allergic has."""
    return frozenset({term, term[:_ROOT]})


@dataclass(frozen=True)
class EchoSources:
    """What a candidate may come from.

    Attributes:
        own: All that the person says, and confirms.
        shown: What was added to the prompt: memories, line by line.
        told: What the assistant said, sentence by sentence.
    """

    own: ComparableText
    shown: Sequence[ComparableText] = ()
    told: Sequence[ComparableText] = ()

    def lend(self, candidate: Candidate) -> bool:
        """Tell whether a candidate says only what stood in the prompt.

        It does where it has nothing in common with what the person says, and something with what they did not. A
        candidate that a model relates to what is known may take words from there: it does where a memory says all of it,
        and the person's words hold less than half. One that shall be new does where a memory has all that it has in
        common with the person's words, and more of it.
        """
        content, quote = ComparableText(candidate.content), ComparableText(candidate.evidence)
        if not content.shares(self.own):
            return any(self._lends(line, content) for line in (*self.shown, *self.told))
        if self.own.holds(content):
            return False
        if candidate.relation is Relation.REPEATS:
            return not quote.shares(content)
        said = sum(bool(each & quote.roots) for each in content.telling)
        if 2 * said > len(content.telling):
            return False
        if candidate.relation is Relation.NEW:
            return any(
                self._lends(line, content) and self._has_all_else(line, content, quote) for line in self.shown
            )
        return any(line.holds(content) for line in self.shown)

    def _lends(self, line: ComparableText, content: ComparableText) -> bool:
        """Tell whether at least half of what the person does not say stands in a line."""
        beyond = [each for each in content.telling if not each & self.own.roots]
        lent = sum(bool(each & line.roots) for each in beyond)
        return 2 * lent >= len(beyond) and bool(lent or (content.figures & line.figures) - self.own.figures)

    def _has_all_else(self, line: ComparableText, content: ComparableText, quote: ComparableText) -> bool:
        """Tell whether a line has what the person does say of it, too: in the quote, and in what they do not only ask."""
        asserted, counted = quote.roots | self._asserted.roots, quote.figures | self._asserted.figures
        own = [each for each in content.telling if each & asserted]
        return all(each & line.roots for each in own) and content.figures & counted <= line.figures

    @cached_property
    def _asserted(self) -> ComparableText:
        sentences = _SENTENCE.findall(self.own.text[:_READ])
        return ComparableText("".join(each for each in sentences if not each.rstrip().endswith(_QUESTIONS)))


def _pieces(text: str) -> list[str]:
    """Return the first 12,000 characters of a text in pieces that are read as statements are."""
    return [text[start : start + _PIECE] for start in range(0, min(len(text), _READ), _PIECE)]
