"""A WebSocket that the upstream does not open is not opened to the client; and whose key goes up."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.own_proxies import ListeningProxies
from tests.recollect_proxy.wire.routes import HANDSHAKE, OPERATORS_KEY
from tests.recollect_proxy.wire.talking_upstream import TalkingUpstream, talking
from tests.scripted.upstream import End, ScriptedUpstream, failure, head, streamed, whole
from tests.servers.running_proxy import CHAT, RunningProxy, User, chat_body
from tests.support.raw_client import Response, fetch
from websockets.exceptions import ConnectionClosed, InvalidStatus

from recollect.runtime.logs import configure_logging

REALTIME = b"/v1/realtime?model=m"


async def ask(proxy: RunningProxy, *more: tuple[bytes, bytes], target: bytes = REALTIME) -> Response:
    """Ask for a socket, and return what came back in place of one."""
    return await fetch(proxy.port, b"GET", target, [*HANDSHAKE, *more])


@pytest.fixture(scope="module")
async def keyed_relay(
    listening_proxies: ListeningProxies, session_talker: TalkingUpstream
) -> AsyncIterator[RunningProxy]:
    own = {"upstream": session_talker.base_url, "upstream_api_key": OPERATORS_KEY}
    async with listening_proxies.serve(**own) as proxy:
        yield proxy


# -- refused by the upstream -----------------------------------------------------------------------


@in_turn("status", [400, 401, 403, 404, 429, 500, 503])
async def test_a_refusal_reaches_the_client_with_its_status_headers_and_body(
    proxy: RunningProxy, upstream: ScriptedUpstream, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    headers = [
        (b"Retry-After", b"7"),
        (b"X-Request-Id", b"r1"),
        (b"Set-Cookie", b"a=1"),
        (b"Set-Cookie", b"b"),
    ]
    upstream.answers.append(failure(status, headers=headers))

    answer = await ask(proxy)
    await proxy.settle()

    assert answer.status == status
    assert answer.complete
    assert answer.json["error"]["code"] == f"scripted_{status}"
    assert answer.header(b"content-type") == b"application/json"
    assert answer.header(b"retry-after") == b"7"
    assert answer.header(b"x-request-id") == b"r1"
    assert answer.values(b"set-cookie") == [b"a=1", b"b"]
    assert "handshake" not in caplog.text  # the server has nothing to complain about


async def test_a_refusal_in_chunks_reaches_the_client_whole(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    first, *rest = streamed(b"No", b" more.", headers=[(b"Content-Type", b"text/plain")])
    assert isinstance(first, bytes)
    upstream.answers.append((first.replace(b" 200 ", b" 403 "), *rest))

    answer = await ask(proxy)

    assert (answer.status, answer.body, answer.complete) == (403, b"No more.", True)
    assert answer.values(b"transfer-encoding") == []


@in_turn("status", [301, 302, 307, 308])
async def test_a_redirect_is_told_and_not_followed(
    proxy: RunningProxy, upstream: ScriptedUpstream, status: int
) -> None:
    upstream.answers.append(whole(b"", status=status, headers=[(b"Location", b"/v1/elsewhere")]))

    answer = await ask(proxy)

    assert (answer.status, answer.header(b"location")) == (status, b"/v1/elsewhere")
    assert [request.target for request in upstream.received] == [REALTIME]


# -- refused by us ---------------------------------------------------------------------------------


async def test_an_upstream_that_is_not_there_is_a_bad_gateway(lonely: RunningProxy) -> None:
    answer = await ask(lonely)

    assert answer.status == 502
    assert answer.json["error"]["code"] == "upstream_unreachable"
    assert answer.header(b"x-recollect-error") == b"upstream"
    assert answer.header(b"content-type") == b"application/json"


@in_turn(
    "nonsense",
    [
        (End.CLOSE,),
        (End.RESET,),
        (b"nonsense\r\n\r\n", End.CLOSE),
        (head(101, [(b"Upgrade", b"websocket"), (b"Connection", b"Upgrade")]), End.CLOSE),  # no accept key
    ],
)
async def test_an_upstream_that_does_not_answer_sensibly_is_a_bad_gateway(
    proxy: RunningProxy, upstream: ScriptedUpstream, nonsense: tuple[bytes | End, ...]
) -> None:
    upstream.answers.append(nonsense)

    answer = await ask(proxy)

    assert answer.status == 502
    assert answer.json["error"]["type"] == "upstream_error"


async def test_an_upstream_that_stays_silent_is_a_gateway_timeout(
    hasty: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.answers.append((End.SILENCE,))

    answer = await ask(hasty)

    assert answer.status == 504
    assert answer.json["error"]["code"] == "upstream_timeout"
    async with asyncio.timeout(30):
        await upstream.last.client_left.wait()


@in_turn("target", [b"/realtime", b"/v1", b"/v1x/realtime", b"/memory/health", b"//v1/realtime"])
async def test_a_socket_outside_of_the_base_path_is_refused(
    proxy: RunningProxy, upstream: ScriptedUpstream, target: bytes
) -> None:
    answer = await ask(proxy, target=target)

    assert answer.status in {403, 404}
    assert upstream.begun == []


async def test_a_socket_to_our_own_paths_goes_to_no_upstream_that_has_all_others(
    listening_proxies: ListeningProxies, upstream: ScriptedUpstream
) -> None:
    async with listening_proxies.serve(upstream=upstream.base_url.removesuffix("/v1")) as whole_server:
        for target in (b"/memory", b"/memory/mcp", b"/memory/ui", b"/api/sessions/one/memories"):
            assert (await ask(whole_server, target=target)).status in {403, 404}, target

    assert upstream.begun == []


async def test_a_chat_that_asks_for_an_upgrade_is_no_way_around_memory(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    posted = await fetch(proxy.port, b"POST", CHAT, [*user.headers(), *HANDSHAKE], chat_body("Hello."))
    other = [*user.headers(), (b"Upgrade", b"h2c"), (b"Connection", b"Upgrade, HTTP2-Settings")]
    plain = await fetch(proxy.port, b"POST", CHAT, other, chat_body("Hello."))

    assert 400 <= posted.status < 500
    assert plain.status == 200
    assert len(upstream.begun) == 1
    assert upstream.last.values(b"upgrade") == []


# -- keys ------------------------------------------------------------------------------------------


async def test_the_configured_key_goes_up_in_place_of_the_clients(
    keyed_relay: RunningProxy, talker: TalkingUpstream
) -> None:
    talker.subprotocol = "realtime"
    offered = ["realtime", "openai-insecure-api-key.sk-client", "openai-beta.realtime-v1"]
    by_own_header = [("Authorization", "Bearer sk-client")]
    async with talking(keyed_relay.port, headers=by_own_header, subprotocols=offered):
        by_header = talker.socket.request
    async with talking(keyed_relay.port, subprotocols=offered) as client:
        by_subprotocol = talker.socket.request
        assert client.subprotocol == "realtime"

    for request in (by_header, by_subprotocol):
        assert request is not None
        assert request.headers.get_all("Authorization") == [f"Bearer {OPERATORS_KEY}"]
        assert request.headers["Sec-WebSocket-Protocol"] == "realtime, openai-beta.realtime-v1"


async def test_the_configured_key_is_for_sockets_below_the_base_alone(
    keyed: RunningProxy, upstream: ScriptedUpstream
) -> None:
    answer = await ask(keyed, target=b"/v1/a/%2e%2E/../keys")

    assert (answer.status, answer.json["error"]["code"]) == (400, "bad_request")
    assert upstream.begun == []


async def test_a_handshake_that_may_be_read_in_two_ways_goes_nowhere(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    assert (await ask(proxy, (b"Host", b"elsewhere.example"))).status in {403, 404}
    assert upstream.begun == []


WHOLE_KEY = "recollect-" + "Ab1-_" * 8 + "Cd2"


@pytest.mark.parametrize(
    ("headers", "offered"),
    [
        ([("X_Api_Key", WHOLE_KEY)], []),
        ([("X-Anything", f"key={WHOLE_KEY}")], []),
        ([("Sec_WebSocket_Protocol", WHOLE_KEY)], []),
        ([], [f"openai-insecure-api-key.{WHOLE_KEY}"]),
        ([], [WHOLE_KEY]),
        ([], [f"bearer.{WHOLE_KEY}"]),
    ],
)
async def test_a_key_of_our_making_goes_on_in_no_handshake(
    relay: RunningProxy, talker: TalkingUpstream, headers: list[tuple[str, str]], offered: list[str]
) -> None:
    talker.subprotocol = "realtime"
    path = f"/v1/realtime?model=m&api-key={WHOLE_KEY}&key=theirs"
    async with talking(relay.port, path, headers=headers, subprotocols=["realtime", *offered]):
        request = talker.socket.request

    assert request is not None
    assert WHOLE_KEY not in str(request.headers)
    assert request.path.endswith("?model=m&key=theirs")
    assert request.headers["Sec-WebSocket-Protocol"] == "realtime"


@in_turn(
    "header",
    [
        (b"X_Api_Key", WHOLE_KEY.encode()),
        (b"Authorization_", b"Bearer " + WHOLE_KEY.encode()),
        (b"Sec-WebSocket-Protocol", b"realtime, openai-insecure-api-key." + WHOLE_KEY.encode()),
        (b"Sec_WebSocket_Protocol", WHOLE_KEY.encode()),
    ],
)
async def test_a_key_of_our_making_goes_on_in_no_chat(
    listening_proxy: RunningProxy, upstream: ScriptedUpstream, user: User, header: tuple[bytes, bytes]
) -> None:
    path = CHAT + b"?key=" + WHOLE_KEY.encode() + b"&a=1"
    answer = await fetch(listening_proxy.port, b"POST", path, [*user.headers(), header], chat_body("Hello."))

    assert answer.status == 200
    assert upstream.last.target.endswith(b"/chat/completions?a=1")
    assert WHOLE_KEY.encode() not in b"".join(value for _, value in upstream.last.headers)


@pytest.mark.usefixtures("process_logging", "talker")
async def test_no_key_and_no_word_is_logged_whatever_the_level(
    keyed_relay: RunningProxy,
    keyed: RunningProxy,
    listening_proxies: ListeningProxies,
    upstream: ScriptedUpstream,
    capfd: pytest.CaptureFixture[str],
) -> None:
    secrets = ["sk-in-the-header", "sk-in-the-subprotocol", "sk-in-the-query", "said in confidence"]

    async def speak(proxy: RunningProxy) -> None:
        with suppress(InvalidStatus, ConnectionClosed):
            async with talking(
                proxy.port,
                f"/v1/realtime?key={secrets[2]}",
                headers=[("Authorization", f"Bearer {secrets[0]}")],
                subprotocols=["realtime", f"openai-insecure-api-key.{secrets[1]}"],
            ) as client:
                await client.send(secrets[3])
                await client.recv()
                await client.close(4000, secrets[3])
        await proxy.settle()

    configure_logging("debug")
    upstream.answers.append((End.RESET,))
    await speak(keyed_relay)
    await speak(keyed)
    to_nobody = {"upstream": "http://127.0.0.1:9/v1", "upstream_api_key": OPERATORS_KEY}
    async with listening_proxies.serve(**to_nobody) as proxy:  # whose start and end are looked through, too
        await speak(proxy)

    logged = "".join(capfd.readouterr())
    assert "upstream_failed" in logged  # it is our lines that were looked through
    assert not [secret for secret in (*secrets, OPERATORS_KEY) if secret in logged]


# -- the server's end ------------------------------------------------------------------------------


async def test_a_server_that_stops_closes_its_sockets_on_both_sides(
    listening_proxies: ListeningProxies, talker: TalkingUpstream
) -> None:
    async with listening_proxies.serve(upstream=talker.base_url) as proxy:
        async with talking(proxy.port) as client:
            proxy.server.should_exit = True
            with pytest.raises(ConnectionClosed):
                await client.recv()
            assert client.close_code in {1001, 1012}
        assert (await talker.left())[0] in {1001, 1012}


async def test_a_server_that_stops_does_not_wait_for_an_upstream_that_hangs(
    listening_proxies: ListeningProxies, upstream: ScriptedUpstream
) -> None:
    """The handshake with the upstream is still under way."""
    upstream.answers.append((End.SILENCE,))
    own = {"shutdown_seconds": 1, "connect_timeout_seconds": 300}
    async with asyncio.timeout(60), listening_proxies.serve(**own) as proxy:
        asking = asyncio.create_task(ask(proxy))
        await upstream.requests(1)
        proxy.server.should_exit = True
        await asyncio.wait({asking})
        assert asking.exception() is not None or asking.result().status >= 500

    async with asyncio.timeout(30):
        await upstream.last.client_left.wait()
