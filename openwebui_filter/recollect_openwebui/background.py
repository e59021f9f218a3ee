"""Background tasks, which no chat waits for. Never: raise into a chat, log what anybody said."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import structlog

from recollect.errors import raised_at

log = structlog.get_logger(__name__)

_running: set[asyncio.Task[None]] = set()
"""The event loop holds only weak references to its tasks."""


def in_background(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Run ``work`` as a background task; if it fails, the log has one line."""
    task = asyncio.create_task(_quietly(work))
    _running.add(task)
    task.add_done_callback(_running.discard)
    return task


async def _quietly(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except Exception as error:  # noqa: BLE001 -- no caller waits for it
        log.warning("openwebui_notification_failed", error=type(error).__name__, raised_at=raised_at(error))
