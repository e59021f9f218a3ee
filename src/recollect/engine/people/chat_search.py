"""Searches a person's earlier chats for them, as chats are recalled: messages of the log, and summaries. Raises."""

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from uuid import UUID

from recollect.engine.policy import Policy
from recollect.engine.turns.recall import Retriever
from recollect.errors import MessageNotFoundError
from recollect.index import Snapshot, utc
from recollect.model import Item, Kind, Memory, Recollection, Scope, Stage, Turn
from recollect.model.local_time import in_zone
from recollect.ports import Clock

_MOST = 500
"""The most messages by meaning, and as many by words."""
_SECONDS = 5.0
"""The time limit of an embedding: no chat waits."""
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Period:
    """The time from ``start`` up to, without, ``end``, with zones."""

    start: datetime = _FIRST
    end: datetime = _LAST


@dataclass(frozen=True, slots=True)
class FoundInChats:
    """A page of passages and summaries, best first, and the stages that failed or were late.

    ``next`` is the id behind which the next page begins; None on the last. A message is ``found`` by its best passage.
    """

    found: tuple[Recollection, ...]
    next: UUID | None
    degraded: tuple[Stage, ...]


class ChatSearch:
    """Searches the chats of many users; ``policy_of`` returns the policy of one."""

    def __init__(
        self, retriever: Retriever, clock: Clock, policy_of: Callable[[str], Awaitable[Policy]]
    ) -> None:
        self._retriever = retriever
        self._clock = clock
        self._policy_of = policy_of

    async def search(
        self, user_id: str, text: str, *, limit: int, period: Period = Period(), after: UUID | None = None
    ) -> FoundInChats:
        """Return messages and summaries of a user's chats from a period, the best match for a text first.

        It leaves nothing out as irrelevant. Hidden messages and erased chats are not in the log it searches.

        Raises:
            MessageNotFoundError: ``after``, the ``next`` of the page before, is not among the results.
            EmbedderError: The text could not be embedded, and words are not compared.
        """
        policy = await self._policy_of(user_id)
        reach = replace(
            policy.reach,
            log=True,
            everything=True,
            limit=_MOST,
            embedding_seconds=_SECONDS,
            log_embedding_seconds=_SECONDS,
        )
        now = self._clock()
        turn = in_zone(Turn(Scope(user_id, ""), text, f"chats:{now.isoformat()}", now, ""), policy.zone)
        ranking, _ = await self._retriever.rank(
            turn, lifetimes=policy.lifetimes, reach=reach, narrowed=partial(_said_in, period)
        )
        found = [each for each in ranking.ranked if _is_of_chat(each.item, period)]
        if after is not None:
            place = next((n for n, each in enumerate(found, 1) if each.item.id == after), None)
            if place is None:
                raise MessageNotFoundError
            found = found[place:]
        following = found[limit - 1].item.id if len(found) > limit else None
        return FoundInChats(tuple(found[:limit]), following, ranking.degraded)


def _said_in(period: Period, snapshot: Snapshot) -> Snapshot:
    """Return a snapshot with the passages of a period alone."""
    passages = snapshot.passages
    if passages is None or period == Period():
        return snapshot
    said = passages.columns.said_at
    is_in = (said >= _seconds(period.start)) & (said < _seconds(period.end))
    return replace(snapshot, passages=replace(passages, is_current=passages.is_current & is_in))


def _seconds(moment: datetime) -> float:
    """Return a moment in seconds since 1970; infinite at either end of the calendar."""
    ends = {_FIRST: -math.inf, _LAST: math.inf}
    return ends[moment] if moment in ends else moment.timestamp()


def _is_of_chat(item: Item, period: Period) -> bool:
    if isinstance(item, Memory) and item.kind is not Kind.SUMMARY:
        return False
    return item.session_id is not None and period.start <= utc(item.dated) < period.end
