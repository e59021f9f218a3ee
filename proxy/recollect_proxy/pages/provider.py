"""The sign-in at an OpenID provider: there, back, and out again. Never: a token; a word of the provider's on a page."""

from datetime import timedelta

import structlog
from litestar import Response, get
from litestar.params import FromQuery

from recollect_proxy.access import (
    SIGN_IN_LIFETIME,
    Refusal,
    SignIn,
    SignInError,
    TooManyAttemptsError,
    source_of,
)
from recollect_proxy.pages.entry import cookie_of, entered
from recollect_proxy.pages.failures import NOT_FOUND, TOO_OFTEN, PageError
from recollect_proxy.pages.rendering import BASE
from recollect_proxy.pages.visit import Asked, PageParts, Parts, peer_of, redirect

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


def _provider(parts: PageParts) -> SignIn:
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
