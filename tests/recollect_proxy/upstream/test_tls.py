"""Where a server is, by its base URL; which servers behind TLS are trusted, and how they fail."""

import asyncio
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.recollect_proxy.upstream.loops import on_both_loops
from tests.recollect_proxy.upstream.servers import WHOLE, Serving, ask, endless, pooled, serving
from tests.recollect_proxy.upstream.test_flow import stands_still
from tests.servers.certificates import write_certificate
from tests.support.tables import table

from recollect_proxy.upstream.connection import BrokenOffError, SilentError, UnreachableError
from recollect_proxy.upstream.pool import Address, tls


@table(
    ("url", "address"),
    [
        ("http://llm:8000/v1", Address("llm", 8000, encrypted=False, authority=b"llm:8000", path=b"/v1")),
        ("http://llm", Address("llm", 80, encrypted=False, authority=b"llm", path=b"")),
        ("http://llm:80/", Address("llm", 80, encrypted=False, authority=b"llm", path=b"")),
        ("http://llm:443", Address("llm", 443, encrypted=False, authority=b"llm:443", path=b"")),
        ("https://llm/v1/", Address("llm", 443, encrypted=True, authority=b"llm", path=b"/v1")),
        ("https://llm:443", Address("llm", 443, encrypted=True, authority=b"llm", path=b"")),
        ("https://llm:80", Address("llm", 80, encrypted=True, authority=b"llm:80", path=b"")),
        ("http://[::1]:81/v1", Address("::1", 81, encrypted=False, authority=b"[::1]:81", path=b"/v1")),
        ("http://[::1]", Address("::1", 80, encrypted=False, authority=b"[::1]", path=b"")),
        ("http://LLM.Local", Address("llm.local", 80, encrypted=False, authority=b"llm.local", path=b"")),
        (
            "http://m\u00fcnchen.test/\u00fc b%20c",
            Address(
                "xn--mnchen-3ya.test",
                80,
                encrypted=False,
                authority=b"xn--mnchen-3ya.test",
                path=b"/%C3%BC%20b%20c",
            ),
        ),
    ],
)
def test_an_address_is_read_from_a_url(url: str, address: Address) -> None:
    assert Address.parse(url) == address


@table(
    ("base", "shown"),
    [("http://llm:8000/v1", "http://llm:8000"), ("https://key:hush@llm/hush/v1?key=hush", "https://llm")],
)
def test_of_an_address_the_log_has_the_server_alone(base: str, shown: str) -> None:
    assert Address.parse(base).origin == shown


MEGABYTE = 2**20


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for the loopback, signed by itself, with its key."""
    return write_certificate(tmp_path_factory.mktemp("tls") / "both.pem")


@pytest.fixture
def server_tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    context.set_alpn_protocols(["h2", "http/1.1"])
    return context


@pytest.fixture
def trusted(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The certificate is among the system's."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    tls.cache_clear()
    yield
    tls.cache_clear()


def url(server: Serving, host: str = "127.0.0.1") -> str:
    return f"https://{host}:{server.port}"


@on_both_loops
@pytest.mark.usefixtures("trusted")
async def test_a_trusted_server_is_spoken_to_in_http_1_1(server_tls: ssl.SSLContext) -> None:
    async with serving(tls=server_tls) as server, pooled(url(server)) as pool:
        for reused in (False, True, True):
            lent = await pool.acquire()
            assert lent.reused is reused
            assert (await ask(lent.connection)).status == 200
            spoken = lent.connection._transport.get_extra_info("ssl_object")
            assert spoken.selected_alpn_protocol() == "http/1.1"
            pool.release(lent)


@on_both_loops
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_server_that_nobody_vouches_for_and_one_of_another_name_are_not_spoken_to(
    server_tls: ssl.SSLContext, request: pytest.FixtureRequest, host: str
) -> None:
    if host == "localhost":
        request.getfixturevalue("trusted")
    async with serving(tls=server_tls) as server, pooled(url(server, host), limit=1) as pool:
        with pytest.raises(UnreachableError):
            await pool.acquire()
        assert not pool._limit.locked()
        assert server.heads == []


@on_both_loops
async def test_a_server_without_tls_is_unreachable_over_it() -> None:
    async def nonsense(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(WHOLE)
        await reader.read()

    async with serving(nonsense) as server, pooled(url(server)) as pool:
        with pytest.raises(UnreachableError):
            await pool.acquire()


async def mute(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    await reader.read()


@on_both_loops
@pytest.mark.parametrize("leaves", [False, True])
async def test_a_handshake_that_never_finishes_is_a_silence_and_may_be_left(*, leaves: bool) -> None:
    patience = 20 if leaves else 0.2
    async with serving(mute) as server, pooled(url(server), limit=1, connect_timeout=patience) as pool:
        connecting = asyncio.create_task(pool.acquire())
        if leaves:
            await asyncio.sleep(0.1)
            connecting.cancel()
        [outcome] = await asyncio.gather(connecting, return_exceptions=True)

        assert type(outcome) is (asyncio.CancelledError if leaves else SilentError)
        assert not pool._limit.locked()
        await server.left.wait()


@on_both_loops
@pytest.mark.usefixtures("trusted")
async def test_a_server_that_says_its_last_ends_an_upload_over_tls_too(server_tls: ssl.SSLContext) -> None:
    drawn = [0]

    async def leave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        reader._transport.pause_reading()  # type: ignore[attr-defined]  # so that our end of it never empties
        await stands_still(0, drawn)
        writer.close()
        await writer.wait_closed()

    async with serving(leave, tls=server_tls) as server, pooled(url(server)) as pool:
        lent = await pool.acquire()
        answer = lent.connection.send(b"POST", b"/x", [(b"Host", b"x")], endless(drawn), silence=1000)
        with pytest.raises(BrokenOffError):
            await answer.head
        assert lent.connection._upload is not None
        await asyncio.wait([lent.connection._upload])
        pool.release(lent)
        assert pool.idle == 0
