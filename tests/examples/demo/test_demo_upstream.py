"""The demo's stand-in for an LLM speaks the real protocol, on a real socket."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from tests.servers.running_proxy import CHAT, chat_body
from tests.support.raw_client import RawConnection, fetch, request_bytes

from examples.demo.answering import TOLD
from examples.demo.upstream import MODEL, demo_upstream
from recollect_proxy.serving.ephemeral_server import serve_upstream

CONVERSATION = [
    {"role": "system", "content": "- [FACT] Has a boat called Kittiwake."},
    {"role": "user", "content": "What is my boat called?"},
]
SAID = TOLD + "Has a boat called Kittiwake."


@pytest.fixture(scope="module")
async def origin() -> AsyncIterator[str]:
    async with serve_upstream(demo_upstream) as served:
        yield served


@pytest.fixture(scope="module")
def port(origin: str) -> int:
    return int(origin.rpartition(":")[2])


@pytest.fixture(scope="module")
async def client(origin: str) -> AsyncIterator[AsyncOpenAI]:
    http_client = DefaultAsyncHttpxClient(trust_env=False)
    async with AsyncOpenAI(base_url=f"{origin}/v1", api_key="none", http_client=http_client) as sdk:
        yield sdk


def events(body: bytes) -> list[Any]:
    """Return the data of a stream's events; the last one must be the end."""
    *found, end, rest = body.split(b"\n\n")
    assert (end, rest) == (b"data: [DONE]", b"")
    return [json.loads(each.removeprefix(b"data: ")) for each in found]


async def test_it_lists_its_one_model_by_a_name_that_says_what_it_is(client: AsyncOpenAI) -> None:
    assert [model.id async for model in client.models.list()] == [MODEL] == ["scripted"]


async def test_a_whole_answer_is_a_chat_completion(client: AsyncOpenAI) -> None:
    completion = await client.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": "Hello."}]
    )

    assert completion.object == "chat.completion"
    assert completion.model == MODEL
    assert completion.choices[0].finish_reason == "stop"
    assert completion.choices[0].message.content == "(scripted) Noted."
    assert completion.usage is not None
    assert completion.usage.prompt_tokens > 0
    assert (
        completion.usage.total_tokens == completion.usage.prompt_tokens + completion.usage.completion_tokens
    )


async def test_a_streamed_answer_comes_in_several_chunked_pieces(port: int) -> None:
    async with RawConnection(port) as connection:
        await connection.send(request_bytes(b"POST", CHAT, body=chat_body(CONVERSATION, stream=True)))
        response = await connection.read_response()

    assert response.header(b"transfer-encoding") == b"chunked"
    assert response.header(b"content-type") == b"text/event-stream"
    chunks = events(response.body)
    pieces = [chunk["choices"][0]["delta"].get("content") for chunk in chunks]
    assert len([piece for piece in pieces if piece]) >= 3
    assert "".join(piece or "" for piece in pieces) == SAID
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks] == [None] * (len(chunks) - 1) + ["stop"]
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
    assert len({chunk["id"] for chunk in chunks}) == 1
    assert not any("usage" in chunk for chunk in chunks)


async def test_the_sdk_reads_its_stream(client: AsyncOpenAI) -> None:
    stream = await client.chat.completions.create(
        model=MODEL,
        messages=[{"role": "user", "content": "Hello."}],
        stream=True,
        stream_options={"include_usage": True},
    )

    chunks = [chunk async for chunk in stream]

    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks[:-1]) == "(scripted) Noted."
    assert chunks[-1].usage is not None


async def test_asked_for_structured_output_it_extracts(client: AsyncOpenAI) -> None:
    prompt = (
        "Message 1, Saturday 2026-11-28 10:00:\n=====\nI live in Porto.\n=====\n\n"
        "Message 2, Saturday 2026-11-28 10:01:\n=====\nHello.\n====="
    )
    completion = await client.chat.completions.create(
        model=MODEL,
        messages=[{"role": "user", "content": prompt}],
        extra_body={"response_format": {"type": "json_schema"}},
    )

    answered = json.loads(completion.choices[0].message.content or "")
    assert [each["evidence"] for each in answered["memories"]] == ["I live in Porto"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        (b"POST", CHAT, b"not JSON", 400),
        (b"POST", CHAT, b"[" * 100_000, 400),
        (b"POST", CHAT, b"[]", 400),
        (b"POST", CHAT, b"{}", 400),
        (b"POST", CHAT, b'{"messages":[]}', 400),
        (b"POST", CHAT, b'{"messages":["Hello."]}', 400),
        (b"GET", CHAT, None, 404),
        (b"POST", b"/v1/embeddings", b"{}", 404),
    ],
)
async def test_what_it_does_not_know_is_answered_in_openais_shape(
    port: int, method: bytes, path: bytes, body: bytes | None, status: int
) -> None:
    response = await fetch(port, method, path, body=body)

    assert response.status == status
    assert response.json["error"]["type"] == "invalid_request_error"
    assert response.json["error"]["message"]
