"""The page *My memories* as one document, in a person's language; it runs in a frame of Open WebUI's page. Pure."""

import json
from functools import cache
from html import escape
from importlib.resources import files

from recollect_openwebui.languages import words_in

_OF_PAGE = ("page.", "kind.")
_OF_NOTICES = ("remembered", "replaced", "forgot")


@cache
def my_memories_page(language: str) -> str:
    """Return the page in a language of ``LANGUAGES``.

    The caller replaces ``NONCE`` by a nonce, and ``THEME`` by ``light`` or ``dark``.
    """
    folder, words = files("recollect_openwebui.page"), words_in(language)
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
