"""Chooses a person's language among five, and holds the words of notices and the page My memories in each. Pure."""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

import msgspec

from recollect.text.word_analysis import analyze_words

LANGUAGES = ("en", "de", "fr", "es", "zh")
"""By their codes (BCP 47); the first serves everybody else."""

_NAMED = {"german": "de", "french": "fr", "spanish": "es"}
_HAN = range(0x4E00, 0x9FFF)
_READ = 2_000
"""Characters of a person's words that are read at most."""

_OF_PAGE = ("page.", "kind.")
_OF_NOTICES = ("remembered", "replaced", "forgot")


def language_of(told: Any, texts: Iterable[str] = ()) -> str:
    """Return the code of a person's language.

    Args:
        told: The language that their frontend names, such as "de-DE"; anything else counts as none.
        texts: Their own words, the newest first, then memories: they tell the language where the frontend does not.
    """
    named = told.partition("-")[0].lower() if isinstance(told, str) else ""
    if named in LANGUAGES:
        return named
    if named:
        return LANGUAGES[0]
    first, *others = *texts, ""
    if found := _NAMED.get(analyze_words(first[:_READ]).language):
        return found  # a question says it more surely than older texts
    words = " ".join((first, *others))[:_READ]
    if any(ord(each) in _HAN for each in words) and not any("\u3040" <= each <= "\u30ff" for each in words):
        return "zh"
    return _NAMED.get(analyze_words(words).language, LANGUAGES[0])


@cache
def words_in(language: str) -> Mapping[str, str]:
    """Return the words of a language of ``LANGUAGES`` by their keys."""
    read = files("recollect_openwebui").joinpath("words", f"{language}.json").read_bytes()
    return msgspec.json.decode(read, type=dict[str, str])


@cache
def my_memories_page(language: str) -> str:
    """Return the page in a language of ``LANGUAGES``.

    The caller replaces ``NONCE`` by a nonce, and ``THEME`` by ``light`` or ``dark``.
    """
    folder, words = files("recollect_openwebui").joinpath("page"), words_in(language)
    parts = {
        "LANGUAGE": language,
        "TITLE": escape(words["page.title"]),
        "STYLE": folder.joinpath("page.css").read_text("utf-8"),
        "WORDS_AS_JSON": json.dumps(
            {
                key.removeprefix("page."): text
                for key, text in words.items()
                if key.startswith(_OF_PAGE) or key in _OF_NOTICES
            }
        ),
        "SCRIPT": folder.joinpath("page.js").read_text("utf-8"),
    }
    page = folder.joinpath("page.html").read_text("utf-8")
    for place, text in parts.items():
        page = page.replace(place, text, 1)
    return page
