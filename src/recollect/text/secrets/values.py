"""What stands where a secret may stand, and is none: placeholders, code, what is said of a password. Pure."""

from itertools import pairwise

from recollect.text.patterns import linear

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
    """Tell whether there is a digit in it."""
    return any(each.isdigit() for each in value)


def is_humped(value: str) -> bool:
    """Tell whether capitals stand behind small letters."""
    return value != value.lower() and any(one.islower() and other.isupper() for one, other in pairwise(value))


def is_placeholder(value: str) -> bool:
    """Tell whether something stands for a secret that is to be filled in, or says what sort of thing it is."""
    return _PLACEHOLDER.fullmatch(value.strip("\"'`")) is not None


def is_code(value: str) -> bool:
    """Tell whether something unquoted is an expression that a program computes."""
    return _CODE.fullmatch(value) is not None


def is_number(value: str) -> bool:
    """Tell whether it is a number, with its unit or without."""
    return _NUMBER.fullmatch(value) is not None


def is_strange(value: str) -> bool:
    """Tell whether no dictionary has it: letters with digits, capitals within, marks within."""
    letters = any(map(str.isalpha, value))
    marked = any(not each.isalnum() and each not in "-'\u2019" for each in value[1:])
    return (letters and has_digit(value)) or is_humped(value) or (marked and not value.startswith(("/", "~")))
