"""Reads from a message's words what sort of statement it makes. Pure. Never: a score, the store.

English words only: in other languages the shares are 0, and a ranking goes by its other signals.
"""

import re
from dataclasses import dataclass

_READ_CHARACTERS = 20_000
_READ_WORDS = 400
_OPENING_WORDS = 80
_QUESTION_CHARACTERS = 4_000

_FIRST_PERSON = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself|we|our|us|we're|we've)\b", re.IGNORECASE
)
_TASTE = re.compile(
    r"\b(?:prefer\w*|like[sd]?|love[sd]?|hate[sd]?|dislike\w*|enjoy\w*|avoid\w*|favou?rite\w*|allerg\w*|aversion"
    r"|can't stand|cannot stand|fan of|fond of|rather|always|never|don't want|do not want|averse|adhere"
    r"|uncomfortable|strongly|only (?:use|buy|eat|watch|read|wear))\b",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"\b(?:recommend\w*|suggest\w*|advice|advise|ideas?|tips?|options?|best|must-\w+|should i"
    r"|what (?:are|is) some|how (?:should|can|do|would) (?:i|you)|help me)\b",
    re.IGNORECASE,
)
_LIST_ITEM = re.compile(r"^[ \t]*(?:[-*\u2022]|\d{1,9}\.)\s", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Statement:
    """What a message's words show of it.

    Attributes:
        self_share: First-person words as a share of the first 400 words, 0 to 1.
        states_taste: Whether its first 80 words speak of liking, avoiding, always or never.
        ends_asking: Whether it ends with a question mark.
        lists: Whether a line of it is an item of a list.
        words: How many words it has, spaces parting them.
    """

    self_share: float
    states_taste: bool
    ends_asking: bool
    lists: bool
    words: int


def read_statement(text: str) -> Statement:
    """Return what the words of ``text`` show of it; of a long one, its first 20,000 characters do."""
    whole = text.split()
    words = text[:_READ_CHARACTERS].split()[:_READ_WORDS]
    first_person = len(_FIRST_PERSON.findall(" ".join(words).replace("\u2019", "'")))
    opening = " ".join(words[:_OPENING_WORDS]).replace("\u2019", "'")
    return Statement(
        self_share=min(1.0, first_person / max(1, len(words))),
        states_taste=_TASTE.search(opening) is not None,
        ends_asking=text.rstrip().endswith("?"),
        lists=_LIST_ITEM.search(text[:_READ_CHARACTERS]) is not None,
        words=len(whole),
    )


def seeks_advice(question: str) -> bool:
    """Return whether ``question`` asks for a recommendation, for which the user's tastes count."""
    return _ADVICE.search(question[:_QUESTION_CHARACTERS]) is not None
