"""Whether a message tells anything that another chat may be given. Pure. Never: where it is kept, a model.

What only asks, what only greets, and what was answered to these tells nothing; nor does an error in an answer's place.
In their own chat all of them are history as before.
"""

from recollect.model import LoggedMessage, Role
from recollect.text.cues import is_about_oneself, is_small_talk
from recollect.text.lexical import identifiers
from recollect.text.patterns import anchored, linear
from recollect.text.statement_features import SUBSTANCE, count_words, read_statement

_SENTENCE = linear("[^.!?\u2026\n\u3002\uff01\uff1f\u061f]+[.!?\u2026\u3002\uff01\uff1f\u061f]*")
_ASKING = ("?", "\uff1f", "\u061f")
_BEHIND_IT = " \t\r\"')\u201d\u2019\u00bb\u300d*_"
_CLAUSES = frozenset(",;:\u2013\u2014\u060c\u061b\uff0c\uff1b\uff1a\u3001")
"""What parts clauses: "my dog is ill, what helps?" tells something before it asks."""

_SHORT, _LONG = 10, 25
"""Words of a question that tells nothing: of one about oneself, or of several clauses; and of any other. Of the messages that
answer a question of LoCoMo, BEAM, RealMem and PrefEval one in five hundred is such a question; longer ones are one in four on
BEAM: they tell what they ask about."""

_ERROR = anchored(
    r"\s*(?:Traceback \(most recent|\[?(?:ERROR|FATAL|CRITICAL)\]?[: \t]|[\w.]{0,80}(?:Error|Exception)(?: [45][0-9]{2})? ?[:(]"
    r"|\{\s*\"error\"|(?:HTTP(?:/[0-9.]+)? )?[45][0-9]{2} [A-Z][a-z]+|<!DOCTYPE html|<html)"
)
_READ = 1_000
"""Characters; what is longer is no mere question, greeting or error."""


def is_recallable(message: LoggedMessage) -> bool:
    """Return whether it may be recalled; what somebody called valuable always may."""
    if message.marked:
        return True
    if message.failed:
        return False
    if is_error(message.content):
        return False
    if message.role is Role.USER:
        return not _says_nothing(message.content)
    asked = message.before
    is_idle = _is_small_talk(asked) or (only_asks(asked) and is_about_oneself(asked))
    return not is_idle or is_substantial(message.content)


def is_substantial(text: str) -> bool:
    """Return whether an answer is more than a remark: long, or a list, or code."""
    return "```" in text or read_statement(text).lists or count_words(text) >= SUBSTANCE


def only_asks(text: str) -> bool:
    """Return whether a text is short questions alone, beside a greeting or a word of thanks; one that names code tells of it."""
    if len(text) > _READ or identifiers(text):
        return False
    asked = [each for each in _sentences(text) if not is_small_talk(each)]
    if not asked or not all(each.endswith(_ASKING) for each in asked):
        return False
    of_clauses = any(not _CLAUSES.isdisjoint(each) for each in asked)
    is_of_oneself = any(map(is_about_oneself, asked))
    if of_clauses and is_of_oneself:
        return False
    return sum(map(count_words, asked)) <= (_SHORT if of_clauses or is_of_oneself else _LONG)


def is_error(text: str) -> bool:
    """Return whether a short text begins as what programs report in the place of an answer: a trace, a status, an error's name."""
    return len(text) <= _READ and _ERROR.match(text) is not None


def _says_nothing(text: str) -> bool:
    return only_asks(text) or _is_small_talk(text)


def _is_small_talk(text: str) -> bool:
    return len(text) <= _READ and is_small_talk(text)


def _sentences(text: str) -> list[str]:
    found = (each.strip().rstrip(_BEHIND_IT) for each in _SENTENCE.findall(text))
    return [each for each in found if any(map(str.isalnum, each))]
