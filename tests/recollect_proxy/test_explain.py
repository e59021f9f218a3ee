"""What became of a request is told to whoever keeps the memories, in ids and numbers: no word of a user."""

import json
from typing import Any

import pytest
from tests.recollect_proxy.given import TEA, WHICH_TEA, given_memory
from tests.running_proxy import CHAT, RunningProxy, User, chat_body
from tests.scripted_upstream import ScriptedUpstream
from tests.tables import table
from uuid_utils.compat import uuid7


@pytest.fixture
def proxy(listening_proxy: RunningProxy) -> RunningProxy:
    """A proxy that forms nothing: what is asked here is asked of its recall alone."""
    return listening_proxy


@pytest.fixture
async def drinker(proxy: RunningProxy, user: User) -> User:
    return await given_memory(proxy, user)


async def story_of(proxy: RunningProxy, user: User, said: str, **fields: Any) -> dict[str, Any]:
    answer = await proxy.say(user, said, **fields)
    await proxy.settle()
    request_id = answer.header(b"x-recollect-request-id")
    assert request_id is not None
    told = await proxy.api(b"GET", f"/explain/{request_id.decode()}")
    assert told.status == 200, told.body
    assert told.json["request_id"] == request_id.decode()
    story: dict[str, Any] = told.json
    return story


async def test_the_whole_story_of_a_request_is_told(proxy: RunningProxy, drinker: User) -> None:
    [memory] = await proxy.memories(drinker)

    story = await story_of(proxy, drinker, WHICH_TEA, chat="chat-5")

    assert (story["user_id"], story["session_id"]) == (drinker.known_as, "chat-5")
    assert (story["path"], story["model"]) == ("completions/stable", "scripted")
    assert (story["skipped"], story["degraded"], story["error_stage"]) == (None, [], None)
    assert story["items"] == 1
    assert story["truncated"] == 0
    assert story["tokens"] > 0
    assert story["history_tokens"] == 0
    assert 0 < story["gate_score"] <= 1
    assert set(story["stages"]) == {"embedding", "lexical", "search"}
    assert all(taken >= 0 for taken in story["stages"].values())
    assert story["milliseconds"] > 0
    assert story["found"]["candidates"] == 1
    assert story["found"]["by_meaning"] == 1
    assert story["query"]["terms"] > 0
    [candidate] = story["candidates"]
    assert candidate["id"] == str(memory.id)
    assert (candidate["kind"], candidate["source"], candidate["part"]) == ("fact", "manual", None)
    assert candidate["dropped"] is None
    assert candidate["score"] > 0
    assert candidate["parts"]


async def test_what_was_left_out_is_told_with_the_reason(proxy: RunningProxy, drinker: User) -> None:
    story = await story_of(proxy, drinker, "sqrt(2)*sqrt(8)=")

    assert story["skipped"] == "nothing-relevant"
    assert story["items"] == 0
    assert [each["dropped"] for each in story["candidates"]] == ["irrelevant"]


async def test_what_had_no_place_in_the_budget_is_told(proxy: RunningProxy, drinker: User) -> None:
    story = await story_of(proxy, drinker, WHICH_TEA, extra=[(b"X-Recollect-Max-Memory-Tokens", b"5")])

    assert story["items"] == story["tokens"] == 0
    assert [each["dropped"] for each in story["candidates"]] == ["budget"]


async def test_what_a_request_had_no_certain_place_for_is_told(
    proxy: RunningProxy, upstream: ScriptedUpstream, drinker: User
) -> None:
    strange = {"role": "system", "content": {"text": "Be brief."}}
    body = chat_body([strange, {"role": "user", "content": WHICH_TEA}])

    answer = await proxy.fetch(b"POST", CHAT, drinker.headers(), body)
    await proxy.settle()
    request_id = answer.header(b"x-recollect-request-id") or b""
    story = (await proxy.api(b"GET", f"/explain/{request_id.decode()}")).json

    assert upstream.last.body == body
    assert (answer.header(b"x-recollect-memories"), answer.header(b"x-recollect-skipped")) == (
        b"0",
        b"no-place",
    )
    assert (story["skipped"], story["items"], story["tokens"]) == ("no-place", 0, 0)
    assert [each["dropped"] for each in story["candidates"]] == ["no-place"]


async def test_a_request_that_recalled_nothing_on_its_own_wish_has_a_story(
    proxy: RunningProxy, drinker: User
) -> None:
    story = await story_of(proxy, drinker, WHICH_TEA, recollect={"recall": False})

    assert story["skipped"] == "off"
    assert (story["candidates"], story["query"], story["gate_score"]) == ([], {}, None)


async def test_a_story_holds_no_word_of_a_user(proxy: RunningProxy, drinker: User) -> None:
    story = await story_of(proxy, drinker, f"{WHICH_TEA} my_secret_identifier()")

    told = json.dumps(story).lower()
    for word in (*TEA.lower().strip(".").split(), *WHICH_TEA.lower().strip("?").split(), "my_secret"):
        if len(word) > 3:
            assert word not in told


async def test_a_turn_that_is_sent_again_is_told_of_as_reattached(proxy: RunningProxy, drinker: User) -> None:
    await story_of(proxy, drinker, WHICH_TEA)

    story = await story_of(proxy, drinker, WHICH_TEA)

    assert "reattached" in story["flags"]
    assert story["tokens"] > 0


async def test_an_unknown_request_is_not_found(proxy: RunningProxy) -> None:
    answer = await proxy.api(b"GET", f"/explain/{uuid7()}")

    assert answer.status == 404
    assert answer.json["error"]["code"] == "request_not_found"


@table("known", ["7", "not-a-uuid", "%00", "x" * 500])
async def test_what_is_no_uuid_is_refused(proxy: RunningProxy, known: str) -> None:
    answer = await proxy.api(b"GET", f"/explain/{known}")

    assert answer.status == 400
    assert answer.json["error"]["code"] == "invalid_parameter"
    assert answer.json["error"]["field"] == "request_id"


@pytest.mark.parametrize("headers", [[], [(b"Authorization", b"Bearer wrong")]])
async def test_a_story_is_told_to_the_administrator_alone(
    proxy: RunningProxy, drinker: User, headers: list[tuple[bytes, bytes]]
) -> None:
    story = await story_of(proxy, drinker, WHICH_TEA)

    answer = await proxy.fetch(b"GET", b"/memory/explain/" + story["request_id"].encode(), headers)

    assert answer.status == 401
    assert b"candidates" not in answer.body


async def test_a_story_is_erased_with_its_user(proxy: RunningProxy, drinker: User) -> None:
    story = await story_of(proxy, drinker, WHICH_TEA)

    await proxy.engine.erase(drinker.known_as)

    assert (await proxy.api(b"GET", f"/explain/{story['request_id']}")).status == 404
