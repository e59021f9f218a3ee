"""An upstream that can't be asked, or does not answer: 502, 503 or 504, in OpenAI's shape, naming who failed."""

import asyncio
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from tests.recollect_proxy.own_proxies import ListeningProxies
from tests.recollect_proxy.wire.routes import Route, on_every_route, said_by
from tests.scripted.upstream import End, ScriptedUpstream, completion, streamed
from tests.servers.full_queue import nobody_accepts
from tests.servers.running_proxy import CHAT, RunningProxy, User, chat_body
from tests.support.waiting import until

from recollect_proxy.upstream.upstream import TruncatedError, Upstream, UpstreamError
from recollect_proxy.web.errors import UPSTREAM_BUSY, UPSTREAM_SILENT, UPSTREAM_UNREACHABLE, Failure

CAT = "I have a cat called Minka."


async def failure_of(upstream: Upstream) -> Failure:
    """Ask once; return why there was no answer."""
    with pytest.raises(UpstreamError) as caught:
        async with upstream.forward("POST", b"/x", [], b"{}"):
            pass
    await upstream.aclose()
    return caught.value.failure


async def test_an_upstream_that_refuses_is_a_502(lonely: RunningProxy, user: User) -> None:
    for answer in (
        await lonely.say(user, CAT),
        await lonely.say(user, CAT, stream=True),
        await lonely.fetch(b"POST", CHAT, (), chat_body(CAT)),
        await lonely.fetch(b"GET", b"/v1/models"),
    ):
        assert answer.status == 502
        assert said_by(answer) == "upstream_unreachable"
    assert set(await lonely.logged(user)) == {("user", CAT)}  # it was said, whoever did not hear it


@on_every_route
async def test_a_refusal_is_a_502_on_every_route(lonely: RunningProxy, user: User, route: Route) -> None:
    answer = await route.ask(lonely, user)

    assert answer.status == 502
    assert said_by(answer) == "upstream_unreachable"


async def test_a_name_that_can_not_be_resolved_is_unreachable() -> None:
    upstream = Upstream("http://upstream.invalid/v1", connect_timeout=20, read_timeout=5)

    assert await failure_of(upstream) is UPSTREAM_UNREACHABLE


async def test_an_upstream_that_speaks_no_tls_is_unreachable() -> None:
    async def answer_in_plain(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async with await asyncio.start_server(answer_in_plain, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        upstream = Upstream(f"https://127.0.0.1:{port}/v1", connect_timeout=20, read_timeout=5)

        assert await failure_of(upstream) is UPSTREAM_UNREACHABLE


async def test_an_upstream_whose_certificate_nobody_vouches_for_is_unreachable(tmp_path: Path) -> None:
    asked: list[bytes] = []

    async def note(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.read())

    server = await asyncio.start_server(note, "127.0.0.1", 0, ssl=self_signed(tmp_path))
    async with server:
        port = server.sockets[0].getsockname()[1]
        upstream = Upstream(f"https://127.0.0.1:{port}/v1", connect_timeout=20, read_timeout=5)

        assert await failure_of(upstream) is UPSTREAM_UNREACHABLE
    assert asked == []


async def test_a_connection_that_is_not_made_in_time_is_a_504(
    listening_proxies: ListeningProxies, user: User
) -> None:
    with nobody_accepts() as port:
        upstream = f"http://127.0.0.1:{port}/v1"
        own = {"upstream": upstream, "connect_timeout_seconds": 0.2}
        async with listening_proxies.serve(**own) as proxy:
            for answer in (await proxy.say(user, CAT), await proxy.fetch(b"GET", b"/v1/models")):
                assert answer.status == 504
                assert said_by(answer) == "upstream_timeout"


async def test_an_upstream_that_says_nothing_is_a_504(
    impatient: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.otherwise = lambda _request: (End.SILENCE,)

    for answer in (await impatient.say(user, CAT), await impatient.fetch(b"GET", b"/v1/models")):
        assert answer.status == 504
        assert said_by(answer) == "upstream_timeout"
    async with asyncio.timeout(20):
        await upstream.last.client_left.wait()
    assert await impatient.logged(user) == [("user", CAT)]


async def test_a_slow_first_byte_is_waited_for(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.answers.append((0.3, *completion("At last.")))

    answer = await proxy.say(user, CAT)

    assert answer.json["choices"][0]["message"]["content"] == "At last."


async def test_silence_before_an_answer_has_a_bound_of_its_own() -> None:
    async with ScriptedUpstream() as server:
        server.answers += [(0.4, *completion("At last.")), streamed(b"x", 0.4, b"y"), (End.SILENCE,)]
        upstream = Upstream(server.base_url, connect_timeout=20, read_timeout=60, first_byte_timeout=60)
        hasty = Upstream(server.base_url, connect_timeout=20, read_timeout=60, first_byte_timeout=0.2)

        async with upstream.forward("GET", b"/x", [], None) as answer:
            assert await answer.read_body()
        async with hasty.forward("GET", b"/x", [], None) as answer:
            assert await answer.read_body() == b"xy"
        assert await failure_of(hasty) is UPSTREAM_SILENT
        await upstream.aclose()


async def test_silence_within_an_answer_has_a_bound_of_its_own() -> None:
    async with ScriptedUpstream() as server:
        server.answers += [(0.4, *completion("At last.")), streamed(b"x", End.SILENCE)]
        upstream = Upstream(server.base_url, connect_timeout=20, read_timeout=0.2, first_byte_timeout=60)

        async with upstream.forward("GET", b"/x", [], None) as answer:
            assert await answer.read_body()
        async with upstream.forward("GET", b"/x", [], None) as answer:
            assert await answer.chunk() == b"x"
            with pytest.raises(TruncatedError):
                await answer.chunk()
        await upstream.aclose()


async def test_who_finds_every_connection_taken_waits_a_while_and_is_told_503(
    hasty: RunningProxy, upstream: ScriptedUpstream, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hasty.app.upstream.connections, "_limit", asyncio.Semaphore(2))
    go_on = asyncio.Event()
    upstream.answers += [(go_on, *completion("One.")), (go_on, *completion("Two."))]
    under_way = [asyncio.create_task(hasty.say(user, CAT, chat=f"chat-{number}")) for number in range(2)]
    await upstream.requests(2)

    refused = await hasty.say(user, CAT)
    other = await hasty.fetch(b"GET", b"/v1/models")
    go_on.set()
    answers = await asyncio.gather(*under_way)
    late = await hasty.say(user, CAT)

    for answer in (refused, other):
        assert answer.status == 503
        assert answer.header(b"x-recollect-error") == b"proxy"
        assert answer.json["error"]["code"] == "upstream_busy"
        assert answer.json["error"]["type"] == "proxy_error"
    assert [answer.status for answer in (*answers, late)] == [200, 200, 200]


async def test_who_waits_for_a_connection_gets_the_next_one() -> None:
    async with ScriptedUpstream() as server:
        go_on = asyncio.Event()
        server.answers.append((go_on, *completion("One.")))
        upstream = Upstream(server.base_url, connect_timeout=60, read_timeout=60, connections=1)

        async def ask() -> int:
            async with upstream.forward("POST", b"/x", [], b"{}") as answer:
                await answer.read_body()
                return answer.status

        asking = [asyncio.create_task(ask()) for _ in range(3)]
        await server.requests(1)
        await until(lambda: upstream.connections.waiting == 2)
        leaver = asking.pop()
        leaver.cancel()  # one who leaves the queue takes nobody's place
        go_on.set()

        assert await asyncio.gather(*asking) == [200, 200]
        assert await asyncio.gather(leaver, return_exceptions=True)
        await upstream.aclose()
    assert (server.connections, len(server.received)) == (1, 2)


async def test_a_pool_that_stays_full_is_busy_and_not_silent() -> None:
    async with ScriptedUpstream() as server:
        server.answers.append((End.SILENCE,))
        upstream = Upstream(server.base_url, connect_timeout=0.2, read_timeout=60, connections=1)
        first = asyncio.create_task(failure_of(upstream))
        await server.requests(1)

        with pytest.raises(UpstreamError) as caught:
            async with upstream.forward("POST", b"/x", [], b"{}"):
                pass

        assert caught.value.failure is UPSTREAM_BUSY
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await upstream.aclose()


def self_signed(folder: Path) -> ssl.SSLContext:
    """Return what a server needs for TLS, with a certificate that only it has signed."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    certificate = (
        builder.not_valid_before(now).not_valid_after(now + timedelta(days=1)).sign(key, hashes.SHA256())
    )
    file = folder / "server.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context
