"""The Ollama SDKs for Python and JavaScript through a proxy of a whole server."""

import json
from typing import Any

import pytest
from tests.e2e.clients.comparing import Comparison, assert_same_but_for_the_memory
from tests.e2e.clients.programs import QUESTION, Client, node_client, python_client
from tests.recollect_proxy.given import TEA, given_memory
from tests.scripted.upstream import Answer, ScriptedUpstream, streamed, whole
from tests.servers.running_proxy import RunningProxy, User

SAID = "Lapsang Souchong."
PIECES = ["Lapsang", " Souchong."]
NDJSON = [(b"Content-Type", b"application/x-ndjson")]


def chat(piece: str, **more: Any) -> bytes:
    return (
        json.dumps({"message": {"role": "assistant", "content": piece}, "done": False, **more}).encode()
        + b"\n"
    )


def completion(piece: str, **more: Any) -> bytes:
    return json.dumps({"response": piece, "done": False, **more}).encode() + b"\n"


ENDED = {"done": True, "done_reason": "stop", "eval_count": 2}
WAYS: dict[str, tuple[Answer, Any]] = {
    "chat": (whole(chat(SAID, **ENDED)), SAID),
    "stream": (streamed(*map(chat, PIECES), chat("", **ENDED), headers=NDJSON), PIECES),
    "generate": (whole(completion(SAID, **ENDED)), SAID),
    "streamed-generate": (
        streamed(*map(completion, PIECES), completion("", **ENDED), headers=NDJSON),
        PIECES,
    ),
}
SDKS = {
    "python": lambda way: python_client("speak_ollama", way=way),
    "javascript": lambda way: node_client(way, "ollama.mjs"),
}


def from_the_question(body: Any) -> str:
    """Take the block behind the person's words out of a body, and return it."""
    holder, name = (body["messages"][-1], "content") if "messages" in body else (body, "prompt")
    said: str = holder[name]
    holder[name] = QUESTION
    return said.removeprefix(QUESTION)


@pytest.mark.parametrize("sdk", SDKS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("known", [True, False], ids=["with memory", "without"])
async def test_the_ollama_sdks(
    whole_server: RunningProxy,
    upstream: ScriptedUpstream,
    user: User,
    other_user: User,
    sdk: str,
    way: str,
    *,
    known: bool,
) -> None:
    answer, said = WAYS[way]
    await given_memory(whole_server, user, TEA)

    past, through = await Comparison(whole_server, upstream).ask(
        SDKS[sdk](way), user if known else other_user, answer
    )

    assert past.got["said"] == through.got["said"] == said
    assert_same_but_for_the_memory(past, through, taken_out=from_the_question, known=known)


@pytest.mark.parametrize("sdk", SDKS)
async def test_an_sdk_shows_why_a_model_is_not_pulled(whole_server: RunningProxy, sdk: str) -> None:
    client: Client = SDKS[sdk]("pull")

    got = await client(f"http://127.0.0.1:{whole_server.port}", {})

    assert (got["name"], got["status"]) == ("ResponseError", 403)
    assert "model_changes" in got["told"]
