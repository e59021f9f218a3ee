"""What is done beside a chat that must not wait for it. Never: raises into a chat, logs anybody's words."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import structlog

from recollect.failures import place

log = structlog.get_logger(__name__)

_running: set[asyncio.Task[None]] = set()
"""The loop itself keeps no task that waits."""


def in_background(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Do it beside what goes on; what fails there is one line in the log."""
    task = asyncio.create_task(_quietly(work))
    _running.add(task)
    task.add_done_callback(_running.discard)
    return task


async def _quietly(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except Exception as error:  # noqa: BLE001 -- nobody waits for it who could be told
        log.warning("openwebui_not_told", error=type(error).__name__, place=place(error))
