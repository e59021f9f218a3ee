"""Sessions of pages by a link, a key or an OpenID provider, their end, and the choice of language. It keeps neither keys nor tokens."""

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import structlog
from litestar import MediaType, Response, get, post
from litestar.datastructures import Cookie
from litestar.params import FromQuery

from recollect.model import KeptAnswer
from recollect_proxy.access.failed_attempts import TooManyAttemptsError, source_of
from recollect_proxy.access.page_sessions import SESSION_LIFETIME, PageSession
from recollect_proxy.access.person_tokens import Audience
from recollect_proxy.access.principal import SIGN_IN_LIFETIME, Principal, Refusal, SignInError, TokenKind
from recollect_proxy.pages.failures import BAD_KEY, BAD_TICKET, NOT_FOUND, TOO_OFTEN, PageError
from recollect_proxy.pages.page_request import (
    COOKIE,
    LANGUAGE_COOKIE,
    Asked,
    PageParts,
    Parts,
    Transaction,
    fields_of,
    peer_of,
    redirect,
)
from recollect_proxy.pages.rendering import BASE, LANGUAGES

if TYPE_CHECKING:
    from recollect_proxy.access.oidc_sign_in import ProviderSignIn

_YEAR = timedelta(days=365)


@get("/enter")
async def enter_by_link(
    request: Asked, parts: Parts, ticket: FromQuery[str | None] = None, left: FromQuery[str | None] = None
) -> Response[str]:
    """Begin a person's session by the ticket of a link, and lead on, so that the ticket leaves the address.

    Without a ticket it begins by the person's own proof, if the request has one: a token that the frontend or an OpenID
    provider signed, as a gateway in front of the pages sends it. Not after a sign-out (``left``): an administrator types a key.
    """
    if ticket is None:
        if left is None and (proven := parts.proven(request)) is not None:
            return entered(request, parts, proven)
        shown = parts.shown(request, parts.session(request))
        html = parts.templates.render("enter.html", shown, left=left)
        return Response(html, media_type=MediaType.HTML)
    found = parts.authentication.person_tokens.read(ticket, Audience.PAGE_LINK)
    if found is None:
        raise PageError(BAD_TICKET)
    user_id, ticket_id = found
    if not await _is_first(parts, user_id, ticket_id):
        session = parts.session(request)
        if session is None or session.principal.user_id != user_id:
            raise PageError(BAD_TICKET)
        return redirect(BASE)  # the same browser once more, as when a page is loaded again
    principal = Principal(TokenKind.PERSON, "own-page", user_id)
    return entered(request, parts, principal)


@post("/enter")
async def enter_by_key(request: Asked, parts: Parts) -> Response[str]:
    """Begin an administrator's session by the admin token, or the key of an administrator or reader.

    A key that can't be guessed is let in however many others failed: behind a gateway all come from one address. One
    that can (an admin token of the operator's own, which only a loopback address takes) waits like those who guess it.
    """
    parts.require_own_site(request)
    session, peer = parts.session(request), peer_of(request)
    source = source_of(None if session is None else session.principal.user_id, peer)
    key = (await fields_of(request)).get("key", "").strip()
    principal = parts.authentication.administrator(key, peer)
    try:
        parts.authentication.count_attempt(principal, key.encode("utf-8", "replace"), source)
    except TooManyAttemptsError:
        raise PageError(TOO_OFTEN) from None
    if principal is None:
        raise PageError(BAD_KEY)
    return entered(request, parts, principal)


@post("/sign-out", opt={"reads": True})
async def sign_out(change: Transaction) -> Response[str]:
    """End the session in this browser."""
    by_provider = change.visit.session.principal.is_by_provider
    response = redirect(f"{BASE}/enter", left="provider" if by_provider else "yes")
    end_session(response, change.visit.request, change.visit.parts)
    return response


@post("/language")
async def choose_language(request: Asked, parts: Parts) -> Response[str]:
    """Keep which language is wanted, and lead back. It is no one's secret, and is asked before anybody entered, too."""
    parts.require_own_site(request)
    fields = await fields_of(request)
    response = redirect_back(fields)
    if (language := fields.get("language", "")) in LANGUAGES:
        response.set_cookie(cookie_of(parts, request, LANGUAGE_COOKIE, language, _YEAR))
    return response


def set_session(response: Response[Any], request: Asked, parts: PageParts, session: PageSession) -> None:
    """Have an answer begin a session, in place of the one before.

    The cookie is Lax: a link in a chat's page leads here from another site, and a Strict one would not come along.
    """
    value = parts.authentication.page_sessions.cookie(session)
    response.set_cookie(cookie_of(parts, request, COOKIE, value, SESSION_LIFETIME))


def end_session(response: Response[Any], request: Asked, parts: PageParts) -> None:
    """Have an answer remove the session's cookie."""
    response.set_cookie(cookie_of(parts, request, COOKIE, "", timedelta()))


async def _is_first(parts: PageParts, user_id: str, ticket_id: str) -> bool:
    """Take a ticket, and return whether no one had: what an address bar, a log or a history keeps of it opens nothing."""
    engine, key = parts.live.opened, f"page-link {ticket_id}"  # a client's own key has no space
    taken = await engine.reserve_answer(user_id, key, b"")
    if isinstance(taken, KeptAnswer):
        return False
    await engine.keep_answer(user_id, key, b"", None, at=taken)
    return True


def entered(request: Asked, parts: PageParts, principal: Principal) -> Response[str]:
    """Begin a session, and lead to the first page of whom it is for."""
    response = redirect(f"{BASE}/users" if principal.is_administrator else BASE)
    set_session(response, request, parts, parts.authentication.page_sessions.new(principal))
    return response


def redirect_back(fields: Mapping[str, str]) -> Response[str]:
    """Lead back to the page that a form names as its own; if it names none to the first."""
    back = fields.get("back", "")
    return redirect(f"{BASE}{back}" if back.startswith("/") and back[1:].isalpha() else BASE)


def cookie_of(parts: PageParts, request: Asked, name: str, value: str, lasts: timedelta) -> Cookie:
    """Return a cookie of the pages."""
    return Cookie(
        name,
        value=value,
        path=BASE,
        max_age=int(lasts.total_seconds()),
        secure=parts.is_secure(request),
        httponly=True,
        samesite="lax",
    )


_COOKIE = "recollect_sign_in"
_EXPECTED = frozenset({Refusal.CANCELLED, Refusal.OVER, Refusal.NO_ADMINISTRATOR})

log = structlog.get_logger(__name__)


@get("/oidc/sign-in")
async def lead_to_provider(request: Asked, parts: Parts, role: FromQuery[str | None] = None) -> Response[str]:
    """Lead a browser to the provider's page, with a cookie that knows it again."""
    try:
        cookie, url = await _provider(parts).begin(administrator=role == "administrator")
    except SignInError as error:
        _log_failure(error)
        raise
    response = redirect(url)
    response.set_cookie(cookie_of(parts, request, _COOKIE, cookie, SIGN_IN_LIFETIME))
    return response


@get("/oidc/callback")
async def enter_by_provider(request: Asked, parts: Parts) -> Response[str]:
    """Begin the session of a person, or an administrator, whom the provider led back.

    Failures count as wrong keys do. A person who signs in rightly gets in however many others failed.
    """
    provider = _provider(parts)
    try:
        principal = await provider.finish(request.cookies.get(_COOKIE, ""), dict(request.query_params))
    except SignInError as error:
        _log_failure(error)
        if error.refusal is not Refusal.AWAY:
            _count_failure(request, parts)
        raise
    response = entered(request, parts, principal)
    response.set_cookie(cookie_of(parts, request, _COOKIE, "", timedelta()))
    return response


@get("/oidc/sign-out")
async def leave_provider(parts: Parts) -> Response[str]:
    """Lead a browser to the page on which the provider ends its own session; back to ours if it has none, or is away."""
    try:
        url = await _provider(parts).leaves_at()
    except SignInError as error:
        _log_failure(error)
        raise
    return redirect(url or f"{BASE}/enter")


def _provider(parts: PageParts) -> "ProviderSignIn":
    if parts.authentication.provider is None:
        raise PageError(NOT_FOUND)
    return parts.authentication.provider


def _count_failure(request: Asked, parts: PageParts) -> None:
    try:
        parts.authentication.count_attempt(None, b"", source_of(None, peer_of(request)))
    except TooManyAttemptsError:
        raise PageError(TOO_OFTEN) from None


def _log_failure(error: SignInError) -> None:
    say = log.info if error.refusal in _EXPECTED else log.warning
    say("sign_in_failed", refusal=error.refusal.value, reason=error.reason)
