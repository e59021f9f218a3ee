"""The rest of the API works as it does without us: models, embeddings, files, and what we never heard of."""

import json
from pathlib import Path
from typing import Any

from openai import AsyncOpenAI
from tests.recollect_proxy.openai_sdk.application import assert_untouched
from tests.scripted.upstream import ScriptedUpstream, whole


def answer_with(upstream: ScriptedUpstream, *bodies: dict[str, Any]) -> None:
    """Let the upstream answer with these, in order."""
    upstream.answers += [whole(json.dumps(body).encode()) for body in bodies]


def file_named(name: str) -> dict[str, Any]:
    """Return what the API tells of a file."""
    return {"id": name, "object": "file", "bytes": 3, "created_at": 1, "filename": name, "purpose": "batch"}


async def test_the_models_are_listed(client: AsyncOpenAI, upstream: ScriptedUpstream) -> None:
    model = {"id": "scripted", "object": "model", "created": 1, "owned_by": "x"}
    answer_with(upstream, {"object": "list", "data": [model]}, model)

    listed = [model.id async for model in client.models.list()]
    found = await client.models.retrieve("ft:scripted:a/b c")

    assert (listed, found.id) == (["scripted"], "scripted")
    assert [request.target for request in upstream.received] == [
        b"/v1/models",
        b"/v1/models/ft:scripted:a%2Fb%20c",
    ]
    assert_untouched(upstream.last)


async def test_texts_are_embedded(client: AsyncOpenAI, upstream: ScriptedUpstream) -> None:
    answers = [
        {
            "object": "list",
            "data": [{"object": "embedding", "index": 0, "embedding": vector}],
            "model": "e",
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }
        for vector in ([0.25, -1.0], "AACAPgAAgL8=")  # the second as the SDK asks for it: base64 of float32
    ]
    answer_with(upstream, *answers)

    plain = await client.embeddings.create(model="e", input="tea", encoding_format="float")
    packed = await client.embeddings.create(model="e", input=["tea"])

    assert plain.data[0].embedding == packed.data[0].embedding == [0.25, -1.0]
    assert [request.json["encoding_format"] for request in upstream.received] == ["float", "base64"]
    assert_untouched(upstream.last)


async def test_a_file_goes_up_and_comes_down_byte_for_byte(
    client: AsyncOpenAI, upstream: ScriptedUpstream, tmp_path: Path
) -> None:
    content = bytes(range(256)) * 2000
    upload = tmp_path / "tea ☕.bin"
    upload.write_bytes(content)
    answer_with(upstream, file_named("file-1"))
    upstream.answers.append(whole(content, headers=[(b"Content-Type", b"application/octet-stream")]))

    uploaded = await client.files.create(file=upload, purpose="batch")
    downloaded = await client.files.content("file-1")

    assert uploaded.id == "file-1"
    assert downloaded.content == content
    up, _ = upstream.received
    assert content in up.body
    assert 'filename="tea ☕.bin"'.encode() in up.body
    assert up.values(b"content-type")[0].startswith(b"multipart/form-data; boundary=")
    assert_untouched(up)


async def test_pages_are_followed(client: AsyncOpenAI, upstream: ScriptedUpstream) -> None:
    page = {"object": "list", "first_id": "", "last_id": ""}
    answer_with(
        upstream,
        page | {"data": [file_named("file-1")], "has_more": True},
        page | {"data": [file_named("file-2")], "has_more": False},
    )

    names = [file.id async for file in client.files.list(limit=1)]

    assert names == ["file-1", "file-2"]
    assert upstream.last.target == b"/v1/files?limit=1&after=file-1"


async def test_speech_is_streamed_as_it_is(client: AsyncOpenAI, upstream: ScriptedUpstream) -> None:
    speech = bytes(range(256)) * 400
    upstream.answers.append(whole(speech, headers=[(b"Content-Type", b"audio/mpeg")]))

    asking = client.audio.speech.with_streaming_response
    async with asking.create(model="tts", voice="alloy", input="Lapsang Souchong") as answer:
        heard = b"".join([piece async for piece in answer.iter_bytes(1000)])

    assert heard == speech
    assert upstream.last.json == {"model": "tts", "voice": "alloy", "input": "Lapsang Souchong"}


async def test_an_endpoint_that_the_sdk_does_not_know_either(
    client: AsyncOpenAI, upstream: ScriptedUpstream
) -> None:
    upstream.answers.append(whole(b'{"brewed": true}'))

    answer = await client.post("/teapots", cast_to=dict[str, bool], body={"tea": "Lapsang"})

    assert answer == {"brewed": True}
    assert (upstream.last.target, upstream.last.json) == (b"/v1/teapots", {"tea": "Lapsang"})
