"""What kinds of secrets there are, and where one stands. Pure. Never: how one is found."""

from collections.abc import Iterator
from enum import StrEnum
from itertools import islice
from typing import Any, NamedTuple

MOST_PLACES = 1_000
"""Places of one sort in a text that are looked at closely: to read as many takes a tenth of a second."""


class SecretKind(StrEnum):
    """What a secret is, in the word that stands in its place."""

    KEY = "API key"
    TOKEN = "token"  # noqa: S105 -- a word
    SESSION = "session"
    PRIVATE_KEY = "private key"
    PASSWORD = "password"  # noqa: S105 -- a word
    CODE = "code"
    CARD = "card number"
    ACCOUNT = "bank account"
    PERSON = "social security number"
    SEED = "seed phrase"
    ANSWER = "security answer"
    UNREAD = "unread"


class SecretSpan(NamedTuple):
    """Where a secret stands in a text, in characters, and what it is."""

    start: int
    end: int
    kind: SecretKind


class TooManyPlacesError(Exception):
    """A text has more places that may hold a secret than are looked at.

    Attributes:
        at: From where on nothing was looked at.
    """

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


def places(expression: Any, text: str, most: int = MOST_PLACES) -> Iterator[Any]:
    """Yield where an expression matches.

    Raises:
        TooManyPlacesError: Behind so many, if there are more.
    """
    matches = expression.finditer(text)
    at = 0
    for number, match in enumerate(islice(matches, most), 1):
        yield match
        if number == most:
            at = match.end()
    if at and next(matches, None) is not None:
        raise TooManyPlacesError(at)
