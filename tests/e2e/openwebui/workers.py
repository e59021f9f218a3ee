"""The worker processes of one Open WebUI, and a way to each of them.

Who serves a connection is seen from outside, in /proc: Open WebUI has no word for it.
"""

import asyncio
import re
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx
from tests.e2e.openwebui.people import Person
from tests.e2e.openwebui.server import Server
from tests.support.waiting import until

_SECONDS = 120.0
_REUSED_SECONDS = 2.0
"""Open WebUI closes a connection that is idle for five."""

_STARTED = re.compile(r"Started (?:parent|server) process \[(\d+)\]")
_PROCESSES = Path("/proc")


def started(server: Server) -> list[int]:
    """Return the ids of all processes that Open WebUI ever started of itself, its first process first."""
    return [int(found) for found in _STARTED.findall(server.log)]


def is_alive(process: int) -> bool:
    return (_PROCESSES / str(process)).exists()


async def workers_of(server: Server, count: int) -> list[int]:
    """Wait until so many workers are there, and return their ids."""
    first, *_ = started(server)
    living: list[int] = []

    def all_there() -> bool:
        living[:] = [each for each in started(server) if each != first and is_alive(each)]
        return len(living) == count

    await until(all_there, seconds=_SECONDS)
    return living


def through(worker: int, person: Person) -> Person:
    """Return a person whom one worker alone answers, and who learns from that worker what runs."""
    given = person.client
    client = httpx.AsyncClient(
        base_url=given.base_url,
        headers=given.headers,
        timeout=given.timeout,
        transport=_OneWorker(str(given.base_url), worker),
    )
    administrator = person.administrator and through(worker, person.administrator)
    return replace(person, client=client, administrator=administrator)


@dataclass
class _OneWorker(httpx.AsyncBaseTransport):
    """Sends requests over connections that one worker has accepted."""

    base_url: str
    worker: int
    _free: list[tuple[float, httpx.AsyncHTTPTransport]] = field(default_factory=list)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        connection = self._reused() or await self._connected()
        response = await connection.handle_async_request(request)
        await response.aread()
        self._free.append((time.monotonic(), connection))
        return response

    def _reused(self) -> httpx.AsyncHTTPTransport | None:
        while self._free:
            since, connection = self._free.pop()
            if time.monotonic() - since < _REUSED_SECONDS:
                return connection
        return None

    async def _connected(self) -> httpx.AsyncHTTPTransport:
        async with asyncio.timeout(_SECONDS):
            while True:
                connection = httpx.AsyncHTTPTransport(trust_env=False)
                if await self._accepts(connection):
                    return connection
                await connection.aclose()
                await asyncio.sleep(0.01)

    async def _accepts(self, connection: httpx.AsyncHTTPTransport) -> bool:
        probe = httpx.Request("GET", f"{self.base_url.rstrip('/')}/health")
        response = await connection.handle_async_request(probe)
        stream = response.extensions["network_stream"]
        here, there = stream.get_extra_info("client_addr")[1], stream.get_extra_info("server_addr")[1]
        await response.aread()
        return _socket(there, here) in _sockets_of(self.worker)


def _socket(port: int, peer: int) -> str:
    """Return the name of the server's end of a connection, between two ports of this machine."""
    for line in (_PROCESSES / "net" / "tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if [int(fields[end].partition(":")[2], 16) for end in (1, 2)] == [port, peer]:
            return f"socket:[{fields[9]}]"
    return ""


def _sockets_of(process: int) -> set[str]:
    found = set()
    with suppress(FileNotFoundError):  # the process has ended
        for descriptor in (_PROCESSES / str(process) / "fd").iterdir():
            with suppress(FileNotFoundError):  # it was just closed
                found.add(str(descriptor.readlink()))
    return found
