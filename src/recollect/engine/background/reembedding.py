"""Replaces an earlier embedder's vectors with the current one's: user by user, in the background. Never: a chat waits for it.

The progress is stored with each user, so that another process can continue. One process at a time does it.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import structlog

from recollect.backends import Backends
from recollect.engine.background.maintenance import Indexer
from recollect.errors import RecollectError
from recollect.model import EmbedderInUse, EmbedderPlace, EmbeddingState
from recollect.runtime.failures import raised_at

if TYPE_CHECKING:
    from recollect.store.log.index import EmbedderGenerations

_LOOK_SECONDS = 5.0
_HELD = timedelta(minutes=2)
_USERS_AT_ONCE = 50

_REST = 1.0
"""The rest after a run, as a share of the run's duration: at least half a processor is left to chats."""

_LONGEST_REST = 5.0
_FAILED_SECONDS = 60.0
_NEXT_RUN = timedelta(seconds=1)
"""A user with a later next visit has texts that could not be embedded."""

_FAILURES = 3
"""So many users one after another whose texts can't be embedded: the embedder is away."""

log = structlog.get_logger(__name__)


def names_of(backends: Backends) -> dict[EmbedderPlace, str]:
    """Return the names of the current embedders, by place."""
    return {
        EmbedderPlace.STATEMENTS: backends.embedder.name,
        EmbedderPlace.LOG: backends.log_embedder.name,
    }


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of the current embedders in the store.

    Attributes:
        is_complete: Whether all was embedded by them, and nothing of others is left.
        waits: Whether other processes still use earlier embedders, whose new vectors would have to be replaced again.
        since: When the last of the others was seen; who is found to be all embedded after that, stays so.
    """

    is_complete: bool
    waits: bool
    since: datetime | None

    @classmethod
    def from_embedders(cls, known: Sequence[EmbedderInUse], today: Mapping[EmbedderPlace, str]) -> "Standing":
        """Return the state of embedders from the store's knowledge."""
        placed = [each for each in known if each.place in today]
        own = [each for each in placed if today[each.place] == each.model]
        others = [each for each in placed if today[each.place] != each.model]
        is_complete = (
            len(own) == len(today) and not others and all(each.completed_at is not None for each in own)
        )
        times = [each.seen_at for each in others] or [
            each.chosen_at for each in own if each.completed_at is None
        ]
        return cls(is_complete, any(each.is_used for each in others), max(times, default=None))


async def embedding_state(backends: Backends, store: "EmbedderGenerations") -> EmbeddingState:
    """Return the embedders and the progress of re-embedding; this reads a row of each user."""
    today = names_of(backends)
    known = await store.known()
    standing = Standing.from_embedders(known, today)
    counts = await store.counts(standing.since or datetime.min.replace(tzinfo=UTC))
    return EmbeddingState(tuple(known), today, standing.is_complete, standing.waits, counts)


@dataclass(slots=True)
class Reembedding:
    """Embeds what earlier embedders embedded, until all is of today's."""

    backends: Backends
    indexer: Indexer
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _failed: set[str] = field(default_factory=set)

    async def run(self) -> None:
        """Work until cancelled; whatever fails is logged and tried again."""
        store = self.backends.generation_store
        if store is None:
            return
        wait = _LOOK_SECONDS  # not at once: the first chats come first
        while True:
            await self.sleep(wait)
            wait = _LOOK_SECONDS
            try:
                if self.backends.generations.is_today and not await self.go_on(store):
                    wait = _FAILED_SECONDS
            except Exception as error:  # noqa: BLE001 -- no error here may end formation, which runs at the same time
                detail = str(error) if isinstance(error, RecollectError) else ""
                log.warning(
                    "reembedding_failed",
                    error=type(error).__name__,
                    detail=detail,
                    raised_at=raised_at(error),
                )
                wait = _FAILED_SECONDS

    async def go_on(self, store: "EmbedderGenerations") -> bool:
        """Go from user to user until all of them are done, or it is not this process's to do; return whether none failed."""
        self._failed.clear()
        went_on = False
        today = names_of(self.backends)

        async def held() -> bool:
            return await store.hold(today[EmbedderPlace.LOG], _HELD)

        while True:
            standing = Standing.from_embedders(await store.known(), today)
            if standing.is_complete or standing.waits or standing.since is None or not await held():
                return True
            users = await store.users(standing.since, without=self._failed, limit=_USERS_AT_ONCE)
            if not users:
                break
            went_on = True
            if not await self._embed_all(users, store, held):
                return False
        if self._failed:
            return False
        for at, model in today.items():
            await store.complete(at, model)
        if went_on:  # an empty store is no news
            log.info("user_reembedded", **{at.value: model for at, model in today.items()})
        return True

    async def _embed_all(
        self, users: Sequence[str], store: "EmbedderGenerations", held: Callable[[], Awaitable[bool]]
    ) -> bool:
        """Embed the remaining texts of some users; return whether to go on with others: not if the embedder seems to be away."""
        failed = 0
        for each in users:
            if await self._embed(each, held):
                await store.mark(each)
                failed = 0
                continue
            self._failed.add(each)
            failed += 1
            if failed == _FAILURES or not await held():
                return False
        return True

    async def _embed(self, user_id: str, held: Callable[[], Awaitable[bool]]) -> bool:
        """Embed a user's remaining texts, with rests in between; return whether none are left."""
        while await held():
            began = time.monotonic()
            again = await self.indexer.embed_missing(user_id)
            await self.sleep(min(_REST * (time.monotonic() - began), _LONGEST_REST))
            if again is None:
                return True
            if again > _NEXT_RUN:
                return False
        return False
