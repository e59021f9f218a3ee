"""To-dos come from memories and from the summaries of chats."""

from datetime import timedelta
from typing import Any

import pytest
from tests.recollect_proxy.memory_api.serving import Api, assert_error, path_of
from tests.support.stores import NOON, Store

from recollect.model import Actor, Add, Kind, Memory, Outline, Provenance, Source


@pytest.fixture
def renewal(store: Store) -> Memory:
    """A to-do of Anna's."""
    return store.memory(
        "Renew the passport.",
        kind=Kind.TODO,
        provenance=Provenance("chat-1"),
        event_at=NOON + timedelta(days=30),
    )


@pytest.fixture
def plans(store: Store) -> Memory:
    """A summary of a chat, with to-dos."""
    return store.memory(
        "They planned the move to Ghent.",
        kind=Kind.SUMMARY,
        source=Source.SUMMARY,
        provenance=Provenance("chat-2"),
        observed_at=NOON + timedelta(hours=1),
        outline=Outline(facts=("Moves in May.",), todos=("Book a van.", "Tell the landlord.")),
    )


@pytest.fixture(autouse=True)
async def _kept(store: Store, renewal: Memory, plans: Memory) -> None:
    done = store.memory("They talked of tea.", kind=Kind.SUMMARY, source=Source.SUMMARY, outline=Outline())
    changes = [Add(each) for each in (store.memory("Likes tea."), renewal, done, plans)]
    await store.memories.apply(store.anna.scope, changes, actor=Actor.FORMATION, at=NOON)


async def todos(api: Api, user_id: str | None = None, asked: str = "") -> Any:
    """Return a user's to-dos, by default Anna's."""
    response = await api.call("GET", f"{path_of(user_id or api.anna)}/todos{asked}")
    assert response.status == 200, response.body
    return response.json["todos"]


async def test_memories_and_summaries_say_what_is_to_do(api: Api, renewal: Memory, plans: Memory) -> None:
    found = await todos(api)

    summarized = {"memory_id": str(plans.id), "session_id": "chat-2", "event_at": None}
    assert sorted(found, key=lambda todo: str(todo["text"])) == [
        {"text": "Book a van.", "said_at": "2026-03-15T13:00:00Z", **summarized},
        {
            "text": "Renew the passport.",
            "memory_id": str(renewal.id),
            "session_id": "chat-1",
            "said_at": "2026-03-15T12:00:00Z",
            "event_at": "2026-04-14T12:00:00Z",
        },
        {"text": "Tell the landlord.", "said_at": "2026-03-15T13:00:00Z", **summarized},
    ]


@pytest.mark.parametrize("ended_as", ["done", "dropped"])
async def test_a_todo_that_is_over_is_past_until_that_is_undone(
    api: Api, renewal: Memory, plans: Memory, ended_as: str
) -> None:
    ended = await api.call("POST", f"{api.user}/todos/{renewal.id}", {"ended_as": ended_as})

    assert (ended.status, ended.json["action"], ended.json["reason"]) == (200, "retire", "ended")
    assert {todo["memory_id"] for todo in await todos(api)} == {str(plans.id)}
    past = (await api.call("GET", f"{api.memories}?state=past")).json["memories"]
    assert [(each["content"], each["ended_as"]) for each in past] == [(renewal.content, ended_as)]
    undone = await api.call("POST", f"{api.memories}/changes/{ended.json['id']}/undo")
    assert undone.status == 200
    assert {todo["memory_id"] for todo in await todos(api)} == {str(renewal.id), str(plans.id)}


async def test_nothing_but_an_open_todo_of_ones_own_is_ended(
    api: Api, renewal: Memory, plans: Memory
) -> None:
    path = f"{api.user}/todos"

    assert_error(await api.call("POST", f"{path}/{plans.id}", {"ended_as": "done"}), 404, "memory_not_found")
    assert_error(
        await api.call("POST", f"{path}/{renewal.id}", {"ended_as": "changed"}),
        422,
        "invalid_field",
        "ended_as",
    )
    of_ben = f"{path_of(api.ben)}/todos/{renewal.id}"
    assert_error(await api.call("POST", of_ben, {"ended_as": "done"}), 404, "memory_not_found")
