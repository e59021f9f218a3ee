r"""Expressions in linear time that are asked before others: where they find nothing, those would not either. Pure.

Of an expression for Python's engine another is made without edges, ends and look-around, which only make a match rarer.
What that one matches holds all that the first does, and more. Never: what an expression is for.
"""

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from sys import maxsize

from recollect.patterns import LONGEST, Bounded, Linear, linear, whole

_TOKEN = re.compile(
    r"\\.|\(\?!\)|\(\?<?[=!]|\(\?>|\((?:\?(?:P<\w+>|:))?|\)|\[\^?\]?(?:\\.|[^\]\\])*\]|[*+?}]\+|\{[0-9]+,[0-9]+\}\+?|[^\\()\[*+?}]|.",
    re.DOTALL,
)
_LOOKS = frozenset({"(?=", "(?!", "(?<=", "(?<!"})
_EDGES = frozenset({r"\b", r"\B", r"\A", r"\Z", "^", "$"})
_ATOMIC = "(?>"
_NEVER = "(?!)"
_EMPTY = "(?:)"
_POSSESSIVE = frozenset({"*+", "++", "?+", "}+"})
_COUNTED = re.compile(r"\{([0-9]+),[0-9]+\}\+?")
_KEPT = 8
"""Texts that are asked about just now, by many expressions one after the other."""


class Sieved(Bounded):
    """An expression of Python's that is looked for only in texts that may hold it, by its superset."""

    @cached_property
    def _superset(self) -> Linear:
        return superset(self.pattern, self.flags)

    def may_be_in(self, text: str) -> bool:
        """Tell whether it may be found in a text, or in any part of it."""
        return self._superset.is_in(_encoded(text))

    def finditer(self, text: str, pos: int = 0, endpos: int = maxsize) -> Iterator[re.Match[str]]:
        """Yield the matches from left to right, none of which overlap."""
        return super().finditer(text, pos, endpos) if self.may_be_in(text) else iter(())

    def search(self, text: str, pos: int = 0, endpos: int = maxsize) -> re.Match[str] | None:
        """Return the first match, as ``re.Pattern.search`` does."""
        return super().search(text, pos, endpos) if self.may_be_in(text) else None


def sieved(pattern: str, flags: int = 0) -> Sieved:
    """Compile an expression for Python's own engine that is looked for in many texts, and stands in few."""
    return Sieved(pattern, flags, LONGEST)


def superset(pattern: str, flags: int = 0) -> Linear:
    """Compile an expression in linear time that is found in each text in which this one is.

    Args:
        pattern: An expression of Python's, without references to its groups.
        flags: As those of ``linear``.

    Raises:
        ValueError: It has something else that RE2 does not read.
    """
    return linear("".join(_kept(pattern)), flags, captures=False)


@lru_cache(_KEPT)
def _encoded(text: str) -> bytes:
    return whole(text).encode()


def _kept(pattern: str) -> Iterator[str]:
    """Yield the parts of an expression, but those that ask where it stands, or what stands beside it."""
    looking = 0  # how many groups are open, from one that looks around on
    for part in _TOKEN.findall(pattern):
        if looking:
            looking += (part[0] == "(" and part != _NEVER) - (part == ")")
        elif part in _LOOKS:
            looking = 1
            yield _EMPTY
        elif part == _NEVER:
            yield r"[^\x00-\x{10ffff}]"
        elif part in _EDGES:
            yield _EMPTY
        elif part == _ATOMIC:
            yield "(?:"
        elif counted := _COUNTED.fullmatch(part):
            yield f"{{{counted[1]},}}"  # without a most, which an automaton would have to count to
        else:
            yield part[0] if part in _POSSESSIVE else part
