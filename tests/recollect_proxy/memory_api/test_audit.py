"""Every change can be read, and undone by the id that the audit shows."""

from typing import Any

from tests.recollect_proxy.memory_api.serving import Api, assert_error, path_of
from tests.support.stores import NOON, Store

from recollect.model import Add, Formed, Reinforce


async def last(api: Api, user_id: str | None = None) -> Any:
    """Return a user's last change, Anna's unless told otherwise."""
    history = await api.call("GET", f"{path_of(user_id or api.anna)}/memories/changes?limit=1")
    assert history.status == 200, history.body
    return history.json["changes"][0]


async def undone(api: Api, update: Any) -> Any:
    response = await api.call("POST", f"{api.memories}/changes/{update['id']}/undo")
    assert response.status == 200, response.body
    return response.json


async def test_a_memory_that_was_written_goes_again(api: Api) -> None:
    known = await api.write("Likes tea.")
    update = await last(api)

    row = await undone(api, update)

    assert (row["action"], row["reason"], row["actor"]) == ("retire", "undone", "admin")
    assert (row["undoes"], row["memory_id"]) == (update["id"], known["id"])
    assert await api.contents() == []
    assert await last(api) == row


async def test_a_change_says_in_which_chat_it_was_made(api: Api, store: Store) -> None:
    said = store.exchange("What do I drink?", store.anna.chat("chat-7"), reply="Tea.")
    known = store.memory("Likes tea.")
    await store.log.append(said)
    await store.inbox.complete([Formed(said, (Add(known), Reinforce(known.id)))], at=NOON)

    update = await last(api)

    assert (update["action"], update["session_id"], update["undoes"]) == ("reinforce", "chat-7", None)
    await undone(api, update)
    assert (await api.call("GET", f"{api.memories}/{known.id}")).json["reinforcement_count"] == 0


async def test_what_was_undone_can_not_be_undone_again(api: Api) -> None:
    await api.write("Likes tea.")
    update = await last(api)
    row = await undone(api, update)

    for each in (update, row):
        response = await api.call("POST", f"{api.memories}/changes/{each['id']}/undo")
        assert "undone already" in assert_error(response, 409, "not_undoable")


async def test_what_the_user_has_by_another_memory_now_does_not_come_back_twice(api: Api) -> None:
    known = await api.write("Likes tea.")
    await api.call("DELETE", f"{api.memories}/{known['id']}")
    taken = await last(api)
    await api.write("likes TEA")

    response = await api.call("POST", f"{api.memories}/changes/{taken['id']}/undo")

    assert_error(response, 409, "duplicate_memory", "content")
    assert await api.contents() == ["likes TEA"]


async def test_a_change_of_another_user_is_not_found(api: Api) -> None:
    await api.write("Likes tea.", api.ben)
    update = await last(api, api.ben)

    response = await api.call("POST", f"{api.memories}/changes/{update['id']}/undo")

    assert_error(response, 404, "change_not_found")
    assert (await last(api, api.ben)) == update
