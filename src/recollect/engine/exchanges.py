"""Makes of what is said what is kept of it: all that enters the message log, or waits for it, is made here. Pure.

Never: a store, a spool.
"""

from collections.abc import Sequence
from dataclasses import replace

from uuid_utils.compat import uuid7

from recollect.model import Exchange, LogEntry, Memory, Phase, Recollection, Turn


def new_exchange(turn: Turn, *, credential: str | None) -> Exchange:
    """Return the exchange that begins with a turn. Exchanges are ordered by their ids: it is made when the turn is read."""
    ids = uuid7(), uuid7(), uuid7()
    return Exchange(
        ids[0], turn, "", ids[1], ids[2], authorized=credential is not None, credential=credential
    )


def begun(exchange: Exchange) -> LogEntry:
    """Return the entry that says that its turn was said."""
    return LogEntry(Phase.BEGUN, exchange)


def ended(exchange: Exchange, reply: str, recollections: Sequence[Recollection]) -> LogEntry:
    """Return the entry that says how its answer ended.

    Args:
        exchange: Which.
        reply: What of the answer went by; "" where there was no word.
        recollections: What of the user's memories went into the prompt.
    """
    # What stands in every chat is used by none in particular: counted, it would outlive all else by being counted.
    recalled = tuple(
        each.item.id for each in recollections if isinstance(each.item, Memory) and each.is_found
    )
    return LogEntry(Phase.ENDED, replace(exchange, reply=reply), recalled)


def failed(exchange: Exchange) -> LogEntry:
    """Return the entry that says that the model failed to answer it."""
    return LogEntry(Phase.FAILED, exchange)


def refused(exchange: Exchange) -> LogEntry:
    """Return the entry that says that whoever asked was refused: its turn is taken back."""
    return LogEntry(Phase.REFUSED, exchange)
