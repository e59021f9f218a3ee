"""`config check` and `doctor` ask the extraction model once, and say how well it answers."""

import json
import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.scripted.extraction import statement
from tests.scripted.upstream import Answer, Received, ScriptedUpstream, completion, failure, whole
from tests.support.tables import table

from recollect.assembly.database_and_model_check import check_model
from recollect.settings.engine_settings import EngineSettings

BOTH = [
    statement("I moved to Utrecht last year", "Lives in Utrecht"),
    statement("I am allergic to peanuts", "Is allergic to peanuts"),
]


@pytest.fixture
async def server() -> AsyncIterator[ScriptedUpstream]:
    async with ScriptedUpstream() as upstream:
        yield upstream


async def checked(base_url: str, **given: Any) -> tuple[str, bool]:
    settings = EngineSettings(**{"extraction_model": "m", "extraction_api_key": "k"} | given)
    return await check_model(settings, base_url)


def memories(*found: dict[str, Any]) -> Answer:
    return completion(json.dumps({"words": "own", "wishes": [], "memories": list(found)}))


@pytest.mark.parametrize(
    ("answer", "told", "is_well"),
    [
        (memories(*BOTH), "answers well", True),
        (memories(BOTH[0]), "found 1 with a quote", False),
        (memories(statement("I live there", "Lives in Utrecht")), "found 0 with a quote", False),
        (completion("I can't help with that."), "not so that memories can be read", False),
        (failure(404, message="no such model"), "may have no model of that name", False),
        (failure(500), "did not answer", False),
    ],
)
async def test_answers_are_judged(
    server: ScriptedUpstream, answer: Answer, told: str, *, is_well: bool
) -> None:
    server.otherwise = lambda request: answer if request.line.startswith(b"POST") else whole(b"{}")

    said, well = await checked(server.base_url)

    assert told in said
    assert well is is_well


async def test_it_says_that_nothing_listens_and_that_the_version_is_missing(server: ScriptedUpstream) -> None:
    def answer(request: Received) -> Answer:
        return whole(b"{}") if request.target.startswith(b"/v1/") else failure(404)

    server.otherwise = answer
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        away, _ = await checked(f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
    lacks_version, _ = await checked(server.base_url.removesuffix("/v1"))

    assert "Nothing listens" in away
    assert "lacks /v1" in lacks_version


ANSWERS = "The model llama answers well"
LISTS: list[tuple[Any, str]] = [
    ([{"id": "llama"}], ANSWERS),
    ([{"id": "llama"}, {"id": "nomic-embed-text"}], ANSWERS),
    ([{"id": "llama", "type": "llm"}, {"id": "e5", "type": "embeddings"}], ANSWERS),
    ([{"id": "llama"}, {"id": "e", "capabilities": {"completion_chat": False}}], ANSWERS),
    ([{"id": "llama"}, {"id": "i", "architecture": {"output_modalities": ["image"]}}], ANSWERS),
    ([{"id": "gpt-5"}, {"id": "gpt-5-mini"}], "lists 2 that may chat"),
    *((listed, "") for listed in ([], [{"id": "e5", "type": "embeddings"}], [{"id": "\x1b[2J"}])),
    *((listed, "") for listed in ("nonsense", [None, {"id": 3}, {"id": ""}, {}])),
]


@pytest.mark.parametrize(("listed", "told"), LISTS)
@pytest.mark.parametrize("key", [None, "k"])
async def test_without_a_name_the_only_model_that_chats_is_asked_and_of_several_none(
    server: ScriptedUpstream, listed: Any, told: str, key: str | None
) -> None:
    models = whole(json.dumps({"object": "list", "data": listed}).encode())
    server.otherwise = lambda request: memories(*BOTH) if request.line.startswith(b"POST") else models

    said, well = await checked(server.base_url, extraction_model=None, extraction_api_key=key)

    posts = [request for request in server.received if request.line.startswith(b"POST")]
    assert (len(posts), well) == (told == ANSWERS, True)
    assert told in said if told else said == ""
    assert {value for each in server.received for value in each.values(b"authorization")} <= {b"Bearer k"}


@table("key, told, is_well", [(None, "wants a key", True), ("wrong", "status 401", False)])
async def test_that_the_only_model_wants_a_key_is_no_mistake_where_chats_bring_theirs(
    server: ScriptedUpstream, key: str | None, told: str, *, is_well: bool
) -> None:
    models = whole(json.dumps({"data": [{"id": "llama"}]}).encode())
    server.otherwise = lambda request: failure(401) if request.line.startswith(b"POST") else models

    said, well = await checked(server.base_url, extraction_model=None, extraction_api_key=key)

    assert told in said
    assert well is is_well


async def test_no_model_is_asked_where_none_is_named_or_none_is_wanted(server: ScriptedUpstream) -> None:
    assert await checked(server.base_url, extraction_model=None) == ("", True)
    assert await checked(server.base_url, formation="qa_turn") == ("", True)
    assert [request for request in server.received if request.line.startswith(b"POST")] == []
