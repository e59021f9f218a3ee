"""One memory that several see, and what serves everybody."""

from typing import Any
from uuid import uuid4

import pytest
from tests.recollect_proxy.memory_api.serving import SECRET, Api, assert_error, engine_over, serve

from recollect.testing import BrokenEmbedder, InMemoryStore

MEMORIES = "/memory/users/ada/memories"
GLOBAL = "/memory/global"


async def written(api: Api, content: str, path: str = MEMORIES) -> Any:
    response = await api.call("POST", path, {"content": content})
    assert response.status == 201, response.body
    return response.json


async def contents(api: Api, user: str) -> list[str]:
    page = await api.call("GET", f"/memory/users/{user}/memories")
    return [each["content"] for each in page.json["memories"]]


async def share(api: Api, memory_id: str, users: Any, user: str = "ada") -> Any:
    return await api.call("POST", f"/memory/users/{user}/memories/{memory_id}/share", {"users": users})


async def test_a_shared_memory_is_seen_by_those_it_is_shared_with_and_by_no_other(api: Api) -> None:
    known = await written(api, "The router is behind the shelf.")

    response = await share(api, known["id"], ["bob", "日本/語", "bob", "ada"])

    assert (response.status, response.json["id"]) == (200, known["id"])
    for user in ("ada", "bob", "%E6%97%A5%E6%9C%AC%2F%E8%AA%9E"):
        assert await contents(api, user) == ["The router is behind the shelf."], user
    assert await contents(api, "carol") == []


async def test_who_lets_go_of_a_shared_memory_takes_it_from_nobody_else(api: Api) -> None:
    known = await written(api, "The router is behind the shelf.")
    await share(api, known["id"], ["bob"])

    assert (await api.call("DELETE", f"{MEMORIES}/{known['id']}")).status == 204

    assert await contents(api, "ada") == []
    assert await contents(api, "bob") == ["The router is behind the shelf."]


async def test_a_shared_memory_can_not_be_corrected_in_place(api: Api) -> None:
    known = await written(api, "The router is behind the shelf.")
    await share(api, known["id"], ["bob"])

    response = await api.call("PATCH", f"{MEMORIES}/{known['id']}", {"content": "It is gone."})

    assert_error(response, 404, "memory_not_found")
    assert await contents(api, "bob") == ["The router is behind the shelf."]


async def test_who_has_its_content_already_keeps_that(api: Api) -> None:
    theirs = await written(api, "The router is behind the shelf.", "/memory/users/bob/memories")
    known = await written(api, "The router is behind the shelf.")

    await share(api, known["id"], ["bob"])

    [found] = (await api.call("GET", "/memory/users/bob/memories")).json["memories"]
    assert found["id"] == theirs["id"]


async def test_another_users_memory_can_not_be_shared(api: Api) -> None:
    known = await written(api, "Likes tea.")
    for memory_id in (known["id"], str(uuid4())):
        assert_error(await share(api, memory_id, ["eve"], user="eve"), 404, "memory_not_found")
    assert await contents(api, "eve") == []


@pytest.mark.parametrize(
    "users",
    [
        None,
        "bob",
        [],
        [1],
        [None],
        [""],
        ["*"],
        [f"{SECRET}\0"],
        ["x" * 257],
        [f"user-{number}" for number in range(101)],
        ["bob", "*"],
    ],
)
async def test_who_can_be_nobody_is_refused(api_in_memory: Api, users: Any) -> None:
    known = await written(api_in_memory, "Likes tea.")

    message = assert_error(await share(api_in_memory, known["id"], users), 422, "invalid_field", "users")

    assert "1 to 100 user ids" in message
    assert await contents(api_in_memory, "bob") == []


async def test_a_hundred_users_are_not_too_many(api_in_memory: Api) -> None:
    known = await written(api_in_memory, "Likes tea.")

    assert (
        await share(api_in_memory, known["id"], [f"user-{number}" for number in range(100)])
    ).status == 200
    assert await contents(api_in_memory, "user-99") == ["Likes tea."]


async def test_nobody_named_is_no_sharing(api_in_memory: Api) -> None:
    known = await written(api_in_memory, "Likes tea.")
    path = f"{MEMORIES}/{known['id']}/share"

    assert_error(await api_in_memory.call("POST", path, {}), 422, "invalid_field", "users")
    assert_error(await api_in_memory.call("POST", path), 400, "invalid_json")


async def test_what_serves_everybody_is_written_listed_and_taken_away(api: Api) -> None:
    first = await written(api, " The office is in Ghent. ", GLOBAL)
    response = await api.call(
        "POST", GLOBAL, {"content": "Lunch is at noon.", "kind": "preference", "importance": 0.9}
    )

    assert response.status == 201
    second = response.json
    assert (second["kind"], second["importance"], second["source"]) == ("preference", 0.9, "global")
    assert first["content"] == "The office is in Ghent."
    assert (await api.call("GET", GLOBAL)).json == {"memories": [second, first]}
    assert await contents(api, "ada") == []

    assert (await api.call("DELETE", f"{GLOBAL}/{first['id']}")).status == 204
    assert (await api.call("GET", GLOBAL)).json == {"memories": [second]}


async def test_what_serves_everybody_is_not_kept_twice(api: Api) -> None:
    await written(api, "The office is in Ghent.", GLOBAL)

    response = await api.call("POST", GLOBAL, {"content": "the office  is in Ghent"})

    assert "everybody" in assert_error(response, 409, "duplicate_memory", "content")
    assert len((await api.call("GET", GLOBAL)).json["memories"]) == 1


async def test_a_users_memory_can_not_be_taken_away_as_everybodys(api: Api) -> None:
    known = await written(api, "Likes tea.")
    await share(api, known["id"], ["bob"])

    for memory_id in (known["id"], uuid4()):
        response = await api.call("DELETE", f"{GLOBAL}/{memory_id}")
        assert "everybody" in assert_error(response, 404, "memory_not_found")
    assert_error(await api.call("DELETE", f"{GLOBAL}/it"), 400, "invalid_parameter", "memory_id")
    assert await contents(api, "ada") == ["Likes tea."]


async def test_what_serves_everybody_can_not_be_reached_by_a_users_path(api: Api) -> None:
    known = await written(api, "The office is in Ghent.", GLOBAL)

    assert (await api.call("GET", f"{MEMORIES}/{known['id']}")).status == 404
    assert (await api.call("DELETE", f"{MEMORIES}/{known['id']}")).status == 404


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "content"),
        ({"content": " "}, "content"),
        ({"content": "x", "importance": 2}, "importance"),
        ({"content": "x", "kind": SECRET}, "kind"),
        ({"content": "x", "event_at": None}, "event_at"),
    ],
)
async def test_a_memory_for_everybody_that_is_not_what_it_must_be_is_refused(
    api_in_memory: Api, body: Any, field: str
) -> None:
    assert_error(await api_in_memory.call("POST", GLOBAL, body), 422, "invalid_field", field)


async def test_without_the_embedder_it_is_written_for_everybody_all_the_same() -> None:
    async with serve(engine_over(InMemoryStore(), BrokenEmbedder())) as api:
        response = await api.call("POST", GLOBAL, {"content": "Lunch is at noon."})

        assert response.status == 201
        assert [each["content"] for each in (await api.call("GET", GLOBAL)).json["memories"]] == [
            "Lunch is at noon."
        ]
