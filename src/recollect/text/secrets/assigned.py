"""Secrets that a program is given by name: in files of settings, in cookies. Pure. Never: what people tell in words."""

from collections.abc import Iterator

from recollect.text.patterns import linear
from recollect.text.secrets.kinds import SecretKind, SecretSpan, places
from recollect.text.secrets.values import (
    ENDINGS,
    MASK,
    has_digit,
    is_code,
    is_humped,
    is_number,
    is_placeholder,
    is_strange,
)

_STRONG = r"passwort|passwor[dt]|passphrase|passwd|pwd|psk|kennwort|senha|contrase[n\x{f1}]a|mot_?de_?passe|secret|pass"
_WEAK = (
    r"api[_-]?key|apikey|access[_-]?key|account[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|auth[_-]?key"
    r"|secret[_-]?key|token|credentials?|[^a-z]app_?id|signature|sas_|hmac"
    r"|session[_-]?id|sessid|connect\.sid|_session|[_-]sid|license[_-]?key"
)
_NAMES = linear(rf"(?i)({_STRONG})|({_WEAK})")
"""The words in a name that tell of a secret: strong, weak."""

_SIGN = linear(r"^([0-9A-Za-z_.-]{0,24})(?:\\?[\"'`])?\]?[ \t]{0,4}(=>|:=|=|:)[ \t]{0,4}")
_QUOTED = linear(r"^[rbfu]?(?:\\?\"([^\"\\\n]{1,200})\\?\"|'([^'\n]{1,200})'|`([^`\n]{1,200})`)")
_BARE = linear(r"^[^\s\"'`,;&<>(){}\[\]|\\]{1,300}(?:[(\[{][^\s]{0,80})?")
_LINE_ENDS = linear(r"^[ \t]*(?:\\?[\r\n\"'`,;}\])<|&]|#|//|--|$)")
_NOT_NAMES = linear(
    r"(?i)(?:^|[^a-z])(?:max|min|num|total|prompt|completion|input|output|cached?|used|per|count|limit|primary|foreign|public|sort|next|page|continuation|author)[_-]?$"
)
_NAMES_ANOTHER = linear(
    r"(?i)(?:name|id|type|field|len(?:gth)?|hash|error|policy|label|hint|url|uri|path|file|prompt|input|placeholder|regex|pattern|ref|arn|s|count|limit|text\w{0,10}|message|encoder|expir\w*|at)$"
)
"""How a name ends that is no secret's: ``secret_name``, ``tokens``."""

_WINDOW = 320
_IN_CONNECTION = linear(r"^([^;\n\"'&]{0,100});[ ]?[A-Za-z]")
"""The rest of a value, and that another follows."""
_PHRASES = linear(r"(?i)(?:phrase|psk)$")
_LEAST_STRONG, _LEAST_WEAK = 3, 8
_WORDS_OF_A_SENTENCE = 5

_COOKIES = linear(r"(?i)\b(?:set-)?cookies?[\"']?\s{0,3}[:=]\s{0,3}[\"']?([0-9A-Za-z_.-]+=[^\n\"']{4,})")
_COOKIE = linear(r"([0-9A-Za-z_.-]+)=([^\s;,]{8,})")


def assigned(text: str) -> Iterator[SecretSpan]:
    """Yield values of names that tell of a secret: ``DB_PASS=...``, ``"password": "..."``."""
    for name in places(_NAMES, text):
        start, end = name.span()
        if _NOT_NAMES.search(text[max(0, start - 14) : start]):
            continue
        if name[0].lower() == "pass" and _is_within_word(text, start, end):
            continue
        window = text[end : end + _WINDOW]
        sign = _SIGN.search(window)
        if sign is None or _NAMES_ANOTHER.search(sign[1]):
            continue
        if MASK in window[sign.end() : sign.end() + 2]:
            continue
        strong = bool(name[1])
        at = sign.end()
        value = _value(name[0] + sign[1], sign[2], window, at, strong=strong)
        if value is not None and strong and text[start - 1 : start] == ";" and sign[0].endswith("="):
            value = _up_to_semicolon(window, value)
        if value is not None:
            kind = SecretKind.PASSWORD if _is_password(name[0]) else SecretKind.KEY
            yield SecretSpan(end + value[0], end + value[1], kind)


def cookies(text: str) -> Iterator[SecretSpan]:
    """Yield what cookies hold that a machine has made."""
    for found in places(_COOKIES, text):
        for pair in _COOKIE.finditer(found[1]):
            if is_made(pair[2]):
                start, end = pair.span(2)
                yield SecretSpan(found.start(1) + start, found.start(1) + end, SecretKind.SESSION)


def _is_within_word(text: str, start: int, end: int) -> bool:
    """Tell whether letters of one word stand around: "compass", "passive"; not "DB_PASS", "dbPass"."""
    before, behind = text[max(0, start - 1) : start], text[end : end + 1]
    return (before.isalpha() and not (before.islower() and text[start] == "P")) or behind.isalpha()


def _value(  # noqa: PLR0911 -- one reason a line
    name: str, sign: str, window: str, at: int, *, strong: bool
) -> tuple[int, int] | None:
    """Return where the value of a name begins and ends in the window behind it; None where it is no secret."""
    quoted = _QUOTED.search(window[at:])
    if quoted is not None:
        group = next(number for number in (1, 2, 3) if quoted.span(number)[0] >= 0)
        start, end = quoted.span(group)
        value = quoted[group]
        is_one = _is_strong(value) if strong else is_made(value)
        return (at + start, at + end) if is_one and not is_placeholder(value) else None
    bare = _BARE.search(window[at:])
    if bare is None:
        return None
    value = bare[0].rstrip(ENDINGS.replace("*", ""))
    if is_placeholder(value) or is_code(bare[0]) or value.startswith(("=", "~", "//")):
        return None
    if not strong:
        return (at, at + len(value)) if is_made(value) else None
    behind = window[at + len(bare[0]) :]
    ends = _LINE_ENDS.search(behind) is not None
    spaced = (
        window[:at] != window[:at].rstrip() or window[: at - len(sign)] != window[: at - len(sign)].rstrip()
    )
    if _PHRASES.search(name) and sign == "=" and not ends:
        line = window[at:].split("\n", 1)[0].rstrip()
        return at, at + len(line)
    if not _is_strong(value) or not (ends or is_strange(value) or (sign == "=" and not spaced)):
        return None
    return at, at + len(value)


def _up_to_semicolon(window: str, value: tuple[int, int]) -> tuple[int, int]:
    """Return where the value of a connection string ends, which may have spaces; as it was if that is none."""
    rest = _IN_CONNECTION.search(window[value[1] :])
    return (value[0], value[1] + len(rest[1])) if rest is not None else value


def _is_password(name: str) -> bool:
    return "secret" not in name.lower() and "key" not in name.lower() and "token" not in name.lower()


def _is_strong(value: str) -> bool:
    is_sentence = len(value.split()) >= _WORDS_OF_A_SENTENCE and not _PHRASES.search(value)
    return (
        len(value) >= _LEAST_STRONG
        and any(map(str.isalnum, value))
        and not is_code(value)
        and not is_sentence
    )


def is_made(value: str) -> bool:
    """Tell whether a value looks as if a machine had made it: long enough, with digits, or capitals within."""
    if (
        len(value) < _LEAST_WEAK
        or is_placeholder(value)
        or is_number(value)
        or is_code(value)
        or " " in value
    ):
        return False
    return has_digit(value) or is_humped(value)
