"""How soon an upstream learns that the client left: `python -m bench leaving`. Never: a test.

A real `recollect serve` process on the loopback, between a client and an upstream written by hand. Timed is
from the client's close to the end that the upstream sees on its socket; half of the closes are a FIN, half
a RST. The proxy is given a user, so that the whole road is gone: recall included, forming switched off.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import uvloop
from tests.raw_client import RawConnection
from tests.running_proxy import User, chat_request
from tests.scripted_upstream import JSON, Answer, End, ScriptedUpstream, events, head, streamed
from tests.served_process import environment, served_process

_MOMENTS: dict[str, Answer] = {
    "before the first byte": (End.SILENCE,),
    "within a stream": streamed(*list(events("one ", "two "))[:3], End.SILENCE),
    "within a whole answer": (head(200, [*JSON, (b"Content-Length", b"4000")]) + b"{" * 40, End.SILENCE),
}


async def _milliseconds(port: int, upstream: ScriptedUpstream, moment: str, *, politely: bool) -> float:
    upstream.forget()
    upstream.answers.append(_MOMENTS[moment])
    streams = moment == "within a stream"
    async with RawConnection(port) as client:
        await client.send(chat_request(User("anna"), "Is it morning?", stream=streams))
        [request] = await upstream.requests(1)
        if moment != "before the first byte":
            await client.read_head()
        began = time.perf_counter()
        if not politely:
            client.leave()
    await request.client_left.wait()
    return (time.perf_counter() - began) * 1000


async def _measure(rounds: int, folder: Path) -> None:
    async with ScriptedUpstream() as upstream:
        told = environment(upstream=upstream.base_url, data_dir=folder, formation="off", shutdown_seconds=5)
        async with served_process("--log-level", "error", environ=told) as served:
            print("| the client leaves | p50 ms | p99 ms | max ms |\n|---|---|---|---|")
            for moment in _MOMENTS:
                taken = sorted(
                    [
                        await _milliseconds(served.port, upstream, moment, politely=number % 2 == 0)
                        for number in range(rounds)
                    ]
                )
                middle, late = statistics.median(taken), taken[int(rounds * 0.99) - 1]
                print(f"| {moment} | {middle:.2f} | {late:.2f} | {taken[-1]:.2f} |", flush=True)


def main() -> None:
    """Print the figures as a Markdown table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=200, help="clients that leave, at each moment")
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        Path(folder).chmod(0o711)  # as root the database runs as another account, which has to get in
        uvloop.run(_measure(arguments.parse_args().rounds, Path(folder)))
