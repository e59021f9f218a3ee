"""Waits until something is so, where nothing tells us of it."""

import asyncio
from collections.abc import Awaitable, Callable
from inspect import isawaitable

_PAUSE_SECONDS = 0.01


async def until(is_so: Callable[[], bool | Awaitable[bool]], *, seconds: float = 60) -> None:
    async with asyncio.timeout(seconds):
        while True:
            answer = is_so()
            if await answer if isawaitable(answer) else answer:
                return
            await asyncio.sleep(_PAUSE_SECONDS)
