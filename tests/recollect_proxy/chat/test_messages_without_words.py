"""A photo, a recording or a file without words: its chat keeps its blocks, and a new chat gets the standing memories."""

from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import pytest
from tests.recollect_proxy.frontends import APIS, Api, Frontend
from tests.recollect_proxy.given import given_memory
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.recollect_proxy.spoken import replies
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, somebody
from tests.support.tables import table

ALLERGY = "Is allergic to shellfish."
PICTURE = "data:image/png;base64," + "iVBORw0KGgo" * 40
SOUND = {"data": "UklGRiQ" * 40, "format": "wav"}
ENCODED = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjQ" * 40}

WORDLESS: list[tuple[str, list[dict[str, Any]] | str]] = [
    ("completions", [{"type": "image_url", "image_url": {"url": PICTURE}}]),
    ("completions", [{"type": "text", "text": ""}, {"type": "image_url", "image_url": {"url": PICTURE}}]),
    ("completions", [{"type": "image_url", "image_url": {"url": "https://pictures.example/menu.jpg"}}]),
    ("completions", [{"type": "input_audio", "input_audio": SOUND}]),
    ("completions", [{"type": "file", "file": {"filename": "a.pdf", "file_data": PICTURE}}]),
    ("completions", f"![menu]({PICTURE})"),
    ("completions", ""),
    ("responses", [{"type": "input_image", "image_url": PICTURE}]),
    ("responses", [{"type": "input_file", "file_id": "file-123"}]),
    ("responses", [{"type": "input_audio", "input_audio": SOUND}]),
    ("messages", [{"type": "image", "source": ENCODED | {"media_type": "image/png"}}]),
    ("messages", [{"type": "document", "source": ENCODED}]),
    ("messages", [{"type": "document", "source": {"type": "url", "url": "https://papers.example/a.pdf"}}]),
]


@pytest.fixture
async def proxy(own_proxies: OwnProxies) -> AsyncIterator[RunningProxy]:
    async with own_proxies.serve(standing_tokens=160) as proxy:
        yield proxy


@table("name, content, chat_id", [*((*each, "chat-1") for each in WORDLESS), (*WORDLESS[0], None)])
async def test_a_chat_keeps_what_it_was_given_and_begins_with_what_stands_in_every_chat(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    name: str,
    content: Any,
    chat_id: str | None,
) -> None:
    upstream.otherwise = replies("All right.")
    eater = await given_memory(proxy, somebody(), ALLERGY)
    api: Api = APIS[name]
    chat = Frontend(proxy, upstream, eater, chat=chat_id, api=api)
    later = Frontend(proxy, upstream, eater, chat=chat_id and "chat-2", api=api)

    sent = [
        await chat.says(said) for said in ("Good evening, I am in a restaurant.", content, "sqrt(2)*sqrt(8)=")
    ]
    begun = [await later.says(said) for said in (content, "sqrt(2)*sqrt(8)=", content)]

    for each in (sent, begun):
        assert ALLERGY in each[0].system
        assert all(one.begins(next_one) for one, next_one in pairwise(each))
    logged = await proxy.logged(eater)
    assert not [said for role, said in logged if role == "user" and not said.strip()]
