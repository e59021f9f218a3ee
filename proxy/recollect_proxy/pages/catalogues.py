"""The pages' words in each language: JSON files with the same keys. Never: a request's other headers, a template."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from typing import Any

import msgspec

LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español", "zh": "中文"}
"""Each by its code (BCP 47), under its own name."""

_DEFAULT = "en"
_MOST_ASKED = 20
"""Languages of a header that are read: browsers send fewer than ten."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What the pages say in one language.

    Attributes:
        language: Its code.
        words: By their keys.
    """

    language: str
    words: Mapping[str, str]

    def __call__(self, key: str, **values: Any) -> str:
        """Return what ``key`` stands for, plain text, with ``values`` in their places."""
        return self.words[key].format(**values)

    def named(self, group: str, name: str) -> str:
        """Return the words for a name of the engine's, as of a kind; the name itself where it is a new one."""
        return self.words.get(f"{group}.{name}", name.replace("_", " "))

    def day(self, at: datetime) -> str:
        """Return a date as it is written in this language, in UTC."""
        return at.strftime(self.words["format.day"])

    def minute(self, at: datetime) -> str:
        """Return a date and time as they are written in this language, in UTC."""
        return at.strftime(self.words["format.minute"])


def load_catalogues() -> dict[str, Catalogue]:
    """Return the catalogues by the codes of their languages."""
    folder = files("recollect_proxy.pages").joinpath("catalogues")
    return {
        language: Catalogue(
            language,
            msgspec.json.decode(folder.joinpath(f"{language}.json").read_bytes(), type=dict[str, str]),
        )
        for language in LANGUAGES
    }


def chosen_language(chosen: str | None, accepted: str) -> str:
    """Return the language for a request.

    Args:
        chosen: What its person chose; None: nothing yet.
        accepted: Its `Accept-Language` (RFC 9110, section 12.5.4).
    """
    if chosen in LANGUAGES:
        return chosen
    weighed = [_weighed(part) for part in accepted.split(",")[:_MOST_ASKED]]
    for _, code in sorted(weighed, key=lambda each: -each[0]):
        if code in LANGUAGES:
            return code
    return _DEFAULT


def _weighed(part: str) -> tuple[float, str]:
    """Return how much a language is wanted, 0 to 1, and its code without a region."""
    tag, _, weight = part.strip().partition(";q=")
    try:
        wanted = float(weight) if weight else 1.0
    except ValueError:
        wanted = 0.0
    code = tag.strip().lower().partition("-")[0]
    return wanted, code if wanted > 0 else ""
