"""Frontends that send no identity, each with its person's own key: as Home Assistant, Jan and Cherry Studio speak."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from tests.e2e.clients.programs import QUESTION, Client, node_client, python_client
from tests.e2e.clients.test_ollama import NDJSON, chat
from tests.recollect_proxy.given import TEA, given_memory
from tests.recollect_proxy.own_proxies import ListeningProxies
from tests.scripted.upstream import Answer, ScriptedUpstream, completion_stream, streamed
from tests.servers.running_proxy import RunningProxy, User

from recollect_proxy.identity.api_key import add_key
from recollect_proxy.settings.proxy_settings import IdentityMode

PIECES = ["Lapsang", " Souchong."]
LLM_KEY = "sk-of-the-llm"
FRONTENDS: dict[str, tuple[Callable[[str], Client], Answer]] = {
    "home assistant": (
        lambda key: python_client("speak_home_assistant", way="chat", key=key),
        streamed(*map(chat, PIECES), chat("", done=True, done_reason="stop"), headers=NDJSON),
    ),
    "jan": (lambda key: node_client("jan", "ai_sdk.mjs", key=key), completion_stream(*PIECES)),
    "cherry studio": (
        lambda key: node_client("cherry-studio", "ai_sdk.mjs", key=key),
        completion_stream(*PIECES),
    ),
}


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("keys") / "api-keys"
    file.touch()
    return file


@pytest.fixture(scope="module")
async def household(
    listening_proxies: ListeningProxies, session_upstream: ScriptedUpstream, keys: Path
) -> AsyncIterator[RunningProxy]:
    async with listening_proxies.serve(
        identity=(IdentityMode.API_KEY,),
        api_keys=keys,
        upstream=f"http://127.0.0.1:{session_upstream.port}",
        upstream_api_key=LLM_KEY,
    ) as proxy:
        yield proxy


@pytest.mark.parametrize("frontend", FRONTENDS)
async def test_a_key_gives_its_person_a_memory_and_stays_here(
    household: RunningProxy,
    upstream: ScriptedUpstream,
    keys: Path,
    user: User,
    other_user: User,
    frontend: str,
) -> None:
    client, answer = FRONTENDS[frontend]
    await given_memory(household, user, TEA)

    for person in (user, other_user):
        key = add_key(keys, person.known_as)
        upstream.forget()
        upstream.answers.append(answer)
        got = await client(key)(f"http://127.0.0.1:{household.port}", {})

        [received] = upstream.received
        assert got["said"] == PIECES
        assert (TEA in received.body.decode()) == (person is user)
        assert received.values(b"authorization") == [f"Bearer {LLM_KEY}".encode()]
        assert await household.logged(person) == [("user", QUESTION), ("assistant", "".join(PIECES))]
