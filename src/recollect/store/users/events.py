"""Reads the events of users' memories, in the order of commits, and notes which of them a webhook was sent.

The audit is the source: there is no queue.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from recollect.api.events import EventPlace
from recollect.model import Kind, Update
from recollect.store.pool import StorePart
from recollect.store.row_mapping import update_of
from recollect.store.sql import SQL


class Happened(NamedTuple):
    """A change, its place and the kind of its memory: None if that is erased, or shared."""

    number: int
    update: Update
    kind: Kind | None


class ErasedUser(NamedTuple):
    """A user who was erased, until a webhook was sent it."""

    id: UUID
    user_id: str
    at: datetime


class Events(StorePart):
    """The events of users' memories."""

    async def places(self, users: Sequence[str]) -> Mapping[str, EventPlace]:
        """Return the place of the last change of each of some users, in one query."""
        rows = await self._database.rows_of_all("places_of_users", list(users))
        return {row["user_id"]: EventPlace(row["epoch"], row["updates"]) for row in rows}

    async def behind(
        self, user_id: str, number: int | None, *, limit: int
    ) -> tuple[EventPlace, list[Happened]]:
        """Return the place of the user's last change, and some changes behind a number; None: behind the last one sent."""
        rows = await self._database.rows(user_id, "updates_behind", number, limit)
        place = EventPlace(rows[0]["epoch"], rows[0]["updates"]) if rows else EventPlace()
        return place, [
            Happened(row["number"], update_of(row), None if row["kind"] is None else Kind(row["kind"]))
            for row in rows
            if row["id"] is not None
        ]

    async def take_turn(self, holder: UUID, length: timedelta) -> bool:
        """Take the turn to send webhooks, or keep it; return whether it is this holder's."""
        return await self._database.value_of_all("take_webhook_turn", holder, length) is not None

    async def unsent(self, *, besides: Sequence[str], limit: int) -> tuple[list[ErasedUser], list[str]]:
        """Return some erasures and some users of whom there is something to send; none of ``besides``."""
        async with self._database.over_all_users() as connection:
            erased = await connection.fetch(SQL["untold_erasures"], list(besides), limit)
            rows = await connection.fetch(SQL["unsent_users"], list(besides), limit)
        return [ErasedUser(*row) for row in erased], [row["user_id"] for row in rows]

    async def note_sent(self, user_id: str, place: EventPlace) -> None:
        """Note that a user's changes were sent up to a place."""
        await self._database.rows_of_all("note_sent", user_id, place.epoch, place.number)

    async def forget_erasure(self, erasure: ErasedUser) -> None:
        """Forget whose erasure it was: it was sent, or is not to be sent any more."""
        await self._database.rows_of_all("delete_untold_erasure", erasure.id)

    async def prune_erasures(self, before: datetime) -> int:
        """Forget who was erased before a time; return how many. Without a webhook no receiver needs them."""
        return len(await self._database.rows_of_all("prune_untold_erasures", before))
