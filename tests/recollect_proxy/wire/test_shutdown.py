"""A served proxy, told to stop, says so first, takes nobody new, and finishes what runs: once as a process of its own."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from tests.recollect_proxy.given import CAT
from tests.recollect_proxy.settings import changed
from tests.scripted.upstream import End, ScriptedUpstream, events, streamed
from tests.servers.databases import sql_rows
from tests.servers.running_proxy import ADMIN_TOKEN, User, chat_request
from tests.servers.served_process import environment, served_process
from tests.support.raw_client import RawConnection, request_bytes
from tests.support.waiting import until

from recollect_proxy.app import App
from recollect_proxy.serving.server import Server
from recollect_proxy.settings.proxy_settings import ProxySettings

_PATIENCE_SECONDS = 60.0


@dataclass(frozen=True)
class Served:
    """A proxy that is served within this process, and hears its signals.

    Attributes:
        port: Where.
        serving: Ends as `recollect serve` would; with an error if that were not with 0.
    """

    port: int
    serving: "asyncio.Task[None]"

    def signal(self, number: signal.Signals) -> None:
        """Send the process a signal."""
        os.kill(os.getpid(), number)

    async def ended(self) -> None:
        await asyncio.wait_for(asyncio.shield(self.serving), _PATIENCE_SECONDS)


@asynccontextmanager
async def serving(settings: ProxySettings, **own: object) -> AsyncIterator[Served]:
    """Serve until told to stop, or until left."""
    settings = changed(settings, **{"formation": "qa_turn", "shutdown_seconds": 1} | own)
    ports: list[int] = []
    before = signal.getsignal(signal.SIGTERM)
    server = Server(App(settings, admin_token=ADMIN_TOKEN), settings, ready=ports.append)
    task = asyncio.create_task(server.serve())
    try:
        await until(lambda: bool(ports) or task.done())
        assert ports, "the proxy did not start; its log says why"
        yield Served(ports[0], task)
    finally:
        server.should_exit = True
        await task
        signal.signal(signal.SIGTERM, before)


@pytest.fixture
async def served(fresh_settings: ProxySettings, upstream: ScriptedUpstream) -> AsyncIterator[Served]:
    assert fresh_settings.upstream == upstream.base_url
    async with serving(fresh_settings) as served:
        yield served


async def logged(settings: ProxySettings) -> list[str]:
    """Return what the database holds of what was said."""
    assert settings.database_url is not None
    rows = await sql_rows(
        settings.database_url.get_secret_value(), "SELECT content FROM recollect.messages ORDER BY turn_index"
    )
    return [row["content"] for row in rows]


async def refused(port: int) -> None:
    """Wait until nobody is let in any more."""

    async def is_refused() -> bool:
        try:
            async with RawConnection(port):
                return False
        except OSError:
            return True

    await until(is_refused)


@pytest.mark.process
async def test_a_running_stream_is_finished_before_the_process_ends(
    upstream: ScriptedUpstream, user: User, fresh_settings: ProxySettings
) -> None:
    assert fresh_settings.database_url is not None
    go_on = asyncio.Event()
    first, *rest = events("Min", "ka")
    environ = environment(
        upstream=upstream.base_url,
        data_dir=fresh_settings.data_dir,
        database_url=fresh_settings.database_url.get_secret_value(),
        formation="qa_turn",
        worker="elsewhere",
        shutdown_seconds=60,
    )
    async with served_process(environ=environ) as process, RawConnection(process.port) as client:
        upstream.answers.append(streamed(first, go_on, *rest))
        await client.send(chat_request(user, CAT, stream=True))
        await client.read_head()
        await client.read_until(b"\n\n")
        process.signal(signal.SIGTERM)
        await refused(process.port)
        go_on.set()
        end = await client.read_until(b"0\r\n\r\n")
        status = await process.ended()

    assert end.endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n")
    assert status == 0
    assert await logged(fresh_settings) == [CAT, "Minka"]
    assert [json.loads(line)["event"] for line in process.logged if "error" in line] == []


async def test_a_stream_that_does_not_end_is_cut_when_the_time_is_over(
    served: Served, upstream: ScriptedUpstream, user: User, fresh_settings: ProxySettings
) -> None:
    upstream.answers.append(streamed(*list(events("Min", "ka"))[:2], End.SILENCE))
    async with RawConnection(served.port) as client:
        await client.send(chat_request(user, CAT, stream=True))
        await client.read_head()
        await client.read_until(b'"Min"')
        served.signal(signal.SIGINT)
        answer = await client.read_rest()

    assert not answer.endswith(b"0\r\n\r\n")
    await served.ended()
    assert await logged(fresh_settings) == [CAT, "Min"]


async def test_a_connection_that_idles_does_not_hold_the_end_up(served: Served) -> None:
    async with RawConnection(served.port) as client:
        await client.send(request_bytes(b"GET", b"/v1/models"))
        assert (await client.read_response()).status == 200
        served.signal(signal.SIGTERM)

        assert await client.read_rest() == b""
        await served.ended()
