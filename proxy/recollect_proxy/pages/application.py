"""Puts the pages together: routes, headers, errors."""

from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any, cast

import structlog
from litestar import Litestar, MediaType, Request, Response, Router, get
from litestar.di import Provide
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from recollect.errors import raised_at
from recollect_proxy.pages import (
    analytics,
    changes_chats_and_data,
    memory_list,
    playground,
    recalls,
    settings_and_profile,
    sign_in,
    single_memory,
    users,
)
from recollect_proxy.pages.failures import (
    BROKEN,
    NO_USER,
    NOT_ENTERED,
    NOT_FOUND,
    TOO_OFTEN,
    PageError,
    failure_of,
)
from recollect_proxy.pages.page_request import PageParts, provide_change, provide_reading, redirect, visit_of
from recollect_proxy.pages.rendering import BASE
from recollect_proxy.web.asgi import Application, ClientLeftError, Event, Receive, Scope, Send, leaving
from recollect_proxy.web.request_limits import LARGEST_FORM

_STATIC = {
    "style.css": "text/css",
    "htmx.js": "text/javascript",
    "menus.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
_HEADERS = [
    (
        b"content-security-policy",
        (
            b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
            b"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ),
    ),
    (b"cache-control", b"no-store"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    (b"referrer-policy", b"same-origin"),  # `no-referrer` would have forms come from the origin "null"
    (b"vary", b"cookie, accept-language, hx-request"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"x-robots-tag", b"noindex"),
]
_TOLD = {"hx-retarget": "#told", "hx-reswap": "innerHTML", "hx-reselect": ".notice"}
"""Where a script shows a failure, whatever part of an answer it would have shown where."""
_STATIC_LASTS = (b"cache-control", b"public, max-age=3600")

_PAGES = (
    users,
    analytics,
    playground,
    sign_in,
    single_memory,
    memory_list,
    changes_chats_and_data,
    recalls,
    settings_and_profile,
)
"""The modules whose handlers are the pages."""

log = structlog.get_logger(__name__)


def pages(parts: PageParts) -> Application:
    """Return the pages as an ASGI application for paths under `/memory/ui`."""
    application = Litestar(
        [Router(BASE, route_handlers=[*_routes(), read_static])],
        debug=False,
        dependencies={
            "parts": Provide(lambda: parts, sync_to_thread=False),
            "entered": Provide(visit_of, sync_to_thread=False),
            "visit": Provide(provide_reading),
            "change": Provide(provide_change),
        },
        exception_handlers={Exception: _telling(parts)},
        logging_config=None,
        openapi_config=None,
        request_max_body_size=LARGEST_FORM,
    )
    return _guarded(application)


def _routes() -> Iterator[HTTPRouteHandler]:
    return (each for module in _PAGES for each in vars(module).values() if isinstance(each, HTTPRouteHandler))


@get("/static/{name:str}")
async def read_static(name: FromPath[str]) -> Response[bytes]:
    """Return a static file of the pages."""
    if name not in _STATIC:
        raise PageError(NOT_FOUND)
    content = files("recollect_proxy.pages").joinpath("static", name).read_bytes()
    return Response(content, media_type=_STATIC[name])


def _telling(parts: PageParts) -> Callable[[Request[Any, Any, Any], Exception], Response[str]]:
    """Return what answers an error with a page that says what to do."""

    def tell(request: Request[Any, Any, Any], error: Exception) -> Response[str]:
        if isinstance(error, ClientLeftError):
            raise error
        failure = failure_of(error)
        if failure is BROKEN:
            log.error("page_failed", error=type(error).__name__, raised_at=raised_at(error))
        if failure is NO_USER:
            return redirect(f"{BASE}/users")
        is_piece = request.headers.get("hx-request") == "true"
        if is_piece and failure is NOT_ENTERED:
            return Response(
                "", status_code=failure.status, headers={"hx-refresh": "true"}, media_type=MediaType.HTML
            )
        shown = parts.shown(request, parts.session(request))
        name = "failure_piece.html" if is_piece else "failure.html"
        html = parts.templates.render(name, shown, failure=failure)
        headers = _TOLD if is_piece else {}
        if failure is TOO_OFTEN:
            headers = {**headers, "retry-after": "60"}
        return Response(html, status_code=failure.status, headers=headers, media_type=MediaType.HTML)

    return tell


def _guarded(application: Litestar) -> Application:
    """Return ``application`` with the headers that keep a page from being framed, cached, or fed scripts."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        receive_or_leave, answering = leaving(receive, send)
        is_static = scope["raw_path"].startswith(f"{BASE}/static/".encode())

        async def send_guarded(event: Event) -> None:
            if event["type"] == "http.response.start":
                added = [
                    (name, value) for name, value in _HEADERS if not is_static or name != b"cache-control"
                ]
                if is_static:
                    added.append(_STATIC_LASTS)
                event = {**event, "headers": [*event["headers"], *added]}
            await answering(event)

        # Memory is named by fields and never by the path, so the path decoded once says all.
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        await cast(Application, application)(
            {**scope, "method": method, "root_path": ""}, receive_or_leave, send_guarded
        )

    return answer
