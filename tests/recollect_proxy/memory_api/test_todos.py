"""What is to do is told from the memories that say so, and from the summaries of chats."""

from datetime import timedelta
from typing import Any

import pytest
from tests.recollect_proxy.memory_api.serving import Api, assert_error
from tests.recollections import NOON, memory

from recollect.model import Actor, Add, Kind, Memory, Outline, Provenance, Reason, Scope, Source
from recollect.postgres import Postgres

TODOS = "/memory/users/ada/todos"

RENEWAL = memory(
    "Renew the passport.",
    owner="ada",
    kind=Kind.TODO,
    provenance=Provenance("chat-1"),
    event_at=NOON + timedelta(days=30),
)
SUMMARY = memory(
    "They planned the move to Ghent.",
    owner="ada",
    kind=Kind.SUMMARY,
    source=Source.SUMMARY,
    provenance=Provenance("chat-2"),
    observed_at=NOON + timedelta(hours=1),
    outline=Outline(facts=("Moves in May.",), todos=("Book a van.", "Tell the landlord.")),
)
DONE = memory("They talked of tea.", owner="ada", kind=Kind.SUMMARY, source=Source.SUMMARY, outline=Outline())


@pytest.fixture
async def kept(postgres: Postgres) -> list[Memory]:
    memories = [memory("Likes tea.", owner="ada"), RENEWAL, DONE, SUMMARY]
    changes = [Add(each, Reason.NEW) for each in memories]
    await postgres.memories.apply(Scope("ada", "chat-1"), changes, actor=Actor.FORMATION, at=NOON)
    return memories


async def todos(api: Api, path: str = TODOS) -> Any:
    response = await api.call("GET", path)
    assert response.status == 200, response.body
    return response.json["todos"]


@pytest.mark.usefixtures("kept")
async def test_memories_and_summaries_say_what_is_to_do(api: Api) -> None:
    found = await todos(api)

    summarized = {"memory_id": str(SUMMARY.id), "session_id": "chat-2", "event_at": None}
    assert sorted(found, key=lambda todo: str(todo["text"])) == [
        {"text": "Book a van.", "said_at": "2026-03-15T13:00:00Z", **summarized},
        {
            "text": "Renew the passport.",
            "memory_id": str(RENEWAL.id),
            "session_id": "chat-1",
            "said_at": "2026-03-15T12:00:00Z",
            "event_at": "2026-04-14T12:00:00Z",
        },
        {"text": "Tell the landlord.", "said_at": "2026-03-15T13:00:00Z", **summarized},
    ]


@pytest.mark.usefixtures("kept")
async def test_no_more_are_told_than_were_asked_for(api: Api) -> None:
    everything = await todos(api)

    for limit in (1, 2):
        assert await todos(api, f"{TODOS}?limit={limit}") == everything[:limit]


@pytest.mark.usefixtures("kept")
async def test_a_todo_that_is_done_is_taken_away_like_any_memory(api: Api) -> None:
    await api.call("DELETE", f"/memory/users/ada/memories/{RENEWAL.id}")

    assert {todo["memory_id"] for todo in await todos(api)} == {str(SUMMARY.id)}


@pytest.mark.usefixtures("kept")
async def test_nobody_is_told_what_another_has_to_do(api: Api) -> None:
    assert await todos(api, "/memory/users/bob/todos") == []


@pytest.mark.usefixtures("kept")
async def test_a_summary_shows_its_parts(api: Api) -> None:
    found = (await api.call("GET", f"/memory/users/ada/memories/{SUMMARY.id}")).json

    assert found["outline"] == {
        "facts": ["Moves in May."],
        "preferences": [],
        "decisions": [],
        "todos": ["Book a van.", "Tell the landlord."],
        "entities": [],
    }


async def test_a_limit_that_makes_no_sense_is_refused(api_in_memory: Api) -> None:
    assert_error(await api_in_memory.call("GET", f"{TODOS}?limit=0"), 400, "invalid_parameter", "limit")
