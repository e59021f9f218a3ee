"""The methods of each path, and the contents that document and API accept."""

import re
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has none
import msgspec
from tests.servers.running_proxy import RunningProxy
from tests.support.tables import table

from recollect.api.memories import NewMemory
from recollect.api.operations import OPERATIONS
from recollect_proxy.memory_api.errors import RefusedError
from recollect_proxy.memory_api.reading import read_body

TOKENLESS: list[tuple[bytes, bytes]] = []


async def test_options_names_every_method_of_a_path(proxy: RunningProxy) -> None:
    methods: dict[str, set[str]] = {}
    for each in OPERATIONS:
        methods.setdefault(each.path, {"OPTIONS"}).add(each.method)

    for path, known in methods.items():
        response = await proxy.fetch(b"OPTIONS", re.sub(r"\{\w+\}", "1", path).encode(), TOKENLESS)

        assert (response.status, response.body) == (204, b""), path
        assert set((response.header(b"allow") or b"").decode().split(", ")) == known, path
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
