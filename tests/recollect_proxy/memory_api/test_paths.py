"""Percent-encoded path segments reach any id, and each path answers its own methods alone."""

import re
from urllib.parse import quote

import pytest
from tests.recollect_proxy.memory_api.serving import SECRET, Api, assert_error, path_of
from tests.servers.running_proxy import RunningProxy
from tests.support.stores import Store
from tests.support.tables import table

from recollect.api.endpoint_table import OPERATIONS
from recollect_proxy.memory_api.request_validation import RefusedError, parameter_named

IDS = [
    *("a/b", "a%2Fb", "a%252Fb", "日本/語", "..", ".", "../../health", "a b", "a+b", "🙂‍↔️", "?limit=1"),
    *("#top", "a;b=c&d", "\ufffd", "a\nb", "user@example.org", "ÿ", "x" * 256, "語" * 256),
    *("ü", "u\u0308"),  # not composed: another person
    *("memories", "history", "health", "docs", "users"),
]


async def test_every_id_is_a_user_of_its_own(own_api: Api) -> None:
    for number, user_id in enumerate(IDS):
        await own_api.write(f"Is number {number}.", user_id)

    for number, user_id in enumerate(IDS):
        assert await own_api.contents(user_id) == [f"Is number {number}."]


async def test_every_id_is_a_chat_of_its_own(api: Api, store: Store) -> None:
    for session_id in IDS:
        await store.log.append(store.exchange("I live in Ghent", store.anna.chat(session_id)))
    await store.log.append(store.exchange("I live in Ghent", store.ben.chat(IDS[0])))

    for number, session_id in enumerate(IDS):
        erased = await api.call("DELETE", f"{api.user}/sessions/{quote(session_id, safe='')}")
        assert (erased.status, erased.json["rows"]["messages"]) == (200, 2), session_id
        left = (await api.call("GET", f"{api.user}/sessions")).json["sessions"]
        assert set(left) == set(IDS[number + 1 :])
    assert (await api.call("GET", f"{path_of(api.ben)}/sessions")).json["sessions"] == [IDS[0]]
    for segment in ("%00", "%8F", "%20", "undefined", "*", "x" * 257):
        refused = await api.call("DELETE", f"{api.user}/sessions/{segment}")
        assert_error(refused, 400, "invalid_parameter", "session_id")


async def test_a_segment_may_be_encoded_more_or_less_than_it_must_be(own_api: Api) -> None:
    same = ((each, each) for each in ("..", ".", "a+b", "a;b=c&d", "100%"))
    for segment, user_id in (*same, ("%61da", "ada"), ("a%2fb", "a/b")):
        await own_api.engine.add(user_id, f"Is called {user_id}.")

        [memory] = (await own_api.call("GET", f"/memory/users/{segment}/memories")).json["memories"]

        assert memory["content"] == f"Is called {user_id}."


@table(
    ("name", "segments"),
    [
        ("user_id", ["%8F", "%7B%7BUSER_ID%7D%7D", "undefined", "%20", "%00", "a%00b", "a%1Fb", "%ED%A0%80"]),
        ("user_id", ["x" * 257, "%E8%AA%9E" * 257, "*", "%2A"]),
        ("memory_id", ["1", "history%20", "not-a-uuid", "%FF"]),
        ("team", ["%8F", "", "a%0Ab", "x" * 60]),
    ],
)
def test_what_can_be_no_id_is_refused(name: str, segments: list[str]) -> None:
    for segment in segments:
        with pytest.raises(RefusedError) as refused:
            parameter_named(name, segment)
        assert (refused.value.failure.code, refused.value.failure.about) == ("invalid_parameter", name)


async def test_a_path_with_an_empty_segment_or_no_meaning_is_not_found(own_api: Api) -> None:
    await own_api.engine.add("memories", "Likes tea.")
    read = ("/users//memories", "/", "", "/users", "/nothing/here", "/docs/nothing", f"/{SECRET}")
    # with its empty segment left out the first would erase "memories"
    erased = (
        "/users//memories",
        "/users/memories/",
        "/users/memories/memories/",
        "//users/memories",
        "/users/",
    )
    for method, path in [
        *(("GET", f"/memory{each}") for each in (*read, "/users/ada/../bob/memories")),
        *(("DELETE", f"/memory{each}") for each in erased),
        ("OPTIONS", "/memory/nothing"),
    ]:
        response = await own_api.call(method, path)

        assert "/memory/docs" in assert_error(response, 404, "not_found")
    assert len((await own_api.engine.page("memories", limit=10)).memories) == 1


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


async def test_trace_is_a_method_that_no_path_knows(proxy: RunningProxy) -> None:
    response = await proxy.fetch(b"TRACE", b"/memory/health", [(b"X-Secret", b"told")])

    assert (response.status, response.json["error"]["code"]) == (405, "method_not_allowed")
    assert b"told" not in response.body
