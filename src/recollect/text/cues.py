"""Recognizes what kind of recall a message asks for, and what sort of statement it makes. Pure.

Each cue looks for phrases in a dozen languages, in the first 2,000 characters. Other words are missed, and nothing is ever
raised. The features of statements are English only: in other languages a ranking relies on its other signals.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from recollect.model import Statement
from recollect.text import read_table
from recollect.text.patterns import bounded

_LENGTH = 2_000
"""The characters that are read: a pasted book must not cost a chat its deadline."""
_WORD = bounded(r"\w+")
_UNPARTED = bounded("[\u3040-\u318f\u3400-\u9fff\uac00-\ud7af]")
"""Kana, Han and Hangul letters: words are not parted, or have endings joined to them."""
_KEPT = 8


class CueText:
    """The beginning of a text, in small letters, and its words.

    Attributes:
        original: The beginning as it is written.
        folded: The same in one width and in small letters.
    """

    def __init__(self, beginning: str) -> None:
        self.original = beginning
        self.folded = unicodedata.normalize("NFKC", beginning)[:_LENGTH].lower()

    @cached_property
    def words(self) -> list[str]:
        """The words in order; marks and spaces are dropped."""
        return _WORD.findall(self.folded)

    @cached_property
    def distinct(self) -> frozenset[str]:
        """The words, each once."""
        return frozenset(self.words)

    @cached_property
    def line(self) -> str:
        """The words with one space before and after each."""
        return f" {' '.join(self.words)} "

    @cached_property
    def unparted(self) -> int:
        """How many letters there are of scripts that do not part words."""
        return len(_UNPARTED.findall(self.folded))


def cue_text(text: str) -> CueText:
    """Return a text's beginning, prepared for phrase lists."""
    return _wording_of(text[:_LENGTH])


@lru_cache(maxsize=_KEPT)  # the cues of a message are asked for one after the other
def _wording_of(beginning: str) -> CueText:
    return CueText(beginning)


@dataclass(frozen=True)
class PhraseList:
    """Words and phrases of several languages.

    Attributes:
        single: Words that stand alone between spaces.
        phrases: Several words in a row, with a space at both ends.
        unspaced: Pieces of text of languages that do not part their words, or join endings to them.
    """

    single: frozenset[str]
    phrases: tuple[str, ...]
    unspaced: tuple[str, ...] = ()

    @cached_property
    def by_first_word(self) -> Mapping[str, tuple[str, ...]]:
        """The phrases that begin with each word, the longest first."""
        phrases: dict[str, list[str]] = {}
        for phrase in self.phrases:
            phrases.setdefault(phrase.split()[0], []).append(phrase)
        return {first: tuple(those) for first, those in phrases.items()}

    @classmethod
    def parse(cls, spaced: str, unspaced: str = "") -> "PhraseList":
        """Return the list of entries between commas or line ends, in small letters."""
        entries = [" ".join(_WORD.findall(entry)) for entry in spaced.replace("\n", ",").split(",")]
        return cls(
            single=frozenset(entry for entry in entries if entry and " " not in entry),
            phrases=_longest_first(f" {entry} " for entry in entries if " " in entry),
            unspaced=_longest_first(unspaced.split()),
        )

    def is_in(self, wording: CueText) -> bool:
        """Return whether the text holds any of the phrases."""
        return (
            not self.single.isdisjoint(wording.distinct)
            or any(
                phrase in wording.line
                for first in self.by_first_word.keys() & wording.distinct
                for phrase in self.by_first_word[first]
            )
            or (wording.unparted > 0 and any(piece in wording.folded for piece in self.unspaced))
        )

    def is_all_of(self, wording: CueText, besides: frozenset[str] = frozenset()) -> bool:
        """Return whether the text holds nothing but phrases of this list and the words ``besides``."""
        return besides.issuperset(self._left(wording))

    def _left(self, wording: CueText) -> list[str]:
        """Return the words of the text that belong to no phrase of the list."""
        line = wording.line
        firsts = self.by_first_word.keys() & wording.distinct
        for phrase in _longest_first(phrase for first in firsts for phrase in self.by_first_word[first]):
            line = line.replace(phrase, "  ")
        words = [word for word in line.split() if word not in self.single]
        if not wording.unparted:
            return words
        joined = " ".join(words)
        for piece in self.unspaced:
            joined = joined.replace(piece, "")
        return joined.split()


@cache
def phrase_list(name: str) -> PhraseList:
    """Return a list of ``cues.json`` by its name."""
    table = read_table("recollect.text", "cues")[name]
    return PhraseList.parse("\n".join(table["spaced"]), " ".join(table.get("unspaced", ())))


def _longest_first(entries: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(entries), key=lambda entry: (-len(entry), entry)))


def complains_of_forgetting(text: str) -> bool:
    """Return whether the words complain that the assistant forgot something."""
    return phrase_list("forgot").is_in(cue_text(text))


def is_about_oneself(text: str) -> bool:
    """Return whether users speak of themselves, or of a group that includes them."""
    return phrase_list("oneself").is_in(cue_text(text))


def is_small_talk(text: str) -> bool:
    """Return whether the text holds nothing but greetings, thanks, farewells, emoji and the like."""
    asked = cue_text(text)
    if not asked.words:
        return any(unicodedata.category(letter) == "So" for letter in asked.original)
    return phrase_list("small_talk").is_in(asked) and phrase_list("small_talk").is_all_of(
        asked, besides=phrase_list("small_talk_besides").single
    )


_READ_CHARACTERS = 20_000
_READ_WORDS = 400
_OPENING_WORDS = 80
_QUESTION_CHARACTERS = 4_000

SUBSTANCE = 30
"""The words of an answer from which on it counts as evidence for later questions. In BEAM and RealMem 2 of 362 answers that hold
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
_SPOKEN_WORD = bounded(r"[\w']+")
_UNSPACED = bounded("[\u0e00-\u0e7f\u3040-\u318f\u3400-\u9fff]")
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
    spoken = [word.strip("'") for word in _SPOKEN_WORD.findall(plain)]
    opening = " ".join(words[:_OPENING_WORDS]).lower().replace("\u2019", "'")
    return Statement(
        self_share=min(1.0, sum(word in _FIRST_PERSON for word in spoken) / max(1, len(words))),
        states_taste=_states_taste(opening),
        lists=_LIST_ITEM.search(text[:_READ_CHARACTERS]) is not None,
        words=len(whole),
    )


def count_words(text: str) -> int:
    """Return the approximate number of words; in scripts without spaces, two letters count as one."""
    spoken = _SPOKEN_WORD.findall(text[:_READ_CHARACTERS])
    unparted = 0 if text.isascii() else sum(len(_UNSPACED.findall(word)) for word in spoken)
    return len(spoken) + unparted // 2


def _states_taste(opening: str) -> bool:
    words = (word.strip("'") for word in _SPOKEN_WORD.findall(opening))
    return (
        any(word in _TASTE_WORDS or word.startswith(_TASTE_STEMS) for word in words)
        or _TASTE_PHRASE.search(opening) is not None
    )


def seeks_advice(question: str) -> bool:
    """Return whether ``question`` asks for a recommendation, for which the user's tastes count."""
    return _ADVICE.search(question[:_QUESTION_CHARACTERS]) is not None
