"""Opens formation for single messages, in a database that is gone afterwards. Never: judges the changes."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from uuid import UUID

from uuid_utils.compat import uuid7

from recollect.assembly.lifecycle import open_backends
from recollect.assembly.policy import make_policy
from recollect.backends import Backends
from recollect.engine import system_clock
from recollect.engine.background.formation_trial import form_exchanges
from recollect.errors import ConfigurationError
from recollect.formation import CallGuard, FormationRules, TokenBudget
from recollect.model import Actor, Add, Exchange, Formed, Kind, Memory, Scope, Source, Turn
from recollect.settings import EngineSettings

_EARLIER = timedelta(days=30)
"""How long ago a person told the memories they have."""


class Trial:
    """Forms memories from one message at a time, as a worker does."""

    def __init__(self, backends: Backends, rules: FormationRules) -> None:
        self._backends = backends
        self._rules = rules

    async def knows(self, user_id: str, memories: Sequence[str]) -> list[UUID]:
        """Give a person memories that they told a month ago; return their ids."""
        vectors = await self._backends.embedder.embed(memories) if memories else []
        at = system_clock()
        made = [
            Memory(
                id=uuid7(),
                owner=user_id,
                kind=Kind.FACT,
                source=Source.EXTRACTED,
                content=content,
                importance=0.6,
                observed_at=at - _EARLIER,
                created_at=at,
                embedding=vector,
                embedding_model=self._backends.embedder.name,
            )
            for content, vector in zip(memories, vectors, strict=True)
        ]
        await self._backends.memories.apply(
            Scope(user_id, "earlier"), [Add(each) for each in made], actor=Actor.IMPORT, at=at
        )
        return [each.id for each in made]

    async def form(self, turn: Turn) -> Formed:
        """Return how a message changes its person's memories; nothing is applied.

        Raises:
            ExtractorError: The model failed, as the port says.
        """
        guard = CallGuard(self._backends.usage, TokenBudget(), system_clock)
        exchange = Exchange(uuid7(), turn, "", uuid7(), uuid7())
        [formed] = await form_exchanges(self._backends, guard, self._rules, system_clock, [exchange])
        return formed


@asynccontextmanager
async def open_trial(settings: EngineSettings, *, upstream: str | None) -> AsyncIterator[Trial]:
    """Open formation with the extraction model that the settings name.

    Args:
        settings: Their database has to be one in memory.
        upstream: Base URL of the LLM that extracts where no other is named.

    Raises:
        ConfigurationError: The settings make no sense, or name a database that stays.
        RecollectError: The database or the embedder can't be opened.
    """
    if not settings.in_memory:
        raise ConfigurationError("A trial needs a database in memory.")
    async with open_backends(settings, upstream=upstream) as backends:
        yield Trial(backends, make_policy(settings, upstream=upstream).rules)
