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
