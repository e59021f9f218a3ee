"""How long reading a request, and putting memories into it, keeps the event loop from everybody else.

Run: ``python -m bench holding``. For each shape: the longest time in which the loop did nothing else, and how
long the request took. Medians of three; nothing is asserted. Never: an upstream, a store.
"""

import argparse
import asyncio
import gc
import time
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from statistics import median

from bench.speed.shapes import LIMIT, SHAPES, Shape
from bench.speed.ticking import ticking
from recollect.composition import Placed
from recollect.wire import is_light
from recollect_proxy.chat.request_composer import RequestComposer
from recollect_proxy.chat.request_reader import RequestReader
from recollect_proxy.identity import Caller

_TICK = 0.001
_ROUNDS = 3
_ADDED = "Notes of a memory service. " * 40


async def _ask(shape: Shape, body: bytes) -> str:
    """Read a request and compose it, as the page does; return why it had no memory, or "read"."""
    reader = RequestReader(
        shape.dialect, LIMIT * 2, recall_in_temporary=False, clock=partial(datetime.now, UTC)
    )
    headers = [(b"content-encoding", shape.encoding)] if shape.encoding else []
    parsed = await reader.read_in_time(Caller("anna", session_id="a chat"), headers, body)
    if parsed.detected.turn is None or parsed.detected.body is None:
        return str(parsed.detected.skip)
    position = parsed.detected.turn.anchors[-1][0]
    placed = Placed(system=_ADDED, beside={position: _ADDED})
    compose = partial(RequestComposer(shape.dialect, {}).compose, parsed.detected.body, placed)
    composed = compose() if is_light(parsed.detected.body.raw) else await reader.executor.run(compose, "anna")
    return "read" if composed else "no place"


async def _measure(shape: Shape, body: bytes) -> tuple[float, float, str]:
    """Return the longest gap between ticks and the whole time, in milliseconds, and what came of it."""
    ticks: list[float] = []
    with ticking(_TICK, lambda: ticks.append(time.perf_counter())):
        await asyncio.sleep(0.02)
        began = time.perf_counter()
        became = await _ask(shape, body)
        took = time.perf_counter() - began
        await asyncio.sleep(0.02)
    gaps = (after - before for before, after in pairwise(ticks) if after >= began)
    return 1000 * max(gaps), 1000 * took, became


def main() -> None:
    """Print a line for each shape."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    asyncio.run(_run())


async def _run() -> None:
    gc.collect()
    gc.freeze()  # as the proxy does behind its start
    print(f"{'request':26} {'MB':>6} {'held ms':>9} {'took ms':>9}")
    for name, shape in SHAPES.items():
        body = shape.make()
        rounds = [await _measure(shape, body) for _ in range(_ROUNDS)]
        held, took = (median(figures) for figures in list(zip(*rounds, strict=True))[:2])
        print(f"{name:26} {len(body) / 1e6:6.2f} {held:9.1f} {took:9.1f}  {rounds[0][2]}", flush=True)
