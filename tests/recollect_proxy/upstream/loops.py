"""Runs a test on asyncio's own loop and on uvloop, which production has, and sees that it leaves nothing."""

import asyncio
import functools
import gc
import inspect
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import uvloop
from tests.support.waiting import until

_PATIENCE_SECONDS = 60


def on_both_loops(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Run a test on either loop: no task, no socket and no unheard error may be left behind."""

    @functools.wraps(test)
    def on_one(new_loop: Callable[[], asyncio.AbstractEventLoop], **given: Any) -> None:
        with asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(_leaving_nothing(functools.partial(test, **given)))

    wanted = list(inspect.signature(test).parameters.values())
    loop = inspect.Parameter("new_loop", inspect.Parameter.KEYWORD_ONLY)
    on_one.__signature__ = inspect.Signature([*wanted, loop])  # type: ignore[attr-defined]  # pytest reads it
    both: Callable[[Callable[..., None]], Callable[..., None]] = pytest.mark.parametrize(
        "new_loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"]
    )
    return both(on_one)


async def _leaving_nothing(test: Callable[[], Awaitable[None]]) -> None:
    unheard: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unheard.append(context))
    gc.freeze()  # what others left is not ours
    before = open_sockets()
    async with asyncio.timeout(_PATIENCE_SECONDS):
        await test()
    await until(lambda: len(asyncio.all_tasks()) == 1, seconds=20)
    await until(lambda: not open_sockets() - before, seconds=20)
    gc.collect()  # a task that failed unheard says so now
    gc.unfreeze()
    assert not unheard, unheard


def open_sockets() -> set[str]:
    """Return what the system calls the sockets that this process has open."""
    found = set()
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            found.add(str(descriptor.readlink()))
        except OSError:  # the folder's own is closed by now
            continue
    return {name for name in found if name.startswith("socket:")}
