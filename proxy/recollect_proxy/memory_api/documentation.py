"""The Memory API's OpenAPI 3.1 document, and the two paths that serve it. Never: an engine, a token."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
from litestar import Router, get
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, OpenAPI, SecurityScheme
from litestar.response import Response

from recollect import __version__
from recollect.model import Action, Actor, Kind, Reason, Source
from recollect_proxy.memory_api import shapes
from recollect_proxy.memory_api.errors import MEMORY_NOT_FOUND
from recollect_proxy.memory_api.health import Health
from recollect_proxy.memory_api.page import render
from recollect_proxy.memory_api.stories import Story, ToldCandidate

_DESCRIPTION = """\
What Recollect remembers of a user: read it, correct it, take it away, erase it.

Everything but `/memory/health` and this documentation needs the admin token, as `Authorization: Bearer TOKEN`. \
A token in the query string is not accepted.

A user id is one path segment, percent-encoded: `a/b` is `a%2Fb`, and a literal `a%2Fb` is `a%252Fb`. Take a \
client that leaves the path as you wrote it: for ids like `..`, many normalise it. No segment may be empty, so \
a path does not end in a slash.

Times are RFC 3339. Every error has the same body; `code` names it for a program, `message` for a person, and \
`field` says which field or parameter is wrong, or is null. Besides those at each path there are 404 `not_found` \
for a path where nothing is, 405 `method_not_allowed`, and 400 `bad_request` for what can't be read at all. A 405 says in `Allow` what the path knows, a 503 \
says in `Retry-After` when to come again.
"""
_SCHEME = SecurityScheme(
    type="http", scheme="bearer", description="The admin token that Recollect was started with."
)
_SAID = datetime(2026, 3, 15, 9, 30, tzinfo=UTC)
_PAGE_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
}

_MEMORY = shapes.Memory(
    id=UUID("01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10"),
    kind=Kind.FACT,
    source=Source.EXTRACTED,
    content="Is allergic to peanuts.",
    importance=0.9,
    confidence=0.95,
    created_at=_SAID,
    observed_at=_SAID,
    event_at=None,
    last_recalled_at=_SAID,
    recall_count=3,
    reinforcement_count=1,
    provenance=shapes.Provenance(
        session_id="chat-1",
        message_ids=[UUID("01980f6e-4b1c-7a07-8f0d-5d6a1f8c9e21")],
        evidence="I'm allergic to peanuts",
    ),
)
_UPDATE = shapes.Update(
    id=UUID("01980f70-0d3e-7c55-b1a5-3a9be1b9d0f4"),
    at=_SAID,
    action=Action.EDIT,
    actor=Actor.ADMIN,
    reason=Reason.EDITED,
    memory_id=_MEMORY.id,
    replaced_id=None,
    before="Is allergic to nuts.",
    after=_MEMORY.content,
)
_STORY = Story(
    request_id=_MEMORY.id,
    user_id="7d9c1f52-2f1b-4c6e-9a53-0a8a3c1b7a11",
    session_id="chat-1",
    at=_SAID,
    path="completions/stable",
    model="gpt-4o",
    skipped=None,
    degraded=[],
    error_stage=None,
    flags=["user-wide"],
    gate_score=0.93,
    found={"candidates": 1, "by_meaning": 1, "by_words": 1, "from_the_log": 0},
    items=1,
    truncated=0,
    tokens=142,
    history_tokens=0,
    milliseconds=21.4,
    stages={"embedding": 12.1, "lexical": 4.2, "search": 6.8},
    query={"terms": 2, "identifiers": 0, "asks_for_before": False},
    candidates=[ToldCandidate(_MEMORY.id, "fact", "extracted", None, 0.81, {"dense": 0.49, "lexical": 0.2})],
)
_FORMATION = shapes.Formation(pending=2, failed=0, formed=128, fallbacks=1, oldest_pending_at=_SAID)
_EXAMPLES = (
    shapes.NewMemory(_MEMORY.content, kind=Kind.FACT, importance=0.9),
    shapes.MemoryChange(content="Is allergic to peanuts, not to other nuts."),
    _MEMORY,
    shapes.MemoryPage([_MEMORY], next=None),
    _UPDATE,
    shapes.History([_UPDATE]),
    shapes.Erasure(
        UUID("01980f71-9f6a-7b1e-a3c4-7e0d2c5b8a66"),
        _SAID,
        {"messages": 256, "users_vectors": 31, "vectors": 31},
    ),
    shapes.Retried(1),
    _STORY,
    Health("ok", "ok", _FORMATION, {"nothing-relevant": 12, "task": 3}),
    MEMORY_NOT_FOUND.body,
)


def describe() -> OpenAPIConfig:
    """Return what Litestar is to write into the document besides the endpoints."""
    return OpenAPIConfig(
        title="Recollect Memory API",
        version=__version__,
        description=_DESCRIPTION,
        components=Components(security_schemes={"admin_token": _SCHEME}),
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
        [type(example) for example in _EXAMPLES], ref_template="#/components/schemas/{name}"
    )
    for example in _EXAMPLES:
        schemas[type(example).__name__]["examples"] = [msgspec.to_builtins(example)]
    schemas["MemoryChange"]["minProperties"] = 1
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    return document


def documentation(openapi: OpenAPI) -> Router:
    """Return the paths that serve the document, as JSON and as a page for people."""
    document = write_document(openapi)
    as_json = msgspec.json.format(msgspec.json.encode(document))
    as_page = render(document).encode()

    @get("/openapi.json", include_in_schema=False)
    async def openapi_json() -> Response[bytes]:
        return Response(as_json, media_type="application/json")

    @get("/", include_in_schema=False)
    async def page() -> Response[bytes]:
        return Response(as_page, media_type="text/html", headers=_PAGE_HEADERS)

    return Router("/memory/docs", route_handlers=[openapi_json, page])
