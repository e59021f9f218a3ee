"""What OpenWebUI's people are shown is nothing that the SDK stumbles over, should it read such a stream."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from tests.recollect_proxy.openai_sdk.application import ASK, TEA, assert_recalled, sdk
from tests.recollect_proxy.openwebui.openwebui_frontend import spoken_for
from tests.scripted.upstream import ScriptedUpstream, completion_stream
from tests.servers.running_proxy import RunningProxy, User

from recollect.model import Action, Actor, News, Reason, Update
from recollect_proxy.chat import status


@pytest.fixture
def proxy(session_proxy: RunningProxy) -> RunningProxy:
    """A proxy that forms what is said, and shows it."""
    return session_proxy


@pytest.fixture(autouse=True)
def _news(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whenever it is looked, something was learned meanwhile."""

    async def look(_: status.Shown) -> News:
        at, ids = datetime.now(UTC), uuid4()
        return News(
            "", (), (Update(ids, at, Action.ADD, Actor.FORMATION, Reason.NEW, ids, after="Has a cat."),)
        )

    monkeypatch.setattr(status.Shown, "_look", look)


async def test_a_stream_with_a_status_is_read_as_any_other(
    proxy: RunningProxy, upstream: ScriptedUpstream, someone: User
) -> None:
    upstream.answers.append(completion_stream("Lapsang", " Souchong."))
    named = {name.decode(): value.decode() for name, value in spoken_for(someone)}

    async with sdk(proxy, someone) as client:
        stream = await client.chat.completions.create(
            model="scripted", messages=ASK, stream=True, extra_headers=named
        )
        chunks = [chunk async for chunk in stream]

    told = [(chunk.model_extra or {})["event"] for chunk in chunks if not chunk.choices]
    said = [choice.delta.content or "" for chunk in chunks for choice in chunk.choices]
    assert "".join(said) == "Lapsang Souchong."
    assert told[0]["data"]["description"] == "Recalled 1 memory"
    assert told[1]["data"]["document"] == [TEA]
    assert told[2]["data"]["description"] == "Meanwhile remembered: Has a cat."
    assert_recalled(upstream.last, someone)
