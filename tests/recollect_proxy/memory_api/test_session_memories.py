"""The memories of a chat through the Memory API: listed, written, read and taken away, and those of no other."""

from dataclasses import replace
from typing import Any

import pytest
from tests.recollect_proxy.memory_api.serving import TOKEN, Api, assert_error
from tests.recollect_proxy.memory_api.test_session_log import chat_of
from tests.support.stores import NOON, Store
from uuid_utils.compat import uuid7

from recollect.model import Actor, Add, Provenance, Reason


@pytest.fixture
async def memories(api: Api, store: Store) -> str:
    """The path of the memories of a chat in which Anna said something; she has another chat, too."""
    for session_id in ("a/b", "another"):
        await store.log.append(store.exchange("I live in Ghent", store.anna.chat(session_id)))
    return f"{chat_of(api.anna)}/memories"


async def contents(api: Api, path: str) -> list[str]:
    """Return the contents of the listed memories."""
    response = await api.call("GET", path)
    assert response.status == 200, response.body
    return [each["content"] for each in response.json["memories"]]


async def written(api: Api, path: str, content: str) -> Any:
    """Write a memory, and return it."""
    response = await api.call("POST", path, {"content": content})
    assert response.status == 201, response.body
    return response.json


async def test_what_is_formed_in_a_chat_or_written_for_it_is_listed(
    api: Api, store: Store, memories: str
) -> None:
    for session_id in ("a/b", "another"):
        formed = replace(store.memory(f"Formed in {session_id}."), provenance=Provenance(session_id))
        change = [Add(formed, Reason.NEW)]
        await store.memories.apply(store.anna.chat(session_id), change, actor=Actor.FORMATION, at=NOON)
    await api.write("Of no chat.")
    known = await written(api, memories, "Written for it.")

    assert known["provenance"]["session_id"] == "a/b"
    assert await contents(api, memories) == ["Written for it.", "Formed in a/b."]
    assert await contents(api, f"{memories}?limit=1") == ["Written for it."]
    assert await contents(api, f"{memories}?after={known['id']}") == ["Formed in a/b."]
    assert (await api.call("GET", f"{memories}/{known['id']}")).json == known
    assert_error(
        await api.call("POST", memories, {"content": "Of no chat."}), 409, "duplicate_memory", "content"
    )


async def test_a_memory_of_the_chat_is_taken_away(api: Api, memories: str) -> None:
    known = await written(api, memories, "Likes tea.")
    stale = [(b"Authorization", f"Bearer {TOKEN}".encode()), (b"If-Match", b'"other"')]

    changed = await api.call("DELETE", f"{memories}/{known['id']}", headers=stale)
    taken = await api.call("DELETE", f"{memories}/{known['id']}")

    assert_error(changed, 412, "changed_meanwhile", "If-Match")
    assert taken.status == 204
    assert await contents(api, memories) == []
    assert_error(await api.call("GET", f"{memories}/{known['id']}"), 404, "memory_not_found")


async def test_a_memory_from_elsewhere_is_not_found_and_stays(api: Api, store: Store, memories: str) -> None:
    await store.log.append(store.exchange("I live in Ghent", store.ben.chat("a/b")))
    others = [
        await written(api, f"{chat_of(api.anna, 'another')}/memories", "Of another chat."),
        await api.write("Of no chat."),
        await written(api, f"{chat_of(api.ben)}/memories", "Of somebody else."),
        {"id": str(uuid7())},
    ]

    for other in others:
        for method in ("GET", "DELETE"):
            refused = await api.call(method, f"{memories}/{other['id']}")
            assert_error(refused, 404, "memory_not_found")
    assert await api.contents() == ["Of no chat.", "Of another chat."]
    assert await api.contents(api.ben) == ["Of somebody else."]


async def test_a_chat_that_is_not_there_has_no_memories(api: Api, memories: str) -> None:
    known = await written(api, memories, "Likes tea.")
    missing = f"{chat_of(api.anna, 'missing')}/memories"

    for answer in (
        await api.call("GET", missing),
        await api.call("POST", missing, {"content": "Likes cocoa."}),
        await api.call("GET", f"{missing}/{known['id']}"),
        await api.call("DELETE", f"{missing}/{known['id']}"),
    ):
        assert_error(answer, 404, "session_not_found", "session_id")
    assert await api.contents() == ["Likes tea."]
