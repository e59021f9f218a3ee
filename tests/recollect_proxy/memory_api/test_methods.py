"""The methods that a path of the Memory API knows, and that its document says what it really takes."""

from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has none
import msgspec
from tests.running_proxy import RunningProxy
from tests.tables import table

from recollect.api.memories import NewMemory
from recollect_proxy.memory_api.errors import RefusedError
from recollect_proxy.memory_api.reading import read_body

TOKENLESS: list[tuple[bytes, bytes]] = []


@table(
    ("path", "methods"),
    [
        (b"/memory/users/someone/memories", {b"GET", b"OPTIONS", b"POST"}),
        (b"/memory/users/someone/memories/1", {b"DELETE", b"GET", b"OPTIONS", b"PATCH"}),
        (b"/memory/users/someone", {b"DELETE", b"OPTIONS"}),
        (b"/memory/users/someone/sessions", {b"GET", b"OPTIONS"}),
        (b"/memory/users/someone/sessions/1", {b"DELETE", b"OPTIONS"}),
        (b"/memory/users/someone/memories/1/share", {b"OPTIONS", b"POST"}),
        (b"/memory/users/someone/memories/history", {b"GET", b"OPTIONS"}),
        (b"/memory/users/someone/memories/history/1/undo", {b"OPTIONS", b"POST"}),
        (b"/memory/users/someone/todos", {b"GET", b"OPTIONS"}),
        (b"/memory/users/someone/quarantine", {b"GET", b"OPTIONS"}),
        (b"/memory/users/someone/quarantine/1", {b"DELETE", b"OPTIONS"}),
        (b"/memory/users/someone/quarantine/1/approve", {b"OPTIONS", b"POST"}),
        (b"/memory/users/someone/settings", {b"GET", b"OPTIONS", b"PATCH"}),
        (b"/memory/settings", {b"GET", b"OPTIONS", b"PATCH"}),
        (b"/memory/global", {b"GET", b"OPTIONS", b"POST"}),
        (b"/memory/global/1", {b"DELETE", b"OPTIONS"}),
        (b"/memory/health", {b"GET", b"OPTIONS"}),
        (b"/memory/metrics", {b"GET", b"OPTIONS"}),
    ],
)
async def test_options_names_every_method_of_a_path(
    proxy: RunningProxy, path: bytes, methods: set[bytes]
) -> None:
    response = await proxy.fetch(b"OPTIONS", path, TOKENLESS)

    assert (response.status, response.body) == (204, b"")
    assert set((response.header(b"allow") or b"").split(b", ")) == methods
    assert response.header(b"cache-control") == b"no-store"


async def test_options_of_nothing_is_not_found(proxy: RunningProxy) -> None:
    response = await proxy.fetch(b"OPTIONS", b"/memory/nothing", TOKENLESS)

    assert (response.status, response.json["error"]["code"]) == (404, "not_found")


async def test_trace_is_a_method_that_no_path_knows(proxy: RunningProxy) -> None:
    response = await proxy.fetch(b"TRACE", b"/memory/health", [(b"X-Secret", b"told")])

    assert (response.status, response.json["error"]["code"]) == (405, "method_not_allowed")
    assert b"told" not in response.body


@table(
    "content",
    [
        "tea",
        " tea ",
        "\n tea\ntime \n",
        "é",
        "\u3000t",
        "",
        " ",
        "\n\u2003",
        "te\0a",
        "\0",
        " \0",
        "\x1d",
        "\x85\x1f",
        "\x1dtea",
    ],
)
def test_the_document_takes_just_the_contents_that_the_api_takes(documentation: Any, content: str) -> None:
    components = documentation["components"]
    schema = components["schemas"]["NewMemory"] | {"components": components}
    declared = jsonschema.Draft202012Validator(schema).is_valid({"content": content})
    try:
        read_body(msgspec.json.encode({"content": content}), NewMemory)
        taken = True
    except RefusedError:
        taken = False

    assert declared == taken
    assert taken == (content.strip() != "" and "\0" not in content)
