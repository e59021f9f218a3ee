"""Masks what is to be kept of an exchange, beside the loop, before it is anywhere but in memory. Never: where it is kept."""

import asyncio
from dataclasses import replace

import structlog

from recollect.failures import place
from recollect.model import Exchange, LogEntry
from recollect.secrets.exchanges import masked_exchange, unread_exchange

log = structlog.get_logger(__name__)


async def entry_without_secrets(entry: LogEntry) -> LogEntry:
    """Return a step of an exchange as it may be kept; never raises."""
    return replace(entry, exchange=await without_secrets(entry.exchange))


async def without_secrets(exchange: Exchange) -> Exchange:
    """Return the exchange with its secrets masked; without its words where they can't be told from secrets."""
    try:
        return await asyncio.to_thread(masked_exchange, exchange)
    except Exception as error:  # noqa: BLE001 -- what nobody could read may hold a secret, so none of it is kept
        log.error("masking_failed", error=type(error).__name__, place=place(error))  # noqa: TRY400 -- no text
        return unread_exchange(exchange)
