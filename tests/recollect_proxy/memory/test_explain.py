"""The explanation of a request, in ids and numbers, with its question as the log has it."""

import asyncio
import json
from typing import Any

import pytest
from tests.recollect_proxy.given import WHICH_TEA, given_memory
from tests.recollect_proxy.own_proxies import named
from tests.servers.running_proxy import RunningProxy, User, somebody

from recollect.model import LogEntry, Turn, TurnNotes, Written
from recollect_proxy.memory_api import request_and_health_operations

proxy = named("session_listening")


@pytest.fixture
async def drinker(proxy: RunningProxy, user: User) -> User:
    return await given_memory(proxy, user)


async def explanation_of(proxy: RunningProxy, user: User, said: str, **fields: Any) -> dict[str, Any]:
    answer = await proxy.say(user, said, **fields)
    await proxy.settle()
    request_id = answer.header(b"x-recollect-request-id")
    assert request_id is not None
    told = await proxy.api(b"GET", f"/explain/{request_id.decode()}")
    assert told.status == 200, told.body
    assert told.json["request_id"] == request_id.decode()
    explanation: dict[str, Any] = told.json
    return explanation


async def test_the_whole_explanation_of_a_request_is_told(proxy: RunningProxy, drinker: User) -> None:
    [memory] = await proxy.memories(drinker)

    explanation = await explanation_of(proxy, drinker, WHICH_TEA, chat="chat-5")

    assert (explanation["user_id"], explanation["session_id"]) == (drinker.known_as, "chat-5")
    assert (explanation["path"], explanation["model"]) == ("completions/stable", "scripted")
    assert (explanation["skipped"], explanation["degraded"], explanation["error_stage"]) == (None, [], None)
    assert explanation["items"] == 1
    assert explanation["truncated"] == 0
    assert explanation["tokens"] > 0
    assert explanation["history_tokens"] == 0
    assert explanation["gate_score"] is None  # there is no log to ask
    assert {"search"} <= explanation["stages"].keys() <= {"embedding", "search"}
    assert all(taken >= 0 for taken in explanation["stages"].values())
    assert explanation["milliseconds"] > 0
    assert explanation["found"]["candidates"] == 1
    assert explanation["found"]["by_meaning"] == 1
    assert explanation["query"]["terms"] > 0
    [candidate] = explanation["candidates"]
    assert candidate["id"] == str(memory.id)
    assert (candidate["kind"], candidate["source"], candidate["part"]) == ("fact", "manual", None)
    assert candidate["dropped"] is None
    assert candidate["score"] > 0
    assert candidate["parts"]


async def test_what_was_asked_is_told_as_the_log_has_it(proxy: RunningProxy, drinker: User) -> None:
    key = f"ghp_{'a1B2' * 9}"

    explanation = await explanation_of(proxy, drinker, f"{WHICH_TEA} My token is {key}.")

    assert explanation["question"].startswith(WHICH_TEA)
    assert "[secret: " in explanation["question"]
    assert key not in json.dumps(explanation)
    [kept] = await proxy.rows(
        "SELECT r::text FROM recollect.request_metrics r WHERE id = $1", explanation["request_id"]
    )
    assert "tea" not in kept["r"]


async def test_a_user_is_told_of_their_own_requests_alone(proxy: RunningProxy, drinker: User) -> None:
    explanation = await explanation_of(proxy, drinker, WHICH_TEA)
    request = explanation["request_id"]

    own = await proxy.api(b"GET", f"/users/{drinker.known_as}/explain/{request}")
    others = await proxy.api(b"GET", f"/users/{somebody().known_as}/explain/{request}")
    [listed] = (await proxy.api(b"GET", f"/users/{drinker.known_as}/recalls")).json["recalls"]

    assert own.json == explanation
    assert (others.status, others.json["error"]["code"]) == (404, "request_not_found")
    assert (listed["request_id"], listed["question"]) == (request, WHICH_TEA)


async def test_what_was_asked_is_not_told_where_that_is_switched_off(
    proxy: RunningProxy, drinker: User
) -> None:
    explanation = await explanation_of(proxy, drinker, WHICH_TEA)
    request, user = explanation["request_id"], f"/users/{drinker.known_as}"

    await proxy.api(b"PATCH", f"{user}/settings", {"queries": False})

    for path in (f"/explain/{request}", f"{user}/explain/{request}"):
        assert (await proxy.api(b"GET", path)).json == explanation | {"question": None}
    [listed] = (await proxy.api(b"GET", f"{user}/recalls")).json["recalls"]
    assert listed["question"] is None
    await proxy.api(b"PATCH", f"{user}/settings", {"queries": None})
    assert (await proxy.api(b"GET", f"/explain/{request}")).json == explanation


async def test_what_is_not_written_within_a_second_is_said_to_be_on_its_way(
    proxy: RunningProxy, drinker: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = proxy.app.engine.engine
    assert engine is not None
    written, write, note = asyncio.Event(), engine.write_phase, engine.write_notes

    async def write_late(entry: LogEntry) -> Written:
        await written.wait()
        return await write(entry)

    async def note_late(turn: Turn, notes: TurnNotes) -> None:
        await written.wait()
        await note(turn, notes)

    monkeypatch.setattr(engine, "write_phase", write_late)
    monkeypatch.setattr(
        engine, "write_notes", note_late
    )  # notes that miss the turn's write are written separately
    monkeypatch.setattr(request_and_health_operations, "WAIT_SECONDS", 0.05)
    answer = await proxy.say(drinker, WHICH_TEA)
    path = f"/explain/{answer.header(b'x-recollect-request-id').decode()}"  # type: ignore[union-attr]
    early = await proxy.api(b"GET", path)
    written.set()
    await proxy.settle()
    later = await proxy.api(b"GET", path)

    assert (early.status, early.json["error"]["code"]) == (503, "request_not_written")
    assert later.status == 200
