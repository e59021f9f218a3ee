"""What TLS to the upstream costs a request: `python -m bench tls`. Never: a test, the whole proxy.

The relay's own HTTP client asks a mock of an LLM in another process, plain and over TLS by turns, on the loopback with a
certificate made for that. Each round asks each way as often, beginning with another one; shown are the medians of the rounds.
"""

import argparse
import asyncio
import gc
import os
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvloop
from tests.certificates import write_certificate

from bench.speed.mock_upstream import MockUpstream
from recollect_proxy.upstream.upstream import Upstream
from recollect_proxy.web.asgi import Headers

_SERVES = "--serve"
_TOKENS, _RATE = 100, 1_000
_JSON: Headers = [(b"content-type", b"application/json")]


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to ask: over TLS or not, on a kept connection or on a new one, how large, whether streamed."""

    what: str
    model: str
    size: int
    kept: bool = True


_WAYS = (
    _Way("2 KB, kept connection", "bench-whole", 2_000),
    _Way("200 KB, kept connection", "bench-whole", 200_000),
    _Way("2 KB, new connection each time", "bench-whole", 2_000, kept=False),
    _Way(f"an event of a stream of {_TOKENS}", f"bench-paced-{_TOKENS}-{_RATE}", 2_000),
)


@dataclass(frozen=True, slots=True)
class _Taken:
    """Microseconds of a request, or of an event: until it was answered, and of our processor."""

    waited: float
    worked: float


async def _ask(upstream: Upstream, body: bytes) -> None:
    async with upstream.forward("POST", b"/chat/completions", _JSON, body) as answer:
        await answer.read()


async def _timed(base_url: str, way: _Way, requests: int) -> _Taken:
    body = b'{"model":"%s","messages":"%s"}' % (way.model.encode(), b"x" * way.size)
    upstream = Upstream(base_url, connect_timeout=5, read_timeout=30)
    is_stream = way.model.startswith("bench-paced")
    count = max(1, requests // 20) if is_stream else requests
    try:
        await _ask(upstream, body)
        waits: list[float] = []
        worked = time.process_time()
        for _ in range(count):
            began = time.perf_counter()
            await _ask(upstream, body)
            waits.append(time.perf_counter() - began)
            if not way.kept:
                await upstream.aclose()
                upstream = Upstream(base_url, connect_timeout=5, read_timeout=30)
        worked = time.process_time() - worked
    finally:
        await upstream.aclose()
    parts = _TOKENS if is_stream else 1
    return _Taken(statistics.median(waits) * 1e6 / parts, worked * 1e6 / count / parts)


async def _measure(plain: str, encrypted: str, *, rounds: int, requests: int) -> None:
    taken: defaultdict[tuple[_Way, str], list[_Taken]] = defaultdict(list)
    gc.disable()
    for number in range(rounds):
        for way in _WAYS:
            for base_url in (plain, encrypted) if number % 2 else (encrypted, plain):
                taken[way, base_url].append(await _timed(base_url, way, requests))
        gc.collect()
    print("| a request | plain, µs | TLS, µs | added | processor plain, µs | TLS, µs | added |")
    print("|---|---|---|---|---|---|---|")
    for way in _WAYS:
        pairs = [
            [statistics.median(getattr(each, kind) for each in taken[way, url]) for url in (plain, encrypted)]
            for kind in ("waited", "worked")
        ]
        cells = [f"{a:.0f} | {b:.0f} | {b - a:+.0f}" for a, b in pairs]
        print(f"| {way.what} | {' | '.join(cells)} |", flush=True)


async def _serve(certificate: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    loop = asyncio.get_running_loop()
    servers = [await loop.create_server(MockUpstream, "127.0.0.1", 0, ssl=each) for each in (None, context)]
    print(*(server.sockets[0].getsockname()[1] for server in servers), flush=True)
    await asyncio.Event().wait()


@contextmanager
def _served(certificate: Path) -> Iterator[tuple[str, str]]:
    """Serve in another process until left, and return the base URLs: plain, and over TLS."""
    command = [sys.executable, "-m", "bench.speed.tls", _SERVES, str(certificate)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            plain, encrypted = process.stdout.readline().split()
            yield f"http://127.0.0.1:{plain}/v1", f"https://127.0.0.1:{encrypted}/v1"
        finally:
            process.terminate()


def main() -> None:
    """Print the figures as a Markdown table."""
    if sys.argv[1:2] == [_SERVES]:
        uvloop.run(_serve(Path(sys.argv[2])))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="interleaved rounds")
    parser.add_argument("--requests", type=int, default=400, help="requests of each way in a round")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        certificate = write_certificate(Path(folder) / "both.pem")
        os.environ["SSL_CERT_FILE"] = str(certificate)  # it is among those that the system trusts
        with _served(certificate) as (plain, encrypted):
            uvloop.run(_measure(plain, encrypted, rounds=arguments.rounds, requests=arguments.requests))


if __name__ == "__main__":
    main()
