"""Retires memories whose day has come, and those beyond the caps: old, unimportant and long unused ones first. Never: hides messages.

Memories formed within a week go last: they had no chance to be used. The least worthy memory goes first. Its worth is
its importance minus a loss for disuse: up to 0.3, half of it in 90 days since it was said or last recalled. So
important memories (0.9, such as health) outlive unimportant ones, and among equals the unused go first.
To be said again makes it more important, and to be recalled ends the time of lying unused.
"""

from collections.abc import Sequence
from datetime import datetime

from recollect.model import Actor, Caps, Change, Lifetimes, Reason, Retire
from recollect.store.memories.changes import apply_change
from recollect.store.memories.transaction import Transaction
from recollect.store.pool import Connection
from recollect.store.sql import SQL

_AT_ONCE = 100
"""So many are retired in one transaction, which answers to a person's next message wait for."""

_NEW_DAYS = 7
_MOST_LOST = 0.3
_HALF_LOST_DAYS = 90


async def expire(connection: Connection, user_id: str, lifetimes: Lifetimes, *, at: datetime) -> list[Change]:
    """Retire (EXPIRED) memories whose day has come, 100 at most, in the connection's transaction under the user's lock."""
    transaction = Transaction(connection, user_id, Actor.PRUNE, at)
    names, days = [name for name, _ in lifetimes.days], [days for _, days in lifetimes.days]
    rows = await connection.fetch(SQL["expired_memories"], user_id, at, names, days, _AT_ONCE)
    return [
        await apply_change(transaction, Retire(row["id"], Reason.EXPIRED, days=row["days"])) for row in rows
    ]


async def prune(
    connection: Connection, user_id: str, session_ids: Sequence[str], caps: Caps, *, at: datetime
) -> list[Change]:
    """Retire (CAP) memories beyond the caps, the least valuable first and 100 at most, and return them in order.

    Args:
        connection: In a transaction under the user's lock.
        user_id: The user.
        session_ids: The chats to count.
        caps: How many may be kept.
        at: Now.
    """
    capped: list[tuple[str | None, int]] = []
    if caps.session:
        capped += [(session_id, caps.session) for session_id in dict.fromkeys(session_ids)]
    if caps.user:
        capped.append((None, caps.user))
    done: list[Change] = []
    for session_id, cap in capped:
        transaction = Transaction(connection, user_id, Actor.PRUNE, at, session_id)
        lost = (_MOST_LOST, _HALF_LOST_DAYS, _NEW_DAYS)
        over = await connection.fetch(SQL["memories_over_cap"], user_id, session_id, cap, at, *lost)
        least = over[: _AT_ONCE - len(done)]
        done += [await apply_change(transaction, Retire(row["id"], Reason.CAP)) for row in least]
    return done
