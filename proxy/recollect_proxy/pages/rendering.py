"""Renders templates. Everything that is not a template's own text is escaped. Never: an engine, a request."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined

from recollect.model import UNNAMED, Project, Team
from recollect_proxy.access import PageSession, SignIn
from recollect_proxy.pages.catalogues import LANGUAGES, Catalogue
from recollect_proxy.settings.urls import CHAT

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
    provider: SignIn | None = None
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
