"""Tells what comes from the prompt from what the person says. Pure. Never: where a quote is found.

A quote that is there proves little where the statement has nothing to do with it: a model that was shown what is known,
or what the assistant said, gives that out for what it read. A single name or verb that stands in both is no sign of it:
a model is asked to put names where the person says "he".
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from recollect.formation.difference.figures import figures
from recollect.formation.wording import wording
from recollect.model import Candidate

_ROOT = 5
_READ, _PIECE = 12_000, 4_000


@dataclass(frozen=True)
class Words:
    """A text as two texts are compared: by the roots of what its words mean, and by its numbers and dates."""

    text: str

    @cached_property
    def telling(self) -> list[frozenset[str]]:
        """The roots of each word that means something by itself."""
        return [
            roots(word.stems)
            for piece in _pieces(self.text)
            for word in wording(piece).words
            if word.stems and not word.plain.isdecimal()
        ]

    @cached_property
    def roots(self) -> frozenset[str]:
        """The roots of all words."""
        return frozenset().union(*self.telling)

    @cached_property
    def figures(self) -> frozenset[str]:
        """The numbers and dates."""
        found = [figures(piece) for piece in _pieces(self.text)]
        return frozenset().union(*(each.numbers | each.dates for each in found))

    def shares(self, other: "Words") -> bool:
        """Tell whether a word, a number or a date is in both."""
        return bool(self.roots & other.roots or self.figures & other.figures)

    def holds(self, other: "Words") -> bool:
        """Tell whether all that another text says is in it."""
        return other.figures <= self.figures and all(each & self.roots for each in other.telling)


def roots(stems: Collection[str]) -> frozenset[str]:
    """Return stems, and how the longer ones begin: an allergy is what somebody allergic has."""
    return frozenset({*stems, *(stem[:_ROOT] for stem in stems if len(stem) > _ROOT)})


@dataclass(frozen=True)
class Grounds:
    """What a candidate may come from.

    Attributes:
        own: All that the person says, and confirms.
        shown: What was added to the prompt: memories, line by line.
        told: What the assistant said, sentence by sentence.
    """

    own: Words
    shown: Sequence[Words] = ()
    told: Sequence[Words] = ()

    def lend(self, candidate: Candidate) -> bool:
        """Tell whether a candidate says only what stood in the prompt.

        It does where it has nothing in common with what the person says, and something with what they did not; and
        where a memory says all of it, and the person's words hold less than half.
        """
        content, quote = Words(candidate.content), Words(candidate.evidence)
        if not content.shares(self.own):
            return any(content.shares(line) for line in (*self.shown, *self.told))
        if self.own.holds(content):
            return False
        said = sum(bool(each & quote.roots) for each in content.telling)
        return 2 * said < len(content.telling) and any(line.holds(content) for line in self.shown)


def _pieces(text: str) -> list[str]:
    """Return the first 12,000 characters of a text in pieces that are read as statements are."""
    return [text[start : start + _PIECE] for start in range(0, min(len(text), _READ), _PIECE)]
