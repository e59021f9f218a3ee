"""curl through the proxy: each word as it comes."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.clients.comparing import Comparison, assert_same_but_for_the_memory, from_messages
from tests.e2e.clients.programs import KEY, QUESTION, Client, run
from tests.scripted.upstream import (
    completion_stream,
    events,
)
from tests.servers.running_proxy import User

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


def curl(folder: Path, *options: str, **fields: Any) -> Client:
    """Return curl, with these options; it tells the answer's body, and the talk that led to it."""
    body = {"model": "scripted", "messages": [{"role": "user", "content": QUESTION}], **fields}

    async def ask(address: str, headers: Mapping[str, str]) -> dict[str, Any]:
        sent, got, talk = folder / "sent", folder / "got", folder / "talk"
        sent.write_text(json.dumps(body))
        named = [part for name, value in headers.items() for part in ("-H", f"{name}: {value}")]
        await run(
            *("curl", "--silent", "--show-error", "--max-time", "100", "--data-binary", f"@{sent}"),
            *("-H", "Content-Type: application/json", "-H", f"Authorization: Bearer {KEY}", *named),
            *("--output", got, "--verbose", "--stderr", talk),
            *(*options, f"{address}/v1/chat/completions"),
        )
        return {"body": got.read_text(), "talk": talk.read_text(errors="replace")}

    return ask


@pytest.mark.parametrize("known", [True, False], ids=["with memory", "without"])
async def test_curl_streams(
    comparison: Comparison, someone: User, other_user: User, tmp_path: Path, *, known: bool
) -> None:
    answer = completion_stream("Lapsang", " Souchong.")
    user = someone if known else other_user

    past, through = await comparison.ask(curl(tmp_path, "-N", stream=True), user, answer)

    assert past.got["body"] == through.got["body"] == b"".join(events("Lapsang", " Souchong.")).decode()
    assert f"x-recollect-memories: {int(known)}" in through.got["talk"]
    assert_same_but_for_the_memory(past, through, taken_out=from_messages, known=known)
