"""Masks secrets off the event loop: short texts in one thread, long ones in another. Never raises.

A text that takes a second must hold up no other person's chat, so a short text never waits for a long one. Each person
has one text at a time in each thread. A long text is cut to the parts that are kept before it is read; when too many long
texts wait, of one person or of all, the next is cut until it is short.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import cache, partial
from typing import TypeVar
from weakref import WeakValueDictionary

import structlog

from recollect.failures import place
from recollect.model import Exchange, LogEntry, Phase
from recollect.text.secrets import warm
from recollect.text.secrets.masking import (
    KEPT,
    MaskedTurn,
    ends_of,
    masked_turn,
    unread_exchange,
    with_masked_reply,
)

SHORT = 20_000
"""Characters up to which a text is short: it takes some twenty milliseconds, a hundred at worst."""

WAITING_OF_ONE, WAITING_OF_ALL = 1_000_000, 10_000_000
"""Characters of long texts that may wait."""

log = structlog.get_logger(__name__)

_T = TypeVar("_T")

_short_texts = ThreadPoolExecutor(1, thread_name_prefix="masking")
_long_texts = ThreadPoolExecutor(1, thread_name_prefix="masking-long")
_turns: WeakValueDictionary[tuple[int, str, bool], asyncio.Lock] = WeakValueDictionary()
_waiting: Counter[str] = Counter()


@cache
def begin_masking() -> "Future[None]":
    """Compile the expressions of masking in the background, so that the first text does not wait."""
    return _short_texts.submit(warm)


async def masking_is_ready() -> None:
    """Return when the first text can be masked at once; never raises."""
    if not (warming := begin_masking()).done():
        await asyncio.wait({asyncio.wrap_future(warming)})


def entry_as_it_is(entry: LogEntry) -> LogEntry:
    """Return a phase of an exchange with long texts cut, where secrets are to be kept."""
    exchange = entry.exchange
    turn = replace(exchange.turn, text=ends_of(exchange.turn.text, KEPT))
    return replace(entry, exchange=replace(exchange, turn=turn, reply=ends_of(exchange.reply, KEPT)))


async def masked_turn_of(exchange: Exchange) -> MaskedTurn:
    """Return the masked turn of an exchange; without its words if masking fails."""
    turn = exchange.turn

    def work(most: int) -> MaskedTurn:
        return masked_turn(turn, most)

    masked = await _in_lane(turn.scope.user_id, len(turn.text), work)
    return masked or MaskedTurn(unread_exchange(exchange).turn)


async def entry_without_secrets(entry: LogEntry, masked: MaskedTurn | None = None) -> LogEntry:
    """Return a phase of an exchange with its secrets masked; never raises.

    Args:
        entry: The phase.
        masked: Its turn, where an earlier phase of the exchange had it masked.
    """
    exchange = entry.exchange
    known = masked or await masked_turn_of(exchange)
    if entry.phase is not Phase.ENDED or not exchange.reply:
        return replace(entry, exchange=replace(exchange, turn=known.turn))
    read = partial(with_masked_reply, exchange, known)
    kept = await _in_lane(exchange.turn.scope.user_id, len(exchange.reply), read)
    return replace(entry, exchange=kept or unread_exchange(exchange))


async def _in_lane(user_id: str, length: int, work: Callable[[int], _T]) -> _T | None:
    """Run ``work`` on a text in its thread, and return the result; None if it fails.

    Args:
        user_id: The person who wrote it.
        length: Its characters.
        work: Masks it; takes the number of characters to keep.
    """
    waiting = min(length, KEPT)
    is_long = (
        length > SHORT
        and _waiting[user_id] + waiting <= WAITING_OF_ONE
        and _waiting.total() + waiting <= WAITING_OF_ALL
    )
    loop = asyncio.get_running_loop()
    lock = _turns.setdefault((id(loop), user_id, is_long), asyncio.Lock())
    if is_long:
        _waiting[user_id] += waiting
    try:
        async with lock:
            thread, most = (_long_texts, KEPT) if is_long else (_short_texts, SHORT)
            return await loop.run_in_executor(thread, work, most)
    except Exception as error:  # noqa: BLE001 -- a text that could not be read may hold a secret: none of it is kept
        log.error("masking_failed", error=type(error).__name__, place=place(error))  # noqa: TRY400 -- no text
        return None
    finally:
        if is_long:
            _waiting[user_id] -= waiting
            if not _waiting[user_id]:
                del _waiting[user_id]
