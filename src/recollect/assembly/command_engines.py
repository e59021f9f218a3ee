"""Opens the engines of commands, without chats: for maintenance of the store, or to try formation."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from uuid_utils.compat import uuid7

from recollect.assembly.lifecycle import open_backends, open_server, open_unembedded_backends
from recollect.assembly.models_from_settings import background_tells
from recollect.assembly.policy_from_settings import make_policy
from recollect.backends import Backends
from recollect.engine import Engine, system_clock
from recollect.engine.background.formation_trial import form_exchanges
from recollect.engine.background.formation_worker import AbsentWorker
from recollect.engine.people.store_audit import DuplicateFinder, StoreAudit
from recollect.errors import ConfigurationError
from recollect.formation import CallGuard, FormationRules, TokenBudget
from recollect.model import (
    NO_CAPS,
    Actor,
    Add,
    Caps,
    Change,
    Exchange,
    Formed,
    Kind,
    Memory,
    Scope,
    Source,
    Turn,
    Wait,
)
from recollect.models.memory_embedding import embedded
from recollect.ports import Asker
from recollect.settings.engine_settings import EngineSettings
from recollect.store import migrate_postgres

if TYPE_CHECKING:
    from recollect.store.inbox import Inbox


@asynccontextmanager
async def open_administration(settings: EngineSettings, *, embeds: bool) -> AsyncIterator[Engine]:
    """Open an engine over the configured store, in which nothing works in the background, and close it.

    It may be open while a proxy serves with the same store, the embedded one too. Unless it ``embeds``, a job embeds new
    memories later.

    Raises:
        ConfigurationError: The store would be gone with this process, or there is none yet.
        RecollectError: It can't be opened.
    """
    demand_store(settings)
    opening = open_backends(settings) if embeds else open_unembedded_backends(settings)
    async with opening as backends:
        # A proxy's spool may hold entries of a user who is erased here. The store refuses them.
        yield Engine(backends, make_policy(settings), worker=AbsentWorker())


@asynccontextmanager
async def open_forming(
    settings: EngineSettings,
    *,
    upstream: str | None,
    per_minute: float,
    told: Callable[[int], None],
) -> AsyncIterator[Engine]:
    """Open an engine whose ``drain`` forms so many exchanges a minute at most (0: any number), and close it.

    It calls ``told`` with the number of exchanges that were formed since the last call. ``upstream`` is the base URL of the LLM
    that extracts where no other is named. Errors are those of ``open_administration``.
    """
    demand_store(settings)
    async with open_backends(settings, upstream=upstream) as backends:
        inbox = paced(backends.store.inbox, per_minute=per_minute, told=told)
        policy = make_policy(settings, upstream=upstream)
        yield Engine(
            replace(backends, store=replace(backends.store, inbox=inbox)), policy, worker=AbsentWorker()
        )


@asynccontextmanager
async def open_store_audit(
    settings: EngineSettings, *, embeds: bool, asks: bool = False, upstream: str | None = None
) -> AsyncIterator[StoreAudit]:
    """Open an audit that finds and repairs faults of the configured store's memories, and close it. Errors: as ``open_administration``.

    Unless it ``embeds``, a job embeds repaired memories later; with ``asks`` it asks the extraction model about pairs, and embeds.
    """
    demand_store(settings)
    if embeds or asks:
        opening = open_backends(settings, upstream=upstream)
    else:
        opening = open_unembedded_backends(settings)
    async with opening as backends:
        policy, tells, asked = make_policy(settings), background_tells(settings), None
        if asks:
            asked = DuplicateFinder(
                backends, policy.budget, system_clock, lambda user_id: tells(Asker(user_id, ""))
            )
        yield StoreAudit(backends, policy.rules, system_clock, asked=asked)


def demand_store(settings: EngineSettings) -> None:
    """Raise ConfigurationError where there is no store to look after."""
    if settings.in_memory:
        raise ConfigurationError(
            "A database in memory is its proxy's alone, and gone with it: name the one that Recollect serves with."
        )
    if settings.database_url is None and not (settings.data_dir.expanduser() / "postgres").is_dir():
        raise ConfigurationError(
            f"There is no database in {settings.data_dir} yet: name the data folder that Recollect serves with "
            "(--data-dir), or make one (recollect migrate)."
        )


async def migrate_store(settings: EngineSettings) -> tuple[str, ...]:
    """Bring the schema of the configured store up to date, and create an embedded one; return the applied migrations, in order.

    Raises:
        ConfigurationError: It would be gone with this process, or can't be used.
        StoreError: It is newer than this code, or can't be reached.
    """
    if settings.in_memory:
        raise ConfigurationError("A database in memory is its proxy's alone: there is nothing to migrate.")
    async with AsyncExitStack() as closing:
        return await migrate_postgres(await open_server(settings, settings.data_dir, closing))


def paced(inbox: "Inbox", *, per_minute: float, told: Callable[[int], None]) -> "Inbox":
    """Return an inbox that lets at most so many exchanges a minute be formed (0: any number), and calls ``told`` with their number."""
    return cast("Inbox", _Paced(inbox, 60 / per_minute if per_minute else 0.0, told))


class _Paced:
    """Implements ``Inbox``: waits after each formation, with its user's lease held."""

    def __init__(self, inbox: "Inbox", seconds: float, told: Callable[[int], None]) -> None:
        self._inbox = inbox
        self._seconds = seconds
        self._told = told
        self._due = 0.0

    def __getattr__(self, name: str) -> Any:
        """Pass on whatever is not about forming."""
        return getattr(self._inbox, name)

    async def complete(
        self, formed: Sequence[Formed], *, at: datetime, caps: Caps = NO_CAPS, rest: Wait | None = None
    ) -> list[list[Change]] | None:
        """Complete the exchanges, and wait as long as so many should take."""
        done = await self._inbox.complete(formed, at=at, caps=caps, rest=rest)
        now = asyncio.get_running_loop().time()
        # From now on at least, so that a pause is not made up for by a burst.
        self._due = max(self._due, now) + self._seconds * len(formed)
        if done is not None:
            self._told(len(formed))
        await asyncio.sleep(max(0.0, self._due - now))
        return done


_EARLIER = timedelta(days=30)
"""How long ago a person told the memories they have."""


class Trial:
    """Forms memories from one message at a time, as a worker does."""

    def __init__(self, backends: Backends, rules: FormationRules) -> None:
        self._backends = backends
        self._rules = rules

    async def knows(self, user_id: str, memories: Sequence[str]) -> list[UUID]:
        """Give a person memories that they told a month ago; return their ids."""
        at = system_clock()
        turns = [
            Memory(uuid7(), user_id, Kind.FACT, Source.EXTRACTED, content, 0.6, at - _EARLIER, at)
            for content in memories
        ]
        made = await embedded(turns, self._backends.embedder)
        await self._backends.store.memories.apply(
            Scope(user_id, "earlier"), [Add(each) for each in made], actor=Actor.IMPORT, at=at
        )
        return [each.id for each in made]

    async def form(self, turn: Turn) -> Formed:
        """Return how a message changes its person's memories; nothing is applied.

        Raises:
            ExtractorError: The model failed, as the port says.
        """
        guard = CallGuard(self._backends.store.usage, TokenBudget(), system_clock)
        exchange = Exchange(uuid7(), turn, "", uuid7(), uuid7())
        [formed] = await form_exchanges(self._backends, guard, self._rules, system_clock, [exchange])
        return formed


@asynccontextmanager
async def open_trial(settings: EngineSettings, *, upstream: str | None) -> AsyncIterator[Trial]:
    """Open formation with the extraction model that the settings name, else with that of the LLM at ``upstream``.

    Raises:
        ConfigurationError: The settings make no sense, or name a database that stays: it has to be one in memory.
        RecollectError: The database or the embedder can't be opened.
    """
    if not settings.in_memory:
        raise ConfigurationError("A trial needs a database in memory.")
    async with open_backends(settings, upstream=upstream) as backends:
        yield Trial(backends, make_policy(settings, upstream=upstream).rules)
