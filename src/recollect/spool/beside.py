"""Runs in a thread what would hold up the event loop: work on files, and lines of long texts. Never: what becomes of them."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from recollect.model import LogEntry
from recollect.spool.records import encode

_LONGEST_INLINE = 10_000
"""Characters whose line is made on the loop, in half a millisecond; another thread takes as long to begin."""

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


async def beside(work: Callable[_Given, _Result], *given: _Given.args, **named: _Given.kwargs) -> _Result:
    """Do work in another thread; who is cancelled meanwhile learns of it when the work has ended, and not before.

    A file that a thread still writes, renames or closes is nobody else's to touch.
    """
    working = asyncio.create_task(asyncio.to_thread(work, *given, **named))
    cancelled: asyncio.CancelledError | None = None
    while not working.done():
        try:
            await asyncio.wait({working})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        working.exception()  # who asked is gone
        raise cancelled
    return working.result()


async def encoded(entry: LogEntry) -> bytes:
    """Return the line of an entry, with its end; a long one is made beside the loop."""
    exchange = entry.exchange
    if len(exchange.turn.text) + len(exchange.reply) <= _LONGEST_INLINE:
        return encode(entry)
    return await asyncio.to_thread(encode, entry)
