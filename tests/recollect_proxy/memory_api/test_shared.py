"""One memory that several see, and what serves everybody."""

from typing import Any
from uuid import uuid4

import pytest
from tests.recollect_proxy.memory_api.serving import Api, assert_error, path_of
from tests.support.people import person

GLOBAL = "/memory/global"
ROUTER = "The router is behind the shelf."


async def announced(api: Api, content: str) -> Any:
    """Write what serves everybody."""
    response = await api.call("POST", GLOBAL, {"content": content})
    assert response.status == 201, response.body
    return response.json


async def share(api: Api, memory_id: str, users: Any, user_id: str | None = None) -> Any:
    """Share a user's memory, Anna's unless told otherwise."""
    path = f"{path_of(user_id or api.anna)}/memories/{memory_id}/share"
    return await api.call("POST", path, {"users": users})


async def test_a_shared_memory_is_seen_by_those_it_is_shared_with_and_by_no_other(api: Api) -> None:
    known = await api.write(ROUTER)

    odd, carol = person("日本/語"), person("carol")

    response = await share(api, known["id"], [api.ben, odd, api.ben, api.anna])

    assert (response.status, response.json["id"]) == (200, known["id"])
    for user_id in (api.anna, api.ben, odd):
        assert await api.contents(user_id) == [ROUTER], user_id
    assert await api.contents(carol) == []


@pytest.fixture
async def known(api: Api) -> Any:
    return await api.write("Likes tea.")


async def test_what_serves_everybody_is_written_listed_and_taken_away(own_api: Api) -> None:
    first = await announced(own_api, " The office is in Ghent. ")
    response = await own_api.call(
        "POST", GLOBAL, {"content": "Lunch is at noon.", "kind": "preference", "importance": 0.9}
    )

    assert response.status == 201
    second = response.json
    assert (second["kind"], second["importance"], second["source"]) == ("preference", 0.9, "global")
    assert first["content"] == "The office is in Ghent."
    assert (await own_api.call("GET", GLOBAL)).json == {"memories": [second, first], "next": None}
    assert await own_api.contents() == []

    assert (await own_api.call("DELETE", f"{GLOBAL}/{first['id']}")).status == 204
    assert (await own_api.call("GET", GLOBAL)).json == {"memories": [second], "next": None}


async def test_what_serves_everybody_is_not_kept_twice(own_api: Api) -> None:
    await announced(own_api, "The office is in Ghent.")

    response = await own_api.call("POST", GLOBAL, {"content": "the office  is in Ghent"})

    assert "everybody" in assert_error(response, 409, "duplicate_memory", "content")
    assert len((await own_api.call("GET", GLOBAL)).json["memories"]) == 1


async def test_a_users_memory_can_not_be_taken_away_as_everybodys(api: Api) -> None:
    known = await api.write("Likes tea.")
    await share(api, known["id"], [api.ben])

    for memory_id in (known["id"], uuid4()):
        response = await api.call("DELETE", f"{GLOBAL}/{memory_id}")
        assert "everybody" in assert_error(response, 404, "memory_not_found")
    assert_error(await api.call("DELETE", f"{GLOBAL}/it"), 400, "invalid_parameter", "memory_id")
    assert await api.contents() == ["Likes tea."]


async def test_another_users_memory_can_not_be_shared(api: Api) -> None:
    known, eve = await api.write("Likes tea."), person("eve")
    for memory_id in (known["id"], str(uuid4())):
        assert_error(await share(api, memory_id, [eve], eve), 404, "memory_not_found")
    assert await api.contents(eve) == []
