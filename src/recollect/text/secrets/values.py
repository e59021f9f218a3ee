# ruff: noqa: RUF001 - people speak many languages
"""Kinds of secrets, how a sentence or a sign assigns a value to a name, and values that only look like secrets. Pure."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import islice, pairwise
from typing import Any, NamedTuple

from recollect.text.lexical.languages import all_stop_words
from recollect.text.patterns import linear
from recollect.text.secrets.vocabulary import COPULAS, ENDS_IT, PARTICLES, SAID_ENDINGS, SAID_OF_ONE

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

SEPARATOR = (
    r"[\x{00}-/:-@\[-`{-\x{a9}\x{ab}-\x{b1}\x{b4}\x{b6}-\x{b8}\x{bb}\x{bf}\x{d7}\x{f7}\x{300}-\x{36f}\x{5be}\x{60c}\x{61b}-\x{61f}"
    r"\x{66a}-\x{66c}\x{964}\x{965}\x{2000}-\x{206f}\x{20a0}-\x{20ff}\x{2116}\x{2190}-\x{245f}\x{2500}-\x{2775}\x{2794}-\x{2bff}"
    r"\x{2e00}-\x{2e2e}\x{3000}-\x{3004}\x{3008}-\x{3020}\x{30fb}\x{fe00}-\x{fe6f}\x{feff}\x{ff01}-\x{ff0f}\x{ff1a}-\x{ff20}"
    r"\x{ff3b}-\x{ff40}\x{ff5b}-\x{ff65}\x{fff9}-\x{fffd}\x{1f000}-\x{1f0ff}\x{1f300}-\x{1faff}\x{e0000}-\x{e0fff}]"
)
"""A character between two groups of a number: no letter and no digit. RE2 keeps some 80 steps of its automaton for each time that an
expression has it; for all characters that are neither it would keep 1,350."""

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


WINDOW, BEFORE = 240, 100
OPENS, CLOSES = "\"'`\u201c\u201e\u00ab\u300c\u300e\u2018", "\"'`\u201d\u201c\u00bb\u300d\u300f\u2019"
_SIGN = r"[\"'`*]{0,3}[ \t]{0,3}(?:[:：=＝]{1,2}|=>|->|→)[ \t]{0,6}|[ \t]{1,3}[\x{2013}\x{2014}-][ \t]{1,3}"
BETWEEN = rf"((?:[ \t]{{1,2}}[^\s:=：＝,.;!?{MASK}]{{1,20}}){{0,7}}?),?"
TOLD = linear(
    rf"(?i)^{BETWEEN}(?:({_SIGN})|(?:\s{{1,3}}|['’])(?:now[ ]|{COPULAS})\s{{1,3}}(?:[:：]\s{{0,3}})?(?:(?:now|jetzt|ora|ahora|nu)\s)?"
    rf"|['’]s\s{{1,2}})"
)
"""The text between a name and its value: other words, then a sign or a copula."""
_IS_IN_POLISH = linear(rf"(?i)^{BETWEEN}\s{{1,2}}(?:to|to[ ]jest)\s{{1,2}}()")
COMPOUNDS = r"passw[oö]rt|wachtwoord|kennwort|(?:tür|alarm|tor|tresor|safe|schließfach|garagen|haus|handy)-?(?:codes?|kombination)"
"""Names that may end a longer word."""
_ENDS_COMPOUND = linear(f"(?i)^(?:{COMPOUNDS})$")
_POLISH = linear("(?i)^(?:has[łl]|odpowied)")
PARTICLE = linear(rf"^[ \t]{{0,2}}(?:[:：=＝]|{PARTICLES})?[ \t]{{0,2}}[:：]?[ \t]{{0,2}}")
CLAUSE_ENDS = linear(r"[,;!?\x{3002}\x{ff0c}\x{3001}\x{ff01}\x{2026})(]|[.](?:\s|$)|\s-\s|\n")
DATE = linear(
    r"(?:19|20)[0-9]{2}[./-][0-3]?[0-9][./-][0-3]?[0-9]|[0-3]?[0-9][./-][0-3]?[0-9][./-](?:19|20)[0-9]{2}"
)
UNIT = linear(r"(?i)^[ ]?(?:[%°€$£]|(?:[mµ]?g|mcg|kg|[mcd]?l|[mckd]?m|ms|min|h|hz|k?w|m?v|x)(?:[^\p{L}]|$))")
"""Units after numbers."""
MARKS = ENDINGS.replace("!", "")
"""Marks that end a clause and no password: many end with the one that is missing here."""
MOST_WORDS, LEAST_PHRASE = 6, 4
LEAST_PASSWORD, LEAST_CODE, LEAST_TOKEN = 4, 4, 8


def is_within_word(text: str, start: int, end: int) -> bool:
    """Return whether a name continues before or after in a script with spaces; compounds are one word."""
    if _ENDS_COMPOUND.search(text[start:end]):
        return text[end : end + 1].isalnum() or text[end : end + 1] == "_"
    before, behind = text[start - 1 : start], text[end : end + 1]
    if (before.isalnum() or before == "_") and text[start].isascii() and before.isascii():
        return True
    if before.isalpha() and is_spaced(before) and is_spaced(text[start]):
        return True
    return (behind.isalpha() or behind in {"_", "-"}) and is_spaced(behind) and is_spaced(text[end - 1])


def is_spaced(letter: str) -> bool:
    """Return whether a letter is of a script that puts spaces between words."""
    return letter < "\u0e00"


def assignment_in(name: str, window: str) -> Any:
    """Return the match between a name and its value; None where no value follows."""
    return (_IS_IN_POLISH.search(window) if _POLISH.search(name) else None) or TOLD.search(window)


def value_span(  # noqa: PLR0911 -- one reason a line
    window: str, at: int, *, signed: bool
) -> tuple[int, int] | None:
    """Return the span of a value: in quotes, one strange word, or ordinary words up to the clause's end."""
    rest = window[at:]
    quoted = in_quotes(rest)
    if quoted is not None:
        value = rest[slice(*quoted)]
        return None if is_placeholder(value) or is_code(value) else (at + quoted[0], at + quoted[1])
    word = rest.split(None, 1)[0] if rest.strip() and not rest[0].isspace() else ""
    value = word.rstrip(MARKS)
    if (
        len(value) < LEAST_PASSWORD
        or is_placeholder(value)
        or is_code(value)
        or value.startswith(("//", "```", "#", "- ", "**"))
    ):
        return None
    if MASK in value:
        return None
    if is_about_passwords(value):
        return _phrase(rest, at) if signed or rest[:1].isalpha() else None
    if is_number(value) and not is_strange(value):
        return (at, at + len(value)) if ends_clause(rest, len(value)) and not DATE.fullmatch(value) else None
    if is_strange(value):
        return at, at + len(value)
    if not signed and value.casefold().endswith(SAID_ENDINGS):
        return None
    length = _plain_words(rest, value)
    return (at, at + length) if length else None


def _plain_words(rest: str, first: str) -> int:
    """Return the length of a password of ordinary words; 0 where the following words show that it is none."""
    if ends_clause(rest, len(first)):
        return len(first)
    ends = CLAUSE_ENDS.search(rest)
    clause = rest[: ends.start()] if ends else rest
    said = clause.split()
    if len(said) > 1 and said[1].casefold() in ENDS_IT:
        return len(first)
    if len(said) > MOST_WORDS or any(is_about_passwords(each) or not each.isalpha() for each in said[1:]):
        return 0
    return len(clause.rstrip())


def _phrase(rest: str, at: int) -> tuple[int, int] | None:
    """Return the span of a passphrase that begins with a word said of passwords but goes on as no sentence does."""
    ends = CLAUSE_ENDS.search(rest)
    clause = (rest[: ends.start()] if ends else rest).rstrip()
    first, *others = clause.split() or [""]
    return (
        (at, at + len(clause))
        if first.casefold() not in all_stop_words() and is_phrase(clause, others)
        else None
    )


def is_phrase(clause: str, said: Sequence[str] | None = None) -> bool:
    """Return whether words are a passphrase: a few of them, of which none is said of passwords."""
    words = clause.split()
    return LEAST_PHRASE <= len(words) <= MOST_WORDS and all(
        each.isalpha() and not is_about_passwords(each) for each in (words if said is None else said)
    )


def ends_clause(rest: str, at: int) -> bool:
    """Return whether the clause ends there."""
    behind = rest[at : at + 2].lstrip(" ")
    return not behind or not (behind[0].isalnum() or behind[0] in "(-&")


def is_about_passwords(value: str) -> bool:
    """Return whether a word describes a password instead of being one."""
    plain = value.casefold().strip(ENDINGS)
    return plain in SAID_OF_ONE or plain in all_stop_words()


def in_quotes(rest: str) -> tuple[int, int] | None:
    """Return the span of the quotation that a text begins with."""
    opening = OPENS.find(rest[:1]) if rest else -1
    if opening < 0:
        return None
    closing = next(
        (at for at, each in enumerate(islice(rest, 1, 90), 1) if each in CLOSES or each == "\n"), 0
    )
    if not closing or rest[closing] == "\n" or not closing - 1 > 1:
        return None
    return 1, closing
