"""Finds a line that announces the secret on the next line; both are then read as one sentence. Pure."""

from recollect.text.patterns import linear
from recollect.text.secrets import vocabulary
from recollect.text.secrets.unlock_codes import may_unlock
from recollect.text.secrets.value_phrases import CLOSES, OPENS, ends_clause
from recollect.text.secrets.values import ENDINGS, has_digit, is_strange

_NAMES = (
    f"{vocabulary.PASSWORDS}|{vocabulary.PASSWORDS_UNSPACED}|{vocabulary.PINS}|{vocabulary.CHECKS}"
    f"|{vocabulary.CODES}|{vocabulary.TOKENS}"
)
_NAMED = linear(
    rf"(?i)(?:^|[^\p{{L}}])(?:{_NAMES})(?:[^\p{{L}}]|$)|{vocabulary.PASSWORDS_UNSPACED}",
    captures=False,
    megabytes=16,
)
_ENDS_WITH_NAME = linear(
    rf"(?i)(?:{_NAMES}|(?:{vocabulary.PERSONS})(?:[ ]\p{{L}}{{1,14}})?|{vocabulary.ANYTHING_SENT})[^\p{{L}}\p{{N}}]{{0,3}}$",
    captures=False,
    megabytes=16,
)
_ARTICLE = r"(?:[ ](?:the|die|der|das|le|la|el|il|o|a|de|het))?"
_SIGN = r"[:\x{ff1a}=\x{ff1d}\x{2013}\x{2014}-]|=>|->|\x{2192}"
_ENDS_OPEN = linear(
    rf"(?i)(?:[ ](?:{vocabulary.COPULAS}){_ARTICLE}|[ ](?:{_SIGN})|{vocabulary.PARTICLES})$", captures=False
)
_BEGINS = linear(
    rf"(?i)^((?:(?:{vocabulary.COPULAS}|{'|'.join(vocabulary.TO.values())}){_ARTICLE}|{_SIGN})(?:[ ]{{1,3}}|[:\x{{ff1a}}][ ]{{0,3}})|(?:{vocabulary.PARTICLES}|{_SIGN})[ ]{{0,2}})?"
    r"((?:[0-9][ ]){3,}[0-9]|[^\s,;\x{3002}\x{ff0c}\x{3001}]{3,80})"
)
_VALUE_BEFORE = linear(rf"(?i)^([^\s]{{4,60}})(?:[ ](?:{vocabulary.COPULAS}))?$")
_NO_VALUE = linear(
    r"[0-9]{1,2}[:h.][0-9]{2}|[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}|[0-9]+[.,][0-9]+|[0-9.,]+[^\w\s#*]|[^\w\s][0-9.,]+|[#@].*|https?:.*"
)
"""A time, a date or a version, an amount, a tag or an address."""
_YEAR = linear(r"(?:19|20)[0-9]{2}")
_SENTENCE_ENDS = tuple(".!?,;\u3002\uff01\uff1f\uff0c")
_READ, _LONG = 200, 50


def joint(above: str, below: str) -> str:
    """Return the text that joins a line that names a secret and the line that holds it; "" for any other two lines."""
    tail, head = above[-_READ:], below[:_READ]
    if tail.endswith(_SENTENCE_ENDS):
        return ""
    if len(tail) > _LONG and head[:1].islower():
        return " "
    first = _VALUE_BEFORE.search(tail)
    if first is not None and _is_value(first[1]) and not _YEAR.fullmatch(first[1]):
        return " " if _NAMED.search(head) else ""
    return _joint_before_value(tail, head)


def _joint_before_value(above: str, below: str) -> str:
    """Return the text that joins a line and the next one, which begins with a value; "" if it does not."""
    begins = _BEGINS.search(below)
    value = begins[2].strip(OPENS + CLOSES).rstrip(ENDINGS) if begins is not None else ""
    if begins is None or not _is_value(value):
        return ""
    others = below[begins.end() :].strip(ENDINGS).split()
    is_alone = not others or all(map(str.isdigit, (value, *others)))
    is_year = _YEAR.fullmatch(value) is not None
    if _ENDS_OPEN.search(above):
        return " " if is_alone or not is_year else ""
    if begins[1]:
        return " " if is_alone or ends_clause(below, begins.end()) else ""
    if is_alone and (_ENDS_WITH_NAME.search(above) or (not is_year and _NAMED.search(above))):
        return ": "
    return " " if is_alone and not is_year and may_unlock(above) else ""


def _is_value(word: str) -> bool:
    return (has_digit(word) or is_strange(word)) and _NO_VALUE.fullmatch(word) is None
