"""Defines the kinds of secrets and their places in a text, and knows values that only look like secrets. Pure."""

from collections.abc import Iterator
from enum import StrEnum
from itertools import islice, pairwise
from typing import Any, NamedTuple

from recollect.text.patterns import linear

MOST_PLACES = 1_000
"""Places of one sort in a text that are looked at closely: to read as many takes a tenth of a second."""


class SecretKind(StrEnum):
    """The kinds of secrets, by the word in their mark."""

    KEY = "API key"
    TOKEN = "token"  # noqa: S105 -- a word
    SESSION = "session"
    PRIVATE_KEY = "private key"
    PASSWORD = "password"  # noqa: S105 -- a word
    CODE = "code"
    CARD = "card number"
    ACCOUNT = "bank account"
    IDENTITY = "identity number"
    SEED = "seed phrase"
    ANSWER = "security answer"
    UNREAD = "unread"


class SecretSpan(NamedTuple):
    """The span of a secret in a text, in characters, and its kind."""

    start: int
    end: int
    kind: SecretKind


class TooManyPlacesError(Exception):
    """A text has more places that may hold a secret than are examined.

    Attributes:
        at: From where on nothing was looked at.
    """

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


def places(expression: Any, text: str, most: int = MOST_PLACES) -> Iterator[Any]:
    """Yield the matches of an expression.

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


MASK = "\ufffc"
"""Stands for each character of a secret that is masked already, while a text is read."""

_PLACEHOLDER = linear(
    r"(?i)(?:"
    r"[x*.\x{2022}\x{2026}_#?0\x{fffc}-]{3,}|\x{fffc}+.*|\*+|[x]{2,}[a-z0-9_-]*[x]{2,}|\[.*|<.*|\$.*|%.*|\{.*|@[\w.]+@?|#\{.*"
    r"|(?:[a-z0-9]{1,4}[-_])?(?:your|my|the|some|any|dein|deine|ihr|votre|tu|su|seu|example|sample|dummy|fake|insert|enter|put|replace|my[-_]?super)[-_ ]?"
    r"(?:[a-z]{0,12}[-_ ]?){0,5}(?:here|password|passwort|passwd|pass|pwd|key|token|secret|value|id|string|hier|goes|contraseña|clave)[a-z_-]{0,12}"
    r"|(?:user|db|admin|root|api|access|secret|client|new|old|current|confirm|hashed|plain|auth|bearer|jwt|refresh|app|default|github|database)?[-_ ]?"
    r"(?:pass|password|passwd|passwort|pwd|key|token|secret|credentials?|value|apikey|username|user)s?(?:[-_]?(?:here|value|hash|field|input|env|key|id|data|string|file|confirmation))?"
    r"|placeholder|redacted|example|todo|tbd|n/?a|xxx+|none|null|nil|undefined|true|false|empty|string|str|text|bytes|int(?:eger)?|bool(?:ean)?|number|any|object|optional\S*"
    r"|char|varchar\S*|secretstr|required|unknown|function|async|await|return|new|self|this|req(?:uest)?|res|config|settings|env|args|params|value|input|data|result|response|default|const|let|var|def|type|field|list|dict|array|map|set"
    r")"
)
_CODE = linear(
    r"(?:[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)*\s?[(\[].*"
    r"|(?:self|this|os|process|env|config|settings|req|request|form|user|data|args|params|props|state|options|app|ctx|context|event|body|res|result|response|session|credentials|account|secrets|var|local|module|input|model|payload|props|values|entity|dto)(?:(?:\.|->|::|\?\.)[\w$]+)+.*"
    r"|f?[\"']?\$?\{.*|lambda\b.*)"
)
_NUMBER = linear(r"[0-9.,_]+(?:[a-z%\x{20ac}$]{0,4})")

ENDINGS = ".,;:?!)]}>\"'`\u2019\u201d\u201c\u00bb\u300d\u300f\u3002\uff0c\uff01\u3001\u2026*"


def has_digit(value: str) -> bool:
    """Return whether there is a digit in it."""
    return any(each.isdigit() for each in value)


def is_humped(value: str) -> bool:
    """Return whether a capital follows a small letter."""
    return value != value.lower() and any(one.islower() and other.isupper() for one, other in pairwise(value))


def is_placeholder(value: str) -> bool:
    """Return whether a value is a placeholder for a secret, or names its type."""
    return _PLACEHOLDER.fullmatch(value.strip("\"'`")) is not None


def is_code(value: str) -> bool:
    """Return whether an unquoted value is an expression of program code."""
    return _CODE.fullmatch(value) is not None


def is_number(value: str) -> bool:
    """Return whether it is a number, with its unit or without."""
    return _NUMBER.fullmatch(value) is not None


def is_strange(value: str) -> bool:
    """Return whether a value is in no dictionary: letters with digits, capitals inside, marks inside."""
    letters = any(map(str.isalpha, value))
    marked = any(not each.isalnum() and each not in "-'\u2019" for each in value[1:])
    return (letters and has_digit(value)) or is_humped(value) or (marked and not value.startswith(("/", "~")))
