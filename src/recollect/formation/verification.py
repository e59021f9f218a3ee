"""Decides without a model which candidates may be believed. Pure. Never: await, the store, a model.

A model makes things up, and repeats what recall showed it as if the user had said it. So each
candidate has to quote the user's own words, and the quote has to be there.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.model import Candidate, Ignore, Reason

_ALIKE = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4`\u02bc", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    }
)
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_OCCURRENCES = 100  # so that a megabyte of one letter stays cheap
_EDGES = " \t\n.,;:!?'\"()[]*_"
# Han, kana, Hangul, Thai, Lao, Burmese, Khmer: no spaces between words, or particles joined to them
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]"
)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a turn may teach.

    Attributes:
        content_length: The most characters of a statement.
        candidates: The most statements believed of one turn.
        evidence_length: The fewest letters and digits a quote must have to prove anything; one
            of a script without spaces counts double.
    """

    content_length: int = 1_000
    candidates: int = 20
    evidence_length: int = 4


DEFAULT_LIMITS = Limits()


def verify(
    candidates: Sequence[Candidate],
    *,
    authored: str,
    minimum_importance: float,
    limits: Limits = DEFAULT_LIMITS,
) -> list[Candidate | Ignore]:
    """Return each candidate that may be believed, and an Ignore for each other one, in order.

    Args:
        candidates: What was extracted.
        authored: The user's own words in this turn.
        minimum_importance: What is below it is not kept.
        limits: How much a turn may teach.
    """
    plain = _plain(authored)
    verified: list[Candidate | Ignore] = []
    believed = 0
    for candidate in candidates:
        reason = _objection(candidate, plain, minimum_importance, limits)
        if reason is None and believed >= limits.candidates:
            reason = Reason.TOO_MANY
        believed += reason is None
        verified.append(candidate if reason is None else Ignore(reason, candidate))
    return verified


def _objection(candidate: Candidate, plain: str, minimum_importance: float, limits: Limits) -> Reason | None:
    if not any(character.isalnum() for character in candidate.content):
        return Reason.EMPTY
    if len(candidate.content) > limits.content_length:
        return Reason.TOO_LONG
    if not _proves(_plain(candidate.evidence).strip(_EDGES), plain, limits.evidence_length):
        return Reason.NO_EVIDENCE
    if not candidate.importance >= minimum_importance:  # so that NaN is refused too
        return Reason.LOW_IMPORTANCE
    return None


def _proves(quote: str, plain: str, least: int) -> bool:
    """Say whether ``quote`` is long enough and stands in ``plain`` as whole words.

    Half a word proves nothing: "I like tea" is not in "I like teachers".
    """
    weight = sum(2 if _UNSPACED.match(character) else 1 for character in quote if character.isalnum())
    if weight < least:
        return False
    position = -1
    for _ in range(_OCCURRENCES):
        position = plain.find(quote, position + 1)
        if position < 0:
            return False
        if not (_inside_word(plain, position) or _inside_word(plain, position + len(quote))):
            return True
    return False


def _inside_word(plain: str, position: int) -> bool:
    """Say whether there is no word's edge between the characters before and at ``position``."""
    if position in {0, len(plain)}:
        return False
    before, after = plain[position - 1], plain[position]
    joined = before.isalnum() and after.isalnum()
    return joined and not (_UNSPACED.match(before) or _UNSPACED.match(after))


def _plain(text: str) -> str:
    """Return ``text`` without the differences that copying makes: width, case, spaces, quotes, dashes."""
    # first the marks, for NFKC turns some into a space; twice NFKC, for folding case undoes it in places
    folded = unicodedata.normalize("NFKC", text.translate(_ALIKE)).casefold()
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFKC", folded))
    return " ".join(visible.split())
