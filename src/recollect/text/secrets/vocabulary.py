"""The words of the names of secrets in many languages, as pieces of regular expressions. Pure."""

from typing import Any

from recollect.text import read_table

_TABLE: dict[str, Any] = read_table(__package__, "vocabulary")

LETTER = r"[A-Za-z\x{c0}-\x{d6}\x{d8}-\x{f6}\x{f8}-\x{24f}\x{370}-\x{52f}\x{1e00}-\x{1fff}]"
"""A letter of the Latin (with Vietnamese), Greek and Cyrillic scripts, in which the words of the table are: a hundredth of RE2's automaton for any."""


def _expression(name: str) -> str:
    """Return an expression, which the table has in one piece or in several."""
    return "".join(_TABLE[name]).replace(r"\p{L}", LETTER)


def _words(name: str) -> frozenset[str]:
    return frozenset(" ".join(_TABLE[name]).split())


PASSWORDS = _expression("passwords")
"""Of scripts that put spaces between words."""
PASSWORDS_UNSPACED = _expression("passwords_unspaced")
TOKENS = _expression("tokens")
PINS = _expression("pins")
"""Names of numbers with four digits or more."""
CHECKS = _expression("checks")
"""Names of the three or four digits on a card's back."""
CODES = _expression("codes")
"""Names of codes with digits that open a thing."""
SAFES = _expression("safes")
"""Names of safes and locks with a combination."""
ANYTHING_SENT = _expression("anything_sent")
"""A number that may be a program as well, a discount, or a place."""
SENT = _expression("sent")
"""Words that say that a code came by a message."""
ANSWERS = _expression("answers")
LOGINS = _expression("logins")
SEEDS = _expression("seeds")
PERSONS = _expression("persons")
"""Names of the papers and numbers that a state gives to people."""
COPULAS = _expression("copulas")
PARTICLES = _expression("particles")
"""Particles of Chinese, Japanese and Korean before a value; each touches the word before it."""
CHANGED = _expression("changed")
TO: dict[str, str] = _TABLE["to"]
"""The words before a changed value, by the beginning or the end of a password's name."""
ENDS_IT = _words("ends_it")
"""Words that may follow an ordinary word that is a password."""
PURPOSE = _words("purpose")
"""Words that, between the name and the sign, say something else of it."""
SAID_OF_ONE = _words("said_of_one")
"""Words that describe a password."""
SAID_ENDINGS = tuple(_TABLE["said_endings"].split())
"""How words end that tell how something is."""
