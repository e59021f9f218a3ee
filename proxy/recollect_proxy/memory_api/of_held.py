"""The operations on memories held back. Each function has the name of its row in the table, and its docstring documents the row."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from recollect.api.queries import PLACE
from recollect.model import MOST_QUARANTINED, Quarantined
from recollect_proxy.memory_api.asked import Asked
from recollect_proxy.memory_api.errors import invalid_parameter

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


async def list_held(asked: Asked) -> Any:
    """List the memories held back.

    Newest first; without a limit the newest 500. An instruction to the assistant that came as a fact is an example.
    None of them is recalled before it is approved.
    """
    most = asked.sent.limit or MOST_QUARANTINED
    after = _place_named(asked.sent.after)
    held = await asked.engine.quarantined(asked.user_id, limit=most + 1, after=after)
    page = held[:most]
    return {"next": _place_of(page[-1]) if len(held) > most else None, "held": page}


async def approve_held(asked: Asked) -> Any:
    """Approve a memory held back.

    It is recalled from now on like any other.
    """
    return await asked.engine.approve(asked.user_id, asked.id("memory_id"), actor=asked.actor)


async def decide_held(asked: Asked) -> Any:
    """Approve or refuse many at once.

    Only those that wait because everything is approved first: of one chat, or all. Suspicious ones are decided one by one.
    """
    sent = asked.sent
    count = await asked.engine.decide_held(
        asked.user_id,
        approved=sent.approved,
        session_id=sent.session_id,
        until=sent.until,
        actor=asked.actor,
    )
    return {"decided": count}


async def refuse_held(asked: Asked) -> Any:
    """Refuse a memory held back.

    It does not come back, not even if the person says it again.
    """
    await asked.engine.refuse(asked.user_id, asked.id("memory_id"), actor=asked.actor)


def _place_of(held: Quarantined) -> str:
    """Return a memory's place in the list of memories held back: microseconds since 1970, and its id."""
    return f"{(held.at - _EPOCH) // timedelta(microseconds=1)}.{held.memory.id}"


def _place_named(after: str | None) -> tuple[datetime, UUID] | None:
    if after is None:
        return None
    if re.fullmatch(PLACE, after) is None:
        raise invalid_parameter("after", "the `next` of the page before")
    microseconds, _, id_ = after.partition(".")
    return _EPOCH + timedelta(microseconds=int(microseconds)), UUID(id_)
