"""The Memory API's OpenAPI 3.1 document, and the two paths that serve it. Never: an engine, a token."""

from typing import Any

import msgspec
from litestar import Router, get
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, OpenAPI, SecurityScheme
from litestar.response import Response

from recollect import __version__
from recollect.model import State
from recollect_proxy.access import Permission
from recollect_proxy.memory_api.authorization import asking_for
from recollect_proxy.memory_api.errors import anchor_of, every_failure
from recollect_proxy.memory_api.examples import EXAMPLES
from recollect_proxy.memory_api.page import render

_DESCRIPTION = """\
What Recollect remembers of a user: read it, correct it, undo what was changed, share it, take it away, erase it. And \
what can be changed while Recollect runs, and how it does.

Everything but `/memory/health` and this documentation needs a token, as `Authorization: Bearer TOKEN`. \
A token in the query string is not accepted. There are four kinds: the *admin token* and admin keys open everything; \
a *reader key* reads everything and changes nothing; an *acting key* belongs to an integration, which does for a user, \
named in each path, what that user may do; a *token of one's own* (made by `POST .../tokens`, a signed header of \
OpenWebUI's, an API key, a provider's token) opens what is that user's. What a token does not allow is a 403. \
When an administrator reads what is a user's, that is kept, and the user sees it (`.../admin-reads`).

A user id is one path segment, percent-encoded: `a/b` is `a%2Fb`, and a literal `a%2Fb` is `a%252Fb`. Take a \
client that leaves the path as you wrote it: for ids like `..`, many normalise it. No segment may be empty, so \
a path does not end in a slash.

`/api/sessions/{session_id}/memories` and what is below it are the same as below `/memory/users/{user_id}`: the user is whom \
the token belongs to, or whom the header `X-Recollect-User` names, percent-encoded.

Times are RFC 3339. Every error is `application/problem+json` (RFC 9457): `type`, `title`, `status` and `detail`. Beside them \
stands `error`: `code` names it for a program, `message` for a person, and `field` says which field or parameter is wrong, or \
is null. A query parameter that an endpoint does not know is refused with 400. Besides those at each path there are 404 `not_found` \
for a path where nothing is, 405 `method_not_allowed`, and 400 `bad_request` for what can't be read at all. A 405 says in `Allow` what the path knows, a 503 \
says in `Retry-After` when to come again; so does the 429 that answers an eleventh wrong token of an address within a minute.
"""
_SCHEME = SecurityScheme(
    type="http", scheme="bearer", description="The admin token, an access key, or a token of the user's own."
)
_PAGE_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
}


def describe() -> OpenAPIConfig:
    """Return what Litestar is to write into the document besides the endpoints."""
    return OpenAPIConfig(
        title="Recollect Memory API",
        version=__version__,
        description=_DESCRIPTION,
        components=Components(security_schemes={"bearer": _SCHEME}),
        use_handler_docstrings=True,
        operation_id_creator=lambda endpoint, *_: endpoint.handler_name,
        path="/not-served",  # Litestar wants to serve it itself; only paths under /memory get that far
        render_plugins=[JsonRenderPlugin()],
    )


def write_document(openapi: OpenAPI) -> dict[str, Any]:
    """Return the document as plain JSON values.

    The schemas are msgspec's own, which reads the bodies by them: Litestar's lose bounds that are 0,
    lengths, descriptions, and that unknown fields are refused.
    """
    document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(openapi.to_schema()))
    _, schemas = msgspec.json.schema_components(
        [*(type(example) for example in EXAMPLES), State], ref_template="#/components/schemas/{name}"
    )
    for example in EXAMPLES:
        schemas[type(example).__name__]["examples"] = [msgspec.to_builtins(example)]
    for change in ("MemoryChange", "CommonFlagsChange", "FlagsChange", "ProfileEntryChange"):
        schemas[change]["minProperties"] = 1
    schemas["BulkChange"]["minProperties"] = 3  # what is done, to which, and what is different
    _without_null(document)
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    return document


def _without_null(document: dict[str, Any]) -> None:
    """Let no header be null, which it can't: where it may be missing, Litestar says so, too."""
    for item in document["paths"].values():
        for operation in item.values():
            for parameter in operation.get("parameters", ()):
                schema = parameter["schema"]
                if parameter["in"] == "header" and {"type": "null"} in schema.get("oneOf", ()):
                    del schema["oneOf"]
                    schema["type"] = "string"


def documentation(openapi: OpenAPI) -> Router:
    """Return the paths that serve the document, as JSON and as a page for people."""
    document = write_document(openapi)
    as_json = msgspec.json.format(msgspec.json.encode(document))
    errors = [
        (anchor_of(one.code), one.code, one.status, one.meaning or one.message) for one in every_failure()
    ]
    as_page = render(document, errors).encode()

    @get("/openapi.json", include_in_schema=False)
    async def openapi_json() -> Response[bytes]:
        return Response(as_json, media_type="application/json")

    @get("/", include_in_schema=False)
    async def page() -> Response[bytes]:
        return Response(as_page, media_type="text/html", headers=_PAGE_HEADERS)

    return Router("/memory/docs", route_handlers=[openapi_json, page], **asking_for(Permission.PUBLIC))
