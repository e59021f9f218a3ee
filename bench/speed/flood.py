"""Measures how long one person's chats wait while another person floods the same core.

A person with 1,000 memories asks new questions over 60 connections, as fast as answers come. Another with 200 asks one new
question after the other, with a short pause between: first alone, then next to the flood. The flood's prompts have 2 KB, then
200 KB. Times are milliseconds to the first byte. A turn that passed its deadline went without memories, and waited less for it.
"""

import asyncio
import time
from pathlib import Path
from typing import NamedTuple

import uvloop

from bench.figures import number, percent, percentiles
from bench.report import options_of, publish, table
from bench.servers import memory_api, mock_llm, work_folder
from bench.speed.client import connect
from bench.speed.loads import closed_loop
from bench.speed.prompts import NOW, SIZES, WHOLE, Questions, Requests, statements
from bench.speed.systems import System, of_person, recollect
from bench.watching import cores

_OTHERS = 200
"""The memories of the person who waits."""

_CONNECTIONS, _SECONDS = 60, 8.0
"""Of the flood, and of each measurement."""

_PAUSE_SECONDS = 0.05
_LEAD_SECONDS = 1.0
"""The flood runs so much longer than the questions, before and behind them."""

_WARM_UP = 15


class _Answer(NamedTuple):
    milliseconds: float
    has_memories: bool


async def _ask(own: Requests) -> list[_Answer]:
    """Ask one question after the other; return the answers without the first ones."""
    connection = await connect(own.port)
    took: list[_Answer] = []
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end:
        await connection.ask(next(own))
        took.append(_Answer(connection.first_byte_ms, connection.memories))
        await asyncio.sleep(_PAUSE_SECONDS)
    connection.drop()
    return took[_WARM_UP:]


async def _measure(own: System, crowd: System) -> dict[str, list[_Answer]]:
    """Return a person's answers, alone and next to floods of each size."""
    questions = Questions()
    asking = own.requests(NOW, SIZES["2 KB"], questions)
    took = {"alone": await _ask(asking)}
    for name, size in SIZES.items():
        flood = crowd.requests(WHOLE, size, questions)
        async with asyncio.TaskGroup() as tasks:
            seconds = _SECONDS + 2 * _LEAD_SECONDS
            tasks.create_task(closed_loop(flood, connections=_CONNECTIONS, seconds=seconds))
            await asyncio.sleep(_LEAD_SECONDS)
            took[f"{_CONNECTIONS} connections, {name}"] = await _ask(asking)
    return took


def main() -> None:
    """Run the bench."""
    options = options_of(__doc__).parse_args()
    with (
        work_folder() as folder,
        mock_llm(cores()[-1]) as mock,
        recollect(Path(folder) / "recollect", mock.url) as (server, _),
    ):
        api = memory_api(server)
        for statement in statements(_OTHERS):
            api.post("/memory/users/other/memories", json={"content": statement})
        own, crowd = (
            System("on", "", server.port, of_person(person), server) for person in ("other", "reader")
        )
        took = uvloop.run(_measure(own, crowd))
    rows = [
        (
            name,
            len(answers),
            percent(sum(each.has_memories for each in answers), len(answers)),
            *(
                number(percentiles([each.milliseconds for each in answers], at).get(f"p{at}"))
                for at in (50, 95, 100)
            ),
        )
        for name, answers in took.items()
    ]
    body = table(("", "questions", "with memories", "p50", "p95", "max"), rows)
    publish(options, "Another person's chat next to a flood", body, took)
