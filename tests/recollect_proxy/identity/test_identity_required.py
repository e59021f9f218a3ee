"""With RECOLLECT_REQUIRE_IDENTITY what is of nobody known never reaches the LLM's server, whose key the proxy adds."""

from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.own_proxies import ListeningProxies
from tests.recollect_proxy.wire.routes import HANDSHAKE
from tests.scripted.upstream import LAST_CHUNK, ScriptedUpstream, chunk
from tests.servers.running_proxy import CHAT, RunningProxy, chat_body
from tests.support.raw_client import Fields, RawConnection, Response, request_bytes

from recollect.settings.upstream_policies import UpstreamSettings
from recollect_proxy.identity.api_key import add_key
from recollect_proxy.settings.proxy_settings import IdentityMode

PROVIDERS_KEY = "sk-of-the-provider"
PREFLIGHT = [
    (b"Origin", b"https://app.example.org"),
    (b"Access-Control-Request-Method", b"POST"),
    (b"Access-Control-Request-Headers", b"authorization, content-type"),
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


async def health(proxy: RunningProxy) -> dict[str, int]:
    """Return how many requests had no memory, by reason."""
    told: dict[str, int] = (await proxy.fetch(b"GET", b"/memory/health")).json["skipped"]
    return defaultdict(int, told)


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


SAID = chat_body("Hello.")


@in_turn(
    ("method", "target", "headers", "body"),
    [
        *((b"POST", CHAT, of, SAID) for of in ([], keyed("wrong"), keyed("recollect-" + "x" * 40))),
        *(
            (b"POST", each, [], b"{}")
            for each in (b"/v1/embeddings", b"/v1/models", b"/v1//chat%2Fcompletions")
        ),
        (b"DELETE", b"/v1/files/file-1", [], None),
        *(
            (b"GET", each, [], None)
            for each in (
                *(b"/v1/files", b"/v1/models/m/../../files", b"/v1/files?x=/models", b"/v1/files/models"),
                *(b"/v1/files/abc/content%3Fx=/models", b"/v1/files/abc/content%23/models"),
                b"/v1/chat/completions/models",
            )
        ),
        *((b"OPTIONS", each, [], None) for each in (CHAT, b"/v1/files/file-1")),
        # a body with what is for everybody
        (b"GET", b"/v1/models", [], SAID),
        (b"OPTIONS", CHAT, PREFLIGHT, SAID),
    ],
)
async def test_what_is_of_nobody_known_does_not(
    strict: RunningProxy,
    upstream: ScriptedUpstream,
    method: bytes,
    target: bytes,
    headers: Fields,
    body: bytes | None,
) -> None:
    assert_refused(await strict.fetch(method, target, headers, body), upstream)


async def test_nor_what_has_no_body_to_say_so(strict: RunningProxy, upstream: ScriptedUpstream) -> None:
    head = await strict.fetch(b"HEAD", b"/v1/files/x/models", [])
    socket = await strict.fetch(b"GET", b"/v1/realtime?model=m", HANDSHAKE)
    assert (head.status, socket.status, upstream.received) == (401, 403, [])


async def test_nor_one_in_chunks(strict: RunningProxy, upstream: ScriptedUpstream) -> None:
    request = request_bytes(b"GET", b"/v1/models", [(b"Transfer-Encoding", b"chunked")])
    async with RawConnection(strict.port) as client:
        await client.send(request + chunk(chat_body("Hello.")) + LAST_CHUNK)
        assert_refused(await client.read_response(), upstream)


@in_turn("asked", [(b"GET", b"/v1/models", []), (b"OPTIONS", CHAT, PREFLIGHT)])
async def test_frontends_may_list_models_and_browsers_ask_first(
    strict: RunningProxy, upstream: ScriptedUpstream, asked: tuple[bytes, bytes, Fields]
) -> None:
    method, target, headers = asked

    answer = await strict.fetch(method, target, headers)

    assert answer.status == 200
    assert upstream.last.method == method


async def test_what_is_refused_is_counted_and_holds_up_no_formation(
    strict: RunningProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    running: list[int] = []
    monkeypatch.setattr(strict.app.engine, "_count_chats", running.append)
    before = (await health(strict))["no-identity"]

    await strict.fetch(b"POST", CHAT, [], chat_body("Hello."))

    assert (await health(strict))["no-identity"] == before + 1
    assert running == []


async def test_it_holds_for_each_of_several_upstreams(
    listening_proxies: ListeningProxies, upstream: ScriptedUpstream, keys: Path, key: str
) -> None:
    further = (
        UpstreamSettings(name="by-path", url=upstream.base_url, path="/other", api_key=SecretStr("sk-other")),
        UpstreamSettings(name="by-model", url=upstream.base_url, models=("o-*",), api_key=SecretStr("sk-o")),
    )
    own = {
        "identity": (IdentityMode.API_KEY,),
        "api_keys": keys,
        "require_identity": True,
        "upstreams": further,
    }
    async with listening_proxies.serve(**own) as proxy:
        for target, model in ((b"/other/chat/completions", "m"), (CHAT, "o-1"), (CHAT, "m")):
            body = chat_body("Hello.", model=model)
            assert_refused(await proxy.fetch(b"POST", target, [], body), upstream)
            assert (await proxy.fetch(b"POST", target, keyed(key), body)).status == 200
            upstream.received.clear()
        for target in (b"/other/models", b"/v1/models"):
            assert (await proxy.fetch(b"GET", target)).status != 401


async def test_our_own_paths_are_guarded_as_ever(strict: RunningProxy) -> None:
    assert (await strict.fetch(b"GET", b"/memory/live")).status == 200
    assert (await strict.fetch(b"GET", b"/memory/users/anna/memories")).status == 401
