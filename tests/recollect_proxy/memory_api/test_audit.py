"""Every change can be read, and undone by the id that the audit shows."""

from typing import Any
from uuid import UUID, uuid4

from tests.recollect_proxy.memory_api.serving import Api, assert_error, engine_over, serve
from tests.recollections import NOON, memory, turn
from uuid_utils.compat import uuid7

from recollect.model import Add, Exchange, Formed, Reinforce, Scope
from recollect.postgres import Postgres
from recollect.testing import BrokenEmbedder, InMemoryStore

MEMORIES = "/memory/users/ada/memories"


async def written(api: Api, content: str, user: str = "ada") -> Any:
    response = await api.call("POST", f"/memory/users/{user}/memories", {"content": content})
    assert response.status == 201, response.body
    return response.json


async def contents(api: Api) -> list[str]:
    return [each["content"] for each in (await api.call("GET", MEMORIES)).json["memories"]]


async def last(api: Api, user: str = "ada") -> Any:
    history = await api.call("GET", f"/memory/users/{user}/memories/history?limit=1")
    assert history.status == 200, history.body
    return history.json["updates"][0]


async def undone(api: Api, update: Any) -> Any:
    response = await api.call("POST", f"{MEMORIES}/history/{update['id']}/undo")
    assert response.status == 200, response.body
    return response.json


async def test_a_memory_that_was_written_goes_again(api: Api) -> None:
    known = await written(api, "Likes tea.")
    update = await last(api)

    row = await undone(api, update)

    assert (row["action"], row["reason"], row["actor"]) == ("retire", "undone", "admin")
    assert (row["undoes"], row["memory_id"]) == (update["id"], known["id"])
    assert await contents(api) == []
    assert await last(api) == row


async def test_a_memory_that_was_taken_away_is_back_as_it_was(api: Api) -> None:
    known = await written(api, "Likes tea.")
    await api.call("DELETE", f"{MEMORIES}/{known['id']}")

    row = await undone(api, await last(api))

    assert (row["action"], row["memory_id"], row["after"]) == ("restore", known["id"], "Likes tea.")
    assert (await api.call("GET", f"{MEMORIES}/{known['id']}")).json == known


async def test_a_correction_is_taken_back(api: Api) -> None:
    known = await written(api, "Likes tea.")
    await api.call("PATCH", f"{MEMORIES}/{known['id']}", {"content": "Likes coffee.", "importance": 1})

    row = await undone(api, await last(api))

    assert (row["before"], row["after"]) == ("Likes coffee.", "Likes tea.")
    assert (await api.call("GET", f"{MEMORIES}/{known['id']}")).json == known


async def test_a_change_says_in_which_chat_it_was_made(api: Api, postgres: Postgres) -> None:
    said = Exchange(uuid7(), turn(scope=Scope("ada", "chat-7")), "Tea.", uuid7(), uuid7())
    known = memory("Likes tea.", owner="ada")
    await postgres.log.append(said)
    await postgres.inbox.complete([Formed(said, (Add(known), Reinforce(known.id)))], at=NOON)

    update = await last(api)

    assert (update["action"], update["session_id"], update["undoes"]) == ("reinforce", "chat-7", None)
    await undone(api, update)
    assert (await api.call("GET", f"{MEMORIES}/{known.id}")).json["reinforcement_count"] == 0


async def test_what_was_undone_can_not_be_undone_again(api: Api) -> None:
    await written(api, "Likes tea.")
    update = await last(api)
    row = await undone(api, update)

    for each in (update, row):
        response = await api.call("POST", f"{MEMORIES}/history/{each['id']}/undo")
        assert "undone already" in assert_error(response, 409, "not_undoable")


async def test_what_was_changed_since_can_not_be_undone(api: Api) -> None:
    known = await written(api, "Likes tea.")
    update = await last(api)
    await api.call("DELETE", f"{MEMORIES}/{known['id']}")

    response = await api.call("POST", f"{MEMORIES}/history/{update['id']}/undo")

    assert_error(response, 409, "not_undoable")


async def test_what_the_user_has_by_another_memory_now_does_not_come_back_twice(api: Api) -> None:
    known = await written(api, "Likes tea.")
    await api.call("DELETE", f"{MEMORIES}/{known['id']}")
    taken = await last(api)
    await written(api, "likes TEA")

    response = await api.call("POST", f"{MEMORIES}/history/{taken['id']}/undo")

    assert_error(response, 409, "duplicate_memory", "content")
    assert await contents(api) == ["likes TEA"]


async def test_a_change_of_another_user_is_not_found(api: Api) -> None:
    await written(api, "Likes tea.", "bob")
    update = await last(api, "bob")

    response = await api.call("POST", f"{MEMORIES}/history/{update['id']}/undo")

    assert_error(response, 404, "update_not_found")
    assert (await last(api, "bob")) == update


async def test_a_change_that_never_was_is_not_found(api: Api) -> None:
    response = await api.call("POST", f"{MEMORIES}/history/{uuid4()}/undo")

    assert_error(response, 404, "update_not_found")


async def test_what_can_be_no_changes_id_is_refused(api_in_memory: Api) -> None:
    response = await api_in_memory.call("POST", f"{MEMORIES}/history/yesterday/undo")

    assert "a UUID" in assert_error(response, 400, "invalid_parameter", "update_id")


async def test_a_memory_that_was_edited_is_never_without_its_content() -> None:
    store = InMemoryStore()
    async with serve(engine_over(store)) as api:
        known = await written(api, "Likes tea.")
        await api.call("PATCH", f"{MEMORIES}/{known['id']}", {"content": "Likes coffee."})
        update = await last(api)
    async with serve(engine_over(store, BrokenEmbedder())) as api:
        await api.call("POST", f"{MEMORIES}/history/{update['id']}/undo")

        assert (await api.call("GET", f"{MEMORIES}/{UUID(known['id'])}")).json["content"] == "Likes tea."
