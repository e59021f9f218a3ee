"""Masks what is to be kept of an exchange, beside the loop, before it is anywhere but in memory. Never: where it is kept.

One thread does it, apart from those that the loop needs for itself (names of hosts, files): a text that takes a second must
stop nobody else's chat. And one text of each user at a time: who sends many waits for their own.
"""

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from weakref import WeakValueDictionary

import structlog

from recollect.failures import place
from recollect.model import Exchange, LogEntry
from recollect.text.secrets import warm
from recollect.text.secrets.masking import masked_exchange, unread_exchange

log = structlog.get_logger(__name__)

_lane = ThreadPoolExecutor(1, thread_name_prefix="masking")
_turns: WeakValueDictionary[tuple[int, str], asyncio.Lock] = WeakValueDictionary()


@cache
def begin_masking() -> "Future[None]":
    """Let the first text that is masked find all that it takes made ready; wait for nothing."""
    return _lane.submit(warm)


async def masking_is_ready() -> None:
    """Return when the first text can be masked at once; never raises."""
    if not (warming := begin_masking()).done():
        await asyncio.wait({asyncio.wrap_future(warming)})


async def entry_without_secrets(entry: LogEntry) -> LogEntry:
    """Return a phase of an exchange as it may be kept; never raises."""
    return replace(entry, exchange=await without_secrets(entry.exchange))


async def without_secrets(exchange: Exchange) -> Exchange:
    """Return the exchange with its secrets masked; without its words where they can't be told from secrets."""
    loop = asyncio.get_running_loop()
    turn = _turns.setdefault((id(loop), exchange.turn.scope.user_id), asyncio.Lock())
    try:
        async with turn:
            return await loop.run_in_executor(_lane, masked_exchange, exchange)
    except Exception as error:  # noqa: BLE001 -- what nobody could read may hold a secret, so none of it is kept
        log.error("masking_failed", error=type(error).__name__, place=place(error))  # noqa: TRY400 -- no text
        return unread_exchange(exchange)
