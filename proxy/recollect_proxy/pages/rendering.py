"""Renders templates with the words of a language: JSON files with the same keys. Everything that is not a template's own text is escaped.

It knows neither the engine nor requests.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined

from recollect.model import UNNAMED, Project, Team
from recollect_proxy.access.page_sessions import PageSession
from recollect_proxy.settings.shown_urls import CHAT

if TYPE_CHECKING:
    from recollect_proxy.access.oidc_sign_in import ProviderSignIn

LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español", "zh": "中文"}
"""Each by its code (BCP 47), under its own name."""

_DEFAULT = "en"
_UNIT = 1024
_MINUTE = 60
_MOST_ASKED = 20
"""Languages of a header that are read: browsers send fewer than ten."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The words of the pages in one language.

    Attributes:
        language: Its code.
        words: By their keys.
        zone: The time zone of the times that it shows.
    """

    language: str
    words: Mapping[str, str]
    zone: tzinfo = UTC

    def __call__(self, key: str, **values: Any) -> str:
        """Return what ``key`` stands for, plain text, with ``values`` in their places."""
        return self.words[key].format(**values)

    def named(self, group: str, name: str) -> str:
        """Return the words for a name of the engine's, such as a kind; the name itself if it has none."""
        return self.words.get(f"{group}.{name}", name.replace("_", " "))

    def number(self, value: float, digits: int = 0) -> str:
        """Return a number as it is written in this language, with so many digits behind its point."""
        written = f"{value:,.{digits}f}"
        return written.translate(
            {ord(","): self.words["format.thousands"], ord("."): self.words["format.point"]}
        )

    def percent(self, share: float) -> str:
        """Return a share, 0 to 1, in percent."""
        return self("format.percent", number=self.number(share * 100))

    def size(self, count: int) -> str:
        """Return a number of bytes in the unit that suits it (IEC 80000-13)."""
        value, units = float(count), ["B", "KiB", "MiB", "GiB", "TiB"]
        while value >= _UNIT and len(units) > 1:
            value, units = value / _UNIT, units[1:]
        return f"{self.number(value, 1 if units[0] != 'B' else 0)} {units[0]}"

    def duration(self, seconds: float) -> str:
        """Return how long something takes, in the unit that suits it."""
        if seconds < 1:
            return f"{self.number(seconds * 1000)} ms"
        if seconds < _MINUTE:
            return f"{self.number(seconds, 1)} s"
        return f"{self.number(seconds / _MINUTE)} min"

    def day(self, at: date) -> str:
        """Return a date as it is written in this language; of a moment, the day that it was in the zone."""
        shown = at.astimezone(self.zone) if isinstance(at, datetime) else at
        return shown.strftime(self.words["format.day"])

    def clock(self, at: datetime) -> str:
        """Return a time of day in the zone."""
        return at.astimezone(self.zone).strftime("%H:%M")

    def minute(self, at: datetime) -> str:
        """Return a date and time as they are written in this language, in the zone."""
        return at.astimezone(self.zone).strftime(self.words["format.minute"])


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
        chosen: The language that the person chose; None: none yet.
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


BASE = "/memory/ui"


@dataclass(frozen=True, slots=True)
class Shown:
    """The values that every page shows.

    Attributes:
        words: The words in the visitor's language.
        session: The visitor's session; None: without one.
        form_token: The token in its forms.
        path: The page's path below ``BASE``, to return to after a change of language.
        may_change: Whether the visitor may change the memory.
        provider: The sign-in at an OpenID provider; None: there is none.
        chat_link: The address of a chat in the frontend, with ``{chat}`` in place of its id; None: it is unknown.
        name: The name of the user whose memory is shown; None: none is known, or no memory is shown.
        project: The project whose memory is shown; "": the user's own.
        projects: The user's projects, and the teams that they are in.
        team: The team whose memory is shown; None for none.
        owns_team: Whether the visitor says who is in it.
    """

    words: Catalogue
    session: PageSession | None
    form_token: str
    path: str
    may_change: bool
    provider: "ProviderSignIn | None" = None
    chat_link: str | None = None
    name: str | None = None
    project: str = ""
    projects: Sequence[Project] = ()
    team: Team | None = None
    owns_team: bool = False

    @property
    def chosen(self) -> Project | None:
        """The project whose memory is shown; None: the user's own."""
        return next((each for each in self.projects if each.name == self.project), None)

    def chat_page(self, chat: str) -> str | None:
        """Return the frontend's page of a chat; None if it is unknown, or the frontend named none of its chats."""
        if self.chat_link is None or chat.startswith(UNNAMED) or not chat.strip("."):
            return None
        return self.chat_link.replace(CHAT, quote(chat, safe=""))


class Templates:
    """Renders the templates of this package, which are compiled when it is made: that takes longer than the event loop has."""

    def __init__(self) -> None:
        self._environment = Environment(
            loader=PackageLoader("recollect_proxy.pages"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        for name in self._environment.list_templates():
            self._environment.get_template(name)

    def render(self, name: str, shown: Shown, **values: Any) -> str:
        """Return the HTML of a template."""
        return self._environment.get_template(name).render(
            t=shown.words, shown=shown, base=BASE, languages=LANGUAGES, **values
        )
