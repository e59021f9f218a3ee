# ruff: noqa: RUF001 - words of many scripts, some of whose letters look alike
"""Whether something is so, or only wished, tried, learned, allowed, due or past: what the modal verbs of a statement say. Pure.

Never: what it is that is wished.
"""

from functools import lru_cache

from recollect.formation.difference.oppositions import polarity
from recollect.formation.word_lists.modes import (
    ABLE,
    ALLOWED,
    DUE,
    LEARNED,
    NEEDED,
    OVER,
    PAST,
    STUDIED,
    TASTES,
    TRIED,
    WISHED,
)
from recollect.formation.wording import wording
from recollect.lexical.folding import fold
from recollect.patterns import anchored, bounded
from recollect.supersets import sieved

_KEPT = 4_096
_MODES = {
    "wished": (WISHED, TASTES),
    "tried": (TRIED, WISHED),
    "learned": (LEARNED, STUDIED),
    "allowed": (ALLOWED, ABLE),
    "due": (DUE, NEEDED),
    "past": (PAST, OVER),
}
"""The words of each mode, and those by which another statement may well say the same without them."""
_PATTERNS = {
    mode: tuple(sieved(rf"\b(?:{spaced})\b|{unspaced}") for spaced, unspaced in pair)
    for mode, pair in _MODES.items()
}
_SYNONYMOUS = (
    *_PATTERNS["wished"],
    bounded(
        "names?|called|named|vorname|namens|heisst|prenom|nom|appelle|nombre|llama|nome|chiama|heet|naam|зовут|имя|名字|名前|叫"
    ),
    bounded("受不了|讨厌|討厭|反感|不喜欢|不喜歡|嫌い|苦手|大嫌い"),
)
"""Wishes, tastes, what somebody is called, and what they can't bear."""
_UNLESS_DENIED = frozenset(["allowed", "due", "tried"])
"""Who can't bear something, must not eat it or tries to avoid it says the same as who does not eat it."""
_IMPERFECT = anchored(
    r"(?P<stem>[^\W\d_]{2,}?)(?P<ending>ed|te|ten|tet|de|den|ait|ais|aient|aba|aban|ia|ian|ava|avano|eva|evano|iva|ivano|avam|iam"
    r"|л|ла|ли|лся|лась|лись)$"
)
_PRESENT = anchored(
    r"(?P<stem>[^\W\d_]{2,}?)(?P<ending>|e?s|e?t|e|en|ent|es|a|an|ano|ono|em|am|ет|ит|ют|ют|ят|ат|ется|ится|ает|яет)$"
)
_PARTICIPLE = anchored(r"ge(?P<stem>[^\W\d_]{3,}?)(?:e?t|en)$")
_LEAST_STEM = 3
_MOST_WORDS = 60
_SINCE = bounded(r"\b(?:since|seit|depuis|desde|hace|dal|da|sinds|с|уже)\b")
_JAPANESE_PAST = bounded("[てで](?:い)?(?:た|ました)(?:こと|$|。)")
_JAPANESE_PRESENT = bounded("[てで](?:い)?(?:る|ます)(?:$|。)")


def modes_unknown(new: str, known: str) -> frozenset[str]:
    """Return the modes in which one statement says what another says plainly, or in another mode.

    Args:
        new: The statement whose modes are returned.
        known: The other.
    """
    here, there = modes(new), modes(known)
    said = fold(wording(known).text)
    found = {mode for mode in here - there if not _PATTERNS[mode][1].search(said)}
    of_new, of_known = polarity(new), polarity(known)
    if of_new.denies != of_known.denies or of_new.is_averse != of_known.is_averse:
        found -= _UNLESS_DENIED
    elif of_new.denies:
        found.discard("allowed")  # who can't swim does not swim
    if "past" not in here and _is_past_of(new, known):
        found.add("past")
    return frozenset(found)


@lru_cache(_KEPT)
def modes(text: str) -> frozenset[str]:
    """Return the modes that a statement's own words name."""
    said = fold(wording(text).text)
    return frozenset(mode for mode, (words, _) in _PATTERNS.items() if words.search(said))


def wishes_or_likes(one: str, other: str) -> bool:
    """Tell whether two words, in folded case, both tell of a wish, both of a taste, or both of a name."""
    return any(pattern.fullmatch(one) and pattern.fullmatch(other) for pattern in _SYNONYMOUS)


def _is_past_of(new: str, known: str) -> bool:
    """Tell whether a verb of one text stands in the past, which stands in the present in the other."""
    if _JAPANESE_PAST.search(new) and _JAPANESE_PRESENT.search(known):
        return True
    here, there = wording(new), wording(known)
    if _SINCE.search(here.plain):
        return False
    words, others = here.words[:_MOST_WORDS], there.words[:_MOST_WORDS]
    verbs = [word.plain for word in others if word.stems and not word.is_unspaced]
    past = [
        match["stem"]
        for word in words
        if word.stems
        and not word.is_unspaced
        and word.plain not in verbs
        and (match := _IMPERFECT.match(word.plain) or _PARTICIPLE.match(word.plain))
    ]
    present = {match["stem"] for verb in verbs if (match := _PRESENT.match(verb))}
    return any(_is_one_verb(stem, other) for stem in past for other in present)


def _is_one_verb(stem: str, other: str) -> bool:
    return stem == other and len(stem) >= _LEAST_STEM
