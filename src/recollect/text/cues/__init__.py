"""Recognizes what kind of recall a message asks for. Pure.

Each function looks for phrases in a dozen languages, in the first 2,000 characters. Other words are missed, and
nothing is ever raised.
"""

import unicodedata

from recollect.text.cues.phrases import cue_text, phrase_list
from recollect.text.patterns import bounded

__all__ = [
    "asks_about_code",
    "asks_for_before",
    "asks_how_it_was",
    "asks_what_assistant_said",
    "cannot_stand_alone",
    "complains_of_forgetting",
    "is_about_oneself",
    "is_small_talk",
]

_SHORT_WORDS = 8
_SHORT_LETTERS = 12
"""The longest message that continues another one: in words, and in letters of scripts without spaces."""
_CONTENT_WORDS = 2
"""The most words besides little ones with which a pronoun is all a message is about."""

# 之前 and 以前 are "before" as an adverb only after who speaks, or at a beginning.
_EAST_ASIAN_BEFORE = bounded(r"(?:^|[\s我你您们們他她咱,。、!?はがもに])(?:之前|以前)")
# Each begins with a letter of its own, so that the search leaps to those.
_CODE_TOKEN = bounded(
    r"```|`[^`\n]{1,200}`|\((?<=\w\()\)|_(?<=[A-Za-z0-9]_)[A-Za-z0-9]"
    r"|\.(?<=[\w-]\.)(?:py|js|ts|tsx|jsx|rs|go|java|cpp|hpp|sh|sql|json|ya?ml|toml|html|css|rb|php|ipynb)(?!\w)"
    r"|=>|==|!=|::|&&|\|\||\{\}|</\w"
)
_CAMEL_CASE = bounded(r"\b[a-z][a-z0-9]{1,40}[A-Z][a-z]")


def asks_for_before(text: str) -> bool:
    """Return whether the words ask about other, earlier conversations."""
    asked = cue_text(text)
    return phrase_list("before").is_in(asked) or _EAST_ASIAN_BEFORE.search(asked.folded) is not None


def asks_what_assistant_said(text: str) -> bool:
    """Return whether the words ask for a statement of the assistant's, not of the user's."""
    return phrase_list("assistant_said").is_in(cue_text(text))


def asks_how_it_was(text: str) -> bool:
    """Return whether the words ask for how something once was, which may no longer hold."""
    return phrase_list("formerly").is_in(cue_text(text))


def complains_of_forgetting(text: str) -> bool:
    """Return whether the words complain that the assistant forgot something."""
    return phrase_list("forgot").is_in(cue_text(text))


def is_about_oneself(text: str) -> bool:
    """Return whether users speak of themselves, or of a group that includes them."""
    asked = cue_text(text)
    return phrase_list("oneself").is_in(asked) or phrase_list("oneself_korean").is_in(asked)


def asks_about_code(text: str) -> bool:
    """Return whether the text is about programming: it holds such a word, or looks like code."""
    asked = cue_text(text)
    looks_like_code = _CODE_TOKEN.search(asked.original) or _CAMEL_CASE.search(asked.original)
    return looks_like_code is not None or phrase_list("code").is_in(asked)


def is_small_talk(text: str) -> bool:
    """Return whether the text holds nothing but greetings, thanks, farewells, emoji and the like."""
    asked = cue_text(text)
    if not asked.words:
        return any(unicodedata.category(letter) == "So" for letter in asked.original)
    return phrase_list("small_talk").is_in(asked) and phrase_list("small_talk").is_all_of(
        asked, besides=phrase_list("small_talk_besides").single
    )


def cannot_stand_alone(text: str) -> bool:
    """Return whether a message can't be understood without the ones before it.

    It is a bare answer or question word, or a few words after an "and", or little but a pronoun.
    """
    asked = cue_text(text)
    if not asked.words:
        return any(mark in asked.folded for mark in "?!؟")
    if len(asked.words) > _SHORT_WORDS or asked.unparted > _SHORT_LETTERS:
        return False
    if phrase_list("bare").is_all_of(asked) or phrase_list("follow_on").leads(asked):
        return True
    if asked.unparted:
        return phrase_list("pointing").is_in(asked)
    empty = phrase_list("little_words").single | phrase_list("pointing").single
    content = [word for word in asked.words if word not in empty]
    points = phrase_list("pointing").is_in(asked) or asked.words[-1] in phrase_list("pointing_last").single
    return points and len(content) <= _CONTENT_WORDS
