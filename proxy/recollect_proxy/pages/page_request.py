"""A request to a page: the visitor, the user whose memory it shows, the language, and the check of forms."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, timedelta
from typing import Any, TypeAlias
from urllib.parse import unquote, urlencode, urlsplit
from uuid import UUID

from litestar import MediaType, Request, Response
from litestar.di import NamedDependency
from litestar.params import SkipValidation

from recollect.engine import Engine
from recollect.engine.live.live_engine import LiveEngine
from recollect.model import TEAM, WRITING, Actor, Changer, TeamRole, project_name, project_scope, team_of
from recollect_proxy.access.authentication import Authentication
from recollect_proxy.access.page_sessions import PageSession
from recollect_proxy.access.principal import Principal, TokenKind
from recollect_proxy.pages.failures import (
    BAD_INPUT,
    FOREIGN_FORM,
    NO_USER,
    NOT_ENTERED,
    NOT_FOUND,
    READ_ONLY,
    PageError,
)
from recollect_proxy.pages.rendering import (
    BASE,
    Catalogue,
    Shown,
    Templates,
    chosen_language,
    load_catalogues,
)

COOKIE = "recollect_page"
LANGUAGE_COOKIE = "recollect_language"
PROJECT_COOKIE = "recollect_project"
FORM_TOKEN = "form_token"  # noqa: S105 -- a field's name

Asked: TypeAlias = Request[Any, Any, Any]
_LISTED = ("words", "kind", "chat", "tag")
"""The fields of a search of memories, which a form of the list carries along."""
_MOST_COUNTED = 9999
_SEARCH = timedelta(minutes=10)
"""A search asks at each pause of the typing: so long it is noted as one read, with the page that it is on."""
_CHECKED = frozenset({"same-origin", "none"})


@dataclass(frozen=True, slots=True)
class PageParts:
    """The parts that all pages share.

    Attributes:
        live: The engine; it may not be open.
        authentication: Knows tokens and sessions.
        public_url: The address at which browsers reach the proxy; None: the request's own.
        chat_link: The address of a chat in the frontend, with ``{chat}`` in place of its id; None: it is unknown.
        meaning_seconds: How long a search of memories waits for those that are close in meaning.
        templates: Renders.
        catalogues: The words, by language.
    """

    live: LiveEngine
    authentication: Authentication
    public_url: str | None = None
    chat_link: str | None = None
    meaning_seconds: float = 0.5
    templates: Templates = field(default_factory=Templates)
    catalogues: Mapping[str, Catalogue] = field(default_factory=load_catalogues)

    def shown(self, request: Asked, session: PageSession | None) -> Shown:
        """Return the values of every page."""
        language = chosen_language(
            request.cookies.get(LANGUAGE_COOKIE), request.headers.get("accept-language", "")
        )
        zone = UTC if self.live.engine is None else self.live.engine.policy.zone
        return Shown(
            replace(self.catalogues[language], zone=zone),
            session,
            "" if session is None else self.authentication.page_sessions.form_token(session),
            request.url.path.removeprefix(BASE),
            may_change=session is not None and session.principal.kind is not TokenKind.READER,
            provider=self.authentication.provider,
            chat_link=self.chat_link,
        )

    def session(self, request: Asked) -> PageSession | None:
        """Return the session whose cookie a request carries; None: it has no valid one.

        A person's session does not count if the request proves that another person uses the browser now.
        """
        session = self.authentication.page_sessions.session(request.cookies.get(COOKIE, ""))
        if session is None or not self.authentication.still_knows(session.principal, peer_of(request)):
            return None
        proven = self.proven(request) if session.principal.kind is TokenKind.PERSON else None
        return session if proven is None or proven.user_id == session.user_id else None

    def proven(self, request: Asked) -> Principal | None:
        """Return the person whom a token in a request proves, as a gateway in front of the pages sends it; None for none.

        A key for one project proves no person here: pages show a person's whole memory.
        """
        found = self.authentication.principal(list(request.scope["headers"]), peer_of(request))
        is_person = found is not None and found.kind is TokenKind.PERSON and not found.project
        return found if is_person else None

    def is_secure(self, request: Asked) -> bool:
        """Whether browsers reach us by https."""
        return (self.public_url or request.url.scheme).startswith("https")

    def require_own_site(self, request: Asked) -> None:
        """Let only forms of our own pages through, as browsers tell it (Fetch Metadata; RFC 6454).

        Raises:
            PageError: Another site sent it.
        """
        site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
        if site is not None and site not in _CHECKED:
            raise PageError(FOREIGN_FORM)
        if origin is not None and not self._is_own(origin, request.headers.get("host", "")):
            raise PageError(FOREIGN_FORM)

    def _is_own(self, origin: str, host: str) -> bool:
        given = urlsplit(origin)
        own = {host.lower()} | ({urlsplit(self.public_url).netloc.lower()} if self.public_url else set())
        return given.scheme in {"http", "https"} and given.netloc.lower() in own


@dataclass(frozen=True, slots=True)
class Visit:
    """A request of someone who has entered.

    Attributes:
        request: The request.
        parts: The parts that all pages share.
        session: The visitor's session.
        shown: The values of every page.
    """

    request: Asked
    parts: PageParts
    session: PageSession
    shown: Shown

    @property
    def engine(self) -> Engine:
        """The engine; raises StoreUnavailableError while it is not open."""
        return self.parts.live.opened

    @property
    def user_id(self) -> str:
        """The user whose memory it shows, or the id of a project of theirs.

        Raises:
            PageError: An administrator has opened no one's yet.
        """
        return project_scope(self.person, self.project)

    @property
    def project(self) -> str:
        """The project whose memory it shows; "" for the person's own."""
        return self.shown.project

    @property
    def person(self) -> str:
        """The person whose memory it shows: from the session's cookie, and from nowhere else.

        Raises:
            PageError: An administrator has opened no one's yet.
        """
        if self.session.user_id is None:
            raise PageError(NO_USER)
        return self.session.user_id

    @property
    def actor(self) -> Actor:
        """The author of a change, for the audit."""
        return self.session.principal.actor

    @property
    def changer(self) -> Changer:
        """The author of a change of settings, as the person is shown it."""
        return self.session.principal.changer

    @property
    def is_piece(self) -> bool:
        """Whether a part of the page is asked for, by its script, and not the whole."""
        return self.request.headers.get("hx-request") == "true"

    def page(self, name: str, **values: Any) -> Response[str]:
        """Return a page; it confirms the change in its address unless ``values`` have another ``done``."""
        html = self.parts.templates.render(name, self.shown, **{"done": _done(self), **values})
        return Response(html, status_code=200, media_type=MediaType.HTML)

    def back(self, path: str, **query: str) -> Response[str]:
        """Lead to a page (303, RFC 9110 section 15.4.4)."""
        return redirect(f"{BASE}{path}", **query)


@dataclass(frozen=True, slots=True)
class SentForm:
    """A form from a visitor who may send it.

    Attributes:
        visit: The visitor who sent it.
        form: Its fields.
        picked: The ids of the memories that are ticked.
    """

    visit: Visit
    form: Mapping[str, str]
    picked: tuple[str, ...] = ()

    def answer(
        self, done: str, back: str, *, undo: UUID | None = None, count: int | None = None, **piece: Any
    ) -> Response[str]:
        """Confirm the change: in place of the row if the page's script asks, else on the page ``back``.

        A list is shown as it was searched. With a ``count`` it is a change of several memories, undone together.
        """
        if self.visit.is_piece:
            return self.visit.page("piece.html", done=done, undo=undo, **{"memory_id": None, **piece})
        query = {name: self.form[name] for name in _LISTED if self.form.get(name) and back == ""}
        told = {"undo": undo, "count": count}
        query |= {name: str(value) for name, value in told.items() if value is not None}
        return self.visit.back(back, **query, done=done)


async def chats_of(visit: Visit, chats: Iterable[str | None]) -> dict[str, str]:
    """Return the first words of some chats by their ids; of one whose messages are gone, nothing."""
    named = {each for each in chats if each is not None}
    return await visit.engine.first_words(visit.user_id, named) if named else {}


InVisit: TypeAlias = NamedDependency[SkipValidation[Visit]]
Reading: TypeAlias = NamedDependency[SkipValidation[Visit]]
Transaction: TypeAlias = NamedDependency[SkipValidation[SentForm]]
Parts: TypeAlias = NamedDependency[SkipValidation[PageParts]]


def visit_of(request: Asked, parts: Parts) -> Visit:
    """Return the visit of someone who has entered, or raise PageError."""
    session = parts.session(request)
    if session is None:
        raise PageError(NOT_ENTERED)
    return Visit(request, parts, session, parts.shown(request, session))


def require_administrator(visit: Visit) -> None:
    """Let administrators and readers through; of others there is no such page.

    Raises:
        PageError: It is someone else.
    """
    if not visit.session.principal.is_administrator:
        raise PageError(NOT_FOUND)


async def provide_reading(request: Asked, parts: Parts) -> Visit:
    """Return a visit that sees a user's memory. An administrator's look is noted first, for the user to see.

    Raises:
        PageError: No one has entered, or an administrator has opened no one's memory.
        StoreError: It can't be kept that an administrator looks.
    """
    visit = visit_of(request, parts)
    user_id, principal = visit.user_id, visit.session.principal
    if principal.is_administrator:
        operation = f"page: {request.route_handler.handler_name.removeprefix('show_')}"
        await visit.engine.note_admin_read(
            user_id,
            reader=principal.name,
            operation=operation,
            once_in=_SEARCH if visit.is_piece else None,
        )
    own, policy, known, teams = await asyncio.gather(
        visit.engine.flags(user_id),
        visit.engine.policy_of(user_id),
        visit.engine.projects(user_id, measured=False),
        visit.engine.teams(user_id),
    )
    ids = {each.id for each in teams}
    left = [each for each in known if (of := team_of(project_scope(user_id, each.name))) and of not in ids]
    projects = [each for each in known if each not in left]
    words = replace(visit.shown.words, zone=policy.zone)
    chosen = unquote(request.cookies.get(PROJECT_COOKIE, ""))
    project = chosen if any(each.name == chosen for each in projects) else ""
    shown = replace(visit.shown, words=words, name=own.told_name, project=project, projects=projects)
    team = next((each for each in teams if project == f"{TEAM}{each.id}"), None)
    if team is not None and (member := team.member(user_id)) is not None:
        owns = principal.is_administrator or member.role is TeamRole.OWNER
        may_change = shown.may_change and member.role in WRITING
        shown = replace(shown, team=team, owns_team=owns and shown.may_change, may_change=may_change)
    return replace(visit, shown=shown)


async def provide_change(request: Asked, parts: Parts) -> SentForm:
    """Return a form, once it is known that its sender may, and meant to.

    Raises:
        PageError: No one has entered; another site, or another session's page, sent it; or its sender only reads.
    """
    parts.require_own_site(request)
    visit = visit_of(request, parts)
    form, given = await fields_of(request), await request.form()
    if not parts.authentication.page_sessions.is_form_token(visit.session, form.get(FORM_TOKEN, "")):
        raise PageError(FOREIGN_FORM)
    if not visit.shown.may_change and not request.route_handler.opt.get("reads", False):
        raise PageError(READ_ONLY)
    if (given_project := form.get("project", "")) and project_name(given_project) != given_project:
        raise PageError(BAD_INPUT)
    visit = replace(visit, shown=replace(visit.shown, project=given_project))
    return SentForm(visit, form, tuple(each for each in given.getall("picked", []) if isinstance(each, str)))


async def fields_of(request: Asked) -> dict[str, str]:
    """Return the fields of a form; of one given twice the last."""
    form = await request.form()
    return {name: value for name, value in form.multi_items() if isinstance(value, str)}


def peer_of(request: Asked) -> str | None:
    """Return the address that a request came from; None if it is unknown."""
    return request.client.host if request.client else None


def redirect(path: str, **query: str) -> Response[str]:
    """Lead a browser to a page of ours by GET."""
    target = f"{path}?{urlencode(query)}" if query else path
    return Response("", status_code=303, headers={"location": target}, media_type=MediaType.HTML)


def _done(visit: Visit) -> dict[str, Any] | None:
    """Return the change that a page confirms, from the address: its words' name, its undo's id, the number of memories; None: none."""
    query = visit.request.query_params
    done, undo, count = (query.get(name, "") for name in ("done", "undo", "count"))
    if f"done.{done}" not in visit.shown.words.words:
        return None
    return {
        "name": done,
        "undo": undo if visit.shown.may_change and _is_id(undo) else None,
        "count": min(int(count[:9]), _MOST_COUNTED) if count.isascii() and count.isdecimal() else None,
    }


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
