"""Makes a user's own tokens: for the API, and the link that opens their page. Never: keeps one."""

from datetime import datetime
from typing import Annotated, Any, TypeAlias

from litestar import Request, post
from litestar.di import NamedDependency
from litestar.params import SkipValidation
from msgspec import Meta, Struct

from recollect.engine.live import LiveEngine
from recollect_proxy.access import Audience, PersonTokens
from recollect_proxy.memory_api.authorization import WhoAsks, note_read
from recollect_proxy.memory_api.errors import FORBIDDEN, RefusedError, documented
from recollect_proxy.memory_api.parameters import ALWAYS, UserId, user_named

PAGE_ENTRY = "/memory/ui/enter"
"""Where a page's link leads: it sets the cookie of the page's session."""

Tokens: TypeAlias = NamedDependency[SkipValidation[PersonTokens]]
Live: TypeAlias = NamedDependency[SkipValidation[LiveEngine]]
PublicUrl: TypeAlias = NamedDependency[SkipValidation[str | None]]


class OwnToken(Struct):
    """A token of a user's own."""

    token: Annotated[
        str, Meta(description="Sent as `Authorization: Bearer TOKEN`. It opens what is this user's.")
    ]
    expires_at: Annotated[datetime, Meta(tz=True)]


class PageLink(Struct):
    """A link to a user's own page."""

    url: Annotated[
        str, Meta(description="Opens the page for this user alone. Whoever has it may: hand it to them.")
    ]
    expires_at: Annotated[datetime, Meta(tz=True, description="Until when it opens the page.")]


@post(
    "/users/{user_id:str}/tokens",
    summary="Make a token of a user's own",
    response_description="The token, which is kept nowhere.",
    tags=["Tokens"],
    responses=documented(*ALWAYS),
)
async def make_token(
    request: Request[Any, Any, Any], user_id: UserId, live: Live, principal: WhoAsks, person_tokens: Tokens
) -> OwnToken:
    """It ends within an hour. A token of one's own makes no further ones."""
    if principal.user_id is not None:
        raise RefusedError(FORBIDDEN)  # else a token that leaked would never end
    user = user_named(user_id)
    await note_read(live, principal, user, request.route_handler)  # whatever is read with it
    return OwnToken(*person_tokens.make(user, Audience.API))


@post(
    "/users/{user_id:str}/page-links",
    summary="Make a link to a user's own page",
    response_description="The link.",
    tags=["Tokens"],
    responses=documented(*ALWAYS),
)
async def make_page_link(
    request: Request[Any, Any, Any],
    user_id: UserId,
    live: Live,
    principal: WhoAsks,
    person_tokens: Tokens,
    public_url: PublicUrl,
) -> PageLink:
    """It opens the page once, within five minutes; the page then stays open for an hour."""
    user = user_named(user_id)
    await note_read(live, principal, user, request.route_handler)  # whatever is read on it
    token, expires_at = person_tokens.make(user, Audience.PAGE_LINK)
    base = public_url or f"{request.url.scheme}://{request.headers.get('host', 'localhost')}"
    return PageLink(f"{base}{PAGE_ENTRY}?ticket={token}", expires_at)
