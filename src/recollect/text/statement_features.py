"""Features of a message that show what sort of statement it makes. Pure.

English only: in other languages the shares are 0, and a ranking relies on its other signals.
"""

import re

from recollect.model import Statement
from recollect.text.patterns import bounded

_READ_CHARACTERS = 20_000
_READ_WORDS = 400
_OPENING_WORDS = 80
_QUESTION_CHARACTERS = 4_000

SUBSTANCE = 30
"""Words of an answer from which on it may hold what is asked for later. In BEAM and RealMem 2 of 362 answers that hold
evidence are shorter; in people's daily chats four of five are: "Noted!", "I do not know that about you yet"."""

_SELF = "i i'm i've i'd i'll me my mine myself we we're we've we'd we'll our us i's me's my's we's"
_FIRST_PERSON = frozenset(_SELF.split())
_LIKING = (
    "like likes liked love loves loved hate hates hated avoid avoids avoided "
    "avoiding aversion rather always never averse adhere uncomfortable strongly"
)
_TASTE_WORDS = frozenset(_LIKING.split())
_TASTE_STEMS = ("prefer", "dislike", "enjoy", "avoid", "favorite", "favourite", "allerg")
_TASTE_PHRASE = bounded(
    r"\b(?:can't stand|cannot stand|fan of|fond of|don't want|do not want|only (?:use|buy|eat|watch|read|wear))\b"
)
_WORD = bounded(r"[\w']+")
_UNPARTED = bounded("[\u0e00-\u0e7f\u3040-\u318f\u3400-\u9fff]")
"""Thai letters, kana and Han: words are not parted."""
_ADVICE = bounded(
    r"\b(?:recommend\w*|suggest\w*|advice|advise|ideas?|tips?|options?|best|must-\w+|should i"
    r"|what (?:are|is) some|how (?:should|can|do|would) (?:i|you)|help me)\b",
    re.IGNORECASE,
)
_LIST_ITEM = bounded(r"^[ \t]*(?:[-*\u2022]|\d{1,9}\.)\s", re.MULTILINE)


def statement_features(text: str) -> Statement:
    """Return the features of ``text``; of a long one, those of its first 20,000 characters."""
    whole = text.split()
    words = text[:_READ_CHARACTERS].split()[:_READ_WORDS]
    plain = " ".join(words).lower().replace("\u2019", "'")
    spoken = [word.strip("'") for word in _WORD.findall(plain)]
    opening = " ".join(words[:_OPENING_WORDS]).lower().replace("\u2019", "'")
    return Statement(
        self_share=min(1.0, sum(word in _FIRST_PERSON for word in spoken) / max(1, len(words))),
        states_taste=_states_taste(opening),
        ends_asking=text.rstrip().endswith("?"),
        lists=_LIST_ITEM.search(text[:_READ_CHARACTERS]) is not None,
        words=len(whole),
    )


def count_words(text: str) -> int:
    """Return the approximate number of words; in scripts without spaces, two letters count as one."""
    spoken = _WORD.findall(text[:_READ_CHARACTERS])
    unparted = sum(len(_UNPARTED.findall(word)) for word in spoken if not word.isascii())
    return len(spoken) + unparted // 2


def _states_taste(opening: str) -> bool:
    words = (word.strip("'") for word in _WORD.findall(opening))
    return (
        any(word in _TASTE_WORDS or word.startswith(_TASTE_STEMS) for word in words)
        or _TASTE_PHRASE.search(opening) is not None
    )


def seeks_advice(question: str) -> bool:
    """Return whether ``question`` asks for a recommendation, for which the user's tastes count."""
    return _ADVICE.search(question[:_QUESTION_CHARACTERS]) is not None
