"""Masks secrets off the event loop: short texts in one thread, long ones in another. Never raises.

A text that takes a second must hold up no other person's chat, so a short text never waits for a long one. Each person has one
text at a time in each thread. A long text is cut to its kept parts before it is read; when too many wait, of one person or of
all, the parts of the next are shorter.
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

from recollect.errors import raised_at
from recollect.model import Exchange, LogEntry
from recollect.text.secrets import warm
from recollect.text.secrets.masking import (
    KEPT,
    MaskedText,
    MaskedTurn,
    ends_of,
    mask_ends,
    masked_turn,
    unread_exchange,
    with_masked_reply,
)

SHORT = 20_000
"""Characters up to which a text is short, which takes some twenty milliseconds, a hundred at worst; and characters that are
kept of a long text when too many wait."""

WAITING_OF_ONE, WAITING_OF_ALL = 1_000_000, 10_000_000
"""Characters of long texts that may wait before the next one is cut shorter."""

_FULL = 2.0  # times as many: the next one is kept without its words, as unmasked it may hold a secret

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
    masked = await _in_lanes(turn.scope.user_id, turn.text, partial(masked_turn, turn))
    return masked or MaskedTurn(unread_exchange(exchange).turn)


async def entry_without_secrets(entry: LogEntry, masked: MaskedTurn | None = None) -> LogEntry:
    """Return a phase with its secrets masked, its turn as an earlier phase had it ``masked``; never raises."""
    exchange = entry.exchange
    known = masked or await masked_turn_of(exchange)
    if not exchange.reply:
        return replace(entry, exchange=replace(exchange, turn=known.turn))
    read = partial(with_masked_reply, exchange, known)
    kept = await _in_lanes(exchange.turn.scope.user_id, exchange.reply, read)
    return replace(entry, exchange=kept or unread_exchange(exchange))


async def _in_lanes(user_id: str, text: str, work: Callable[[MaskedText | None], _T]) -> _T | None:
    """Run ``work`` on a text in the thread for short ones; None if it fails. It is given a long text as the other thread masked it."""
    try:
        masked = await _masked_long(user_id, text) if len(text) > SHORT else None
        async with _turn_of(user_id, is_long=False):
            return await asyncio.get_running_loop().run_in_executor(_short_texts, work, masked)
    except Exception as error:  # noqa: BLE001 -- a text that could not be read may hold a secret: none of it is kept
        log.error("masking_failed", error=type(error).__name__, raised_at=raised_at(error))  # noqa: TRY400 -- no text
        return None


async def _masked_long(user_id: str, text: str) -> MaskedText:
    """Return a long text cut and masked; raise asyncio.QueueFull if too many wait."""
    fullness = max(_waiting[user_id] / WAITING_OF_ONE, _waiting.total() / WAITING_OF_ALL)
    if fullness >= _FULL:
        raise asyncio.QueueFull
    most = KEPT if fullness < 1 else SHORT
    _waiting[user_id] += most
    try:
        async with _turn_of(user_id, is_long=True):
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(_long_texts, mask_ends, text, most)
    finally:
        _waiting[user_id] -= most
        if not _waiting[user_id]:
            del _waiting[user_id]


def _turn_of(user_id: str, *, is_long: bool) -> asyncio.Lock:
    """Return the lock that lets in one text of a person at a time."""
    # A lock belongs to one event loop, and the two threads are for all loops of the process.
    return _turns.setdefault((id(asyncio.get_running_loop()), user_id, is_long), asyncio.Lock())
