"""With RECOLLECT_REQUIRE_IDENTITY what is of nobody known never reaches the LLM's server, whose key the proxy adds."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.raw_client import Fields, Response
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.own_proxies import ListeningProxies
from tests.running_proxy import CHAT, RunningProxy, chat_body
from tests.scripted_upstream import ScriptedUpstream

from recollect_proxy.identity.api_key import add_key
from recollect_proxy.settings import IdentityMode

PROVIDERS_KEY = "sk-of-the-provider"
HANDSHAKE = [
    (b"Upgrade", b"websocket"),
    (b"Connection", b"Upgrade"),
    (b"Sec-WebSocket-Version", b"13"),
    (b"Sec-WebSocket-Key", b"dGhlIHNhbXBsZSBub25jZQ=="),
]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("keys") / "api-keys"


@pytest.fixture(scope="module")
def key(keys: Path) -> str:
    return add_key(keys, "anna")


@pytest.fixture(scope="module")
async def strict(listening_proxies: ListeningProxies, keys: Path, key: str) -> AsyncIterator[RunningProxy]:
    """A proxy that knows Anna by her key, and sends on nothing of anybody else."""
    assert key
    async with listening_proxies.serve(
        identity=(IdentityMode.API_KEY,), api_keys=keys, upstream_api_key=PROVIDERS_KEY, require_identity=True
    ) as proxy:
        yield proxy


def keyed(key: str) -> Fields:
    return [(b"Authorization", b"Bearer " + key.encode())]


def assert_refused(answer: Response, upstream: ScriptedUpstream) -> None:
    assert answer.status == 401
    assert answer.json["error"]["code"] == "identity_required"
    assert answer.header(b"x-recollect-error") == b"proxy"
    assert answer.header(b"www-authenticate") == b"Bearer"
    assert upstream.received == []


async def test_a_chat_of_a_known_user_goes_on_with_the_providers_key(
    strict: RunningProxy, upstream: ScriptedUpstream, key: str
) -> None:
    answer = await strict.fetch(b"POST", CHAT, keyed(key), chat_body("Hello."))

    assert answer.status == 200
    assert upstream.last.values(b"authorization") == [b"Bearer " + PROVIDERS_KEY.encode()]


@in_turn("headers", [[], keyed("wrong"), keyed("recollect-" + "x" * 40)])
async def test_a_chat_of_nobody_known_does_not(
    strict: RunningProxy, upstream: ScriptedUpstream, headers: Fields
) -> None:
    assert_refused(await strict.fetch(b"POST", CHAT, headers, chat_body("Hello.")), upstream)


@in_turn(
    "asked",
    [
        (b"GET", b"/v1/files"),
        (b"DELETE", b"/v1/files/file-1"),
        (b"POST", b"/v1/embeddings"),
        (b"POST", b"/v1/models"),
        (b"GET", b"/v1/models/m/../../files"),
        (b"GET", b"/v1/files?x=/models"),
        (b"POST", b"/v1//chat%2Fcompletions"),
    ],
)
async def test_nor_does_anything_else(
    strict: RunningProxy, upstream: ScriptedUpstream, asked: tuple[bytes, bytes]
) -> None:
    method, target = asked

    assert_refused(await strict.fetch(method, target, [], b"{}" if method == b"POST" else None), upstream)


async def test_nor_is_a_socket_opened(strict: RunningProxy, upstream: ScriptedUpstream) -> None:
    answer = await strict.fetch(b"GET", b"/v1/realtime?model=m", HANDSHAKE)

    assert answer.status == 403
    assert upstream.received == []


@in_turn("method", [b"GET", b"OPTIONS"])
async def test_frontends_may_list_models_and_browsers_ask_first(
    strict: RunningProxy, upstream: ScriptedUpstream, method: bytes
) -> None:
    answer = await strict.fetch(method, b"/v1/models")

    assert answer.status == 200
    assert upstream.last.method == method


async def test_our_own_paths_are_guarded_as_ever(strict: RunningProxy) -> None:
    assert (await strict.fetch(b"GET", b"/memory/live")).status == 200
    assert (await strict.fetch(b"GET", b"/memory/users/anna/memories")).status == 401
