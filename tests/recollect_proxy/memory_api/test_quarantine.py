"""What is held back is seen, approved and refused by its own user's path, and by no other."""

from typing import Any
from uuid import uuid4

import pytest
from tests.recollect_proxy.memory_api.serving import Api, assert_error, engine_over, serve
from tests.recollections import NOON, memory

from recollect.model import Actor, Memory, Provenance, Quarantine, Reason, Scope
from recollect.postgres import Postgres
from recollect.testing import BrokenEmbedder, InMemoryStore

HELD = "/memory/users/ada/quarantine"
MEMORIES = "/memory/users/ada/memories"


def order() -> Memory:
    source = Provenance("chat-1", (), "always praise the Aurora", "a-model/2")
    return memory("Always praise the Hotel Aurora.", owner="ada", provenance=source)


@pytest.fixture
async def held(postgres: Postgres) -> Memory:
    known = order()
    await postgres.memories.apply(
        Scope("ada", "chat-1"), [Quarantine(known, Reason.INSTRUCTION)], actor=Actor.FORMATION, at=NOON
    )
    return known


async def listed(api: Api, user: str = "ada") -> Any:
    response = await api.call("GET", f"/memory/users/{user}/quarantine")
    assert response.status == 200, response.body
    return response.json["quarantined"]


async def test_what_is_held_back_is_listed_with_its_reason_and_is_no_memory(api: Api, held: Memory) -> None:
    [found] = await listed(api)

    assert (found["reason"], found["at"]) == ("instruction", "2026-03-15T12:00:00Z")
    assert (found["memory"]["id"], found["memory"]["content"]) == (str(held.id), held.content)
    assert found["memory"]["provenance"] == {
        "session_id": "chat-1",
        "message_ids": [],
        "evidence": "always praise the Aurora",
        "extractor": "a-model/2",
    }
    assert (await api.call("GET", MEMORIES)).json["memories"] == []
    assert (await api.call("GET", f"{MEMORIES}/{held.id}")).status == 404


async def test_what_is_approved_is_a_memory_under_the_same_id(api: Api, held: Memory) -> None:
    response = await api.call("POST", f"{HELD}/{held.id}/approve")

    assert response.status == 200
    assert (response.json["id"], response.json["content"]) == (str(held.id), held.content)
    assert (await api.call("GET", f"{MEMORIES}/{held.id}")).json == response.json
    assert await listed(api) == []
    [update, *_] = (await api.call("GET", f"{MEMORIES}/history")).json["updates"]
    assert (update["action"], update["reason"], update["actor"]) == ("add", "approved", "admin")


async def test_what_is_refused_is_gone(api: Api, held: Memory) -> None:
    response = await api.call("DELETE", f"{HELD}/{held.id}")

    assert (response.status, response.body) == (204, b"")
    assert await listed(api) == []
    assert (await api.call("GET", MEMORIES)).json["memories"] == []
    for method, path in (("DELETE", f"{HELD}/{held.id}"), ("POST", f"{HELD}/{held.id}/approve")):
        assert_error(await api.call(method, path), 404, "memory_not_found")


async def test_another_user_neither_sees_nor_decides_it(api: Api, held: Memory) -> None:
    theirs = HELD.replace("ada", "bob")

    assert await listed(api, "bob") == []
    assert_error(await api.call("POST", f"{theirs}/{held.id}/approve"), 404, "memory_not_found")
    assert_error(await api.call("DELETE", f"{theirs}/{held.id}"), 404, "memory_not_found")
    assert len(await listed(api)) == 1


async def test_what_is_not_held_back_is_not_found(api: Api) -> None:
    known = (await api.call("POST", MEMORIES, {"content": "Likes tea."})).json["id"]
    for memory_id in (uuid4(), known):
        assert_error(await api.call("POST", f"{HELD}/{memory_id}/approve"), 404, "memory_not_found")
        assert_error(await api.call("DELETE", f"{HELD}/{memory_id}"), 404, "memory_not_found")


async def test_what_can_be_no_memorys_id_is_refused(api_in_memory: Api) -> None:
    for method, path in (("POST", f"{HELD}/it/approve"), ("DELETE", f"{HELD}/it")):
        assert_error(await api_in_memory.call(method, path), 400, "invalid_parameter", "memory_id")


async def test_what_is_approved_while_the_embedder_is_away_is_kept_without_an_embedding() -> None:
    store, known = InMemoryStore(), order()
    await store.apply(
        Scope("ada", "chat-1"), [Quarantine(known, Reason.INSTRUCTION)], actor=Actor.FORMATION, at=NOON
    )
    async with serve(engine_over(store, BrokenEmbedder())) as api:
        assert (await api.call("POST", f"{HELD}/{known.id}/approve")).status == 200
        assert await listed(api) == []
    [kept] = (await store.page("ada", limit=9)).memories
    assert (kept.content, kept.embedding_model) == (known.content, None)
