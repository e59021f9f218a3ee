"""Learns from what was said: extract, verify, embed, nominate, judge, reconcile. May raise.

Never: applies what it decides, keeps an exchange as it is.
"""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from uuid import UUID

import structlog

from recollect.errors import EmbedderError, ExtractorUnusableError
from recollect.formation.comparing import Comparing
from recollect.formation.dating import dated
from recollect.formation.guarding import Guard
from recollect.formation.reconciliation import Weighed, reconcile
from recollect.formation.rules import Rules, unrelated_cosine
from recollect.formation.said import Said, readings_of
from recollect.formation.verification import Believed, Held, Verdict, verify
from recollect.formation.wishes import Extraction, unserved
from recollect.model import (
    STATEMENTS,
    Asking,
    Candidate,
    Change,
    Ignore,
    Memory,
    Provenance,
    Quarantine,
    Source,
    Vector,
)
from recollect.ports import Backends, Clock, Extracted

KNOWN_SHOWN = 20
"""How many of the user's memories the extractor is shown."""

_KNOWN_ASKED = 3 * KNOWN_SHOWN  # turns and summaries among the nearest must not crowd out the statements
_NEAR_ASKED = 30
_HOUR = timedelta(hours=1)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Learned:
    """What was learned.

    Attributes:
        changes: Each with the number of the turn it comes from.
        extracted_count: How many candidates the extractor found.
    """

    changes: tuple[tuple[int, Change], ...] = ()
    extracted_count: int = 0


@dataclass(frozen=True, slots=True)
class _Near:
    """What the user has that is near to what was said.

    Attributes:
        memories: The statements near to a candidate.
        cosines: Of each candidate, by memory.
    """

    memories: dict[UUID, Memory] = field(default_factory=dict)
    cosines: list[dict[UUID, float]] = field(default_factory=list)


class Learning:
    """Learns statements from turns."""

    def __init__(
        self, backends: Backends, guard: Guard, rules: Rules, *, clock: Clock, new_id: Callable[[], UUID]
    ) -> None:
        self._backends = backends
        self._guard = guard
        self._comparing = Comparing(backends, guard, rules.judging)
        self._rules = rules
        self._clock = clock
        self._new_id = new_id

    async def extract(self, said: Sequence[Said]) -> Extraction:
        """Return what a model finds in consecutive turns of one chat, and what it was shown; nothing is decided.

        Raises:
            ExtractorError: Extraction failed; trying again may help, but for its subclasses that say otherwise.
            StoreError: The store failed.
        """
        if self._backends.extractor is None:
            raise ExtractorUnusableError
        if not any(each.teaches for each in said):
            return Extraction()
        known = await self._known(said)
        return Extraction(await self._extract(said, known), tuple(known))

    async def learn(
        self, said: Sequence[Said], extraction: Extraction | None, *, forgotten: Collection[UUID] = ()
    ) -> Learned:
        """Return what consecutive turns of one chat teach.

        Args:
            said: The turns, oldest first.
            extraction: What a model found in them; None: none was asked, and only what somebody asks to be remembered
                is learned.
            forgotten: Memories that these turns let go of.

        Raises:
            StoreError: The store failed.
        """
        extracts = extraction is not None
        left = (extraction or Extraction()).without(forgotten)
        extracted, known = left.extracted, left.known
        verdicts = await self._verified(extracted.candidates, said, known)
        changes = await self._reconciled(verdicts, said, known, forgotten, extracted.by, judges=extracts)
        return Learned(tuple(changes), len(extracted.candidates))

    async def _extract(self, said: Sequence[Said], known: Sequence[Memory]) -> Extracted:
        extractor = self._backends.extractor
        assert extractor is not None  # noqa: S101 -- learn looked
        exchanges = [each.to_learn_from for each in said]
        user_id = said[0].exchange.turn.scope.user_id
        return await self._guard.call(user_id, lambda: extractor.extract(exchanges, known))

    async def _known(self, said: Sequence[Said]) -> list[Memory]:
        """Return the user's statements that are nearest to what was said; the newest where nothing is embedded."""
        scope, store = said[0].exchange.turn.scope, self._backends.memories
        words = "\n".join(f"{each.reading.authored}\n{each.reading.confirmed}".strip() for each in said)
        [vector] = await self.embed([words])
        if vector is None:
            page = await store.page(scope.user_id, limit=_KNOWN_ASKED)
            found = list(page.memories)
        else:
            nearest = await store.nearest(scope, vector, self._backends.embedder.name, limit=_KNOWN_ASKED)
            found = [each.memory for each in nearest]
        return [memory for memory in found if memory.kind in STATEMENTS][:KNOWN_SHOWN]

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return an embedding of each text; None where the embedder is away: they are embedded later."""
        if not texts:
            return []
        try:
            return list(await self._backends.embedder.embed(texts))
        except EmbedderError as error:
            log.warning("forming_without_embeddings", error=type(error).__name__, detail=str(error))
            return [None] * len(texts)

    async def _verified(
        self, candidates: Sequence[Candidate], said: Sequence[Said], known: Sequence[Memory]
    ) -> list[Verdict]:
        """Return a verdict on each candidate, and on each wish to remember that none of them serves."""
        readings = readings_of(said, known)
        asked = frozenset(number for number, each in enumerate(said) if each.asks(Asking.REMEMBER))
        if not (candidates or asked):
            return []
        allowance = await self._allowance(said)
        rules = self._rules
        verdicts = await asyncio.to_thread(
            verify,
            candidates,
            readings,
            minimum_importance=rules.minimum_importance,
            asked=asked,
            allowance=allowance,
            limits=rules.limits,
        )
        if wished := unserved(said, verdicts):
            left = allowance
            if left is not None:
                left = max(0, left - sum(isinstance(each, Believed) for each in verdicts))
            verdicts += await asyncio.to_thread(
                verify,
                wished,
                readings,
                minimum_importance=0.0,
                asked=asked,
                allowance=left,
                limits=rules.limits,
            )
        return verdicts

    async def _allowance(self, said: Sequence[Said]) -> int | None:
        """Return how many more memories the user may be given now."""
        if not self._rules.hourly:
            return None
        user_id = said[0].exchange.turn.scope.user_id
        added = await self._backends.memories.added_since(user_id, self._clock() - _HOUR)
        return max(0, self._rules.hourly - added)

    async def _reconciled(
        self,
        verdicts: Sequence[Verdict],
        said: Sequence[Said],
        known: Sequence[Memory],
        forgotten: Collection[UUID],
        extractor: str | None,
        *,
        judges: bool,
    ) -> list[tuple[int, Change]]:
        believed = _dated(verdicts, said)
        vectors = await self.embed([each.candidate.content for each in believed])
        near = await self._near(said, vectors, forgotten)
        nearby = [memory for memory in near.memories.values() if all(memory.id != each.id for each in known)]
        weighed = [
            Weighed(each, vector, cosines, {})
            for each, vector, cosines in zip(believed, vectors, near.cosines, strict=True)
        ]
        corrects = frozenset(number for number, each in enumerate(said) if each.asks(Asking.CORRECT))
        if judges:
            weighed = await self._comparing.judged(weighed, said, known, nearby, corrects=corrects)
        reconciled = await asyncio.to_thread(
            reconcile,
            weighed,
            known,
            nearby,
            exchanges=[each.exchange for each in said],
            embedding_model=self._backends.embedder.name,
            at=self._clock(),
            new_id=self._new_id,
            asked=frozenset(number for number, each in enumerate(said) if each.asks(Asking.REMEMBER)),
            corrects=corrects,
            extractor=extractor,
            floor=unrelated_cosine(self._backends.embedder.gate),
        )
        last = len(said) - 1
        refused = [(last, each) for each in verdicts if isinstance(each, Ignore)]
        held = [self._held(each, said, extractor) for each in verdicts if isinstance(each, Held)]
        return [*reconciled, *held, *refused]

    async def _near(
        self, said: Sequence[Said], vectors: Sequence[Vector | None], forgotten: Collection[UUID]
    ) -> _Near:
        near = _Near()
        scope, embedder = said[0].exchange.turn.scope, self._backends.embedder
        if any(vector is None for vector in vectors):  # equal ones are still found among the newest
            page = await self._backends.memories.page(scope.user_id, limit=200)
            near.memories.update({each.id: each for each in page.memories if each.kind in STATEMENTS})
        for vector in vectors:
            found = (
                []
                if vector is None
                else await self._backends.memories.nearest(scope, vector, embedder.name, limit=_NEAR_ASKED)
            )
            kept = [
                each for each in found if each.memory.kind in STATEMENTS and each.memory.id not in forgotten
            ]
            near.memories.update({each.memory.id: each.memory for each in kept})
            near.cosines.append({each.memory.id: each.score for each in kept})
        return near

    def _held(self, held: Held, said: Sequence[Said], extractor: str | None) -> tuple[int, Change]:
        exchange = said[held.turn].exchange
        candidate, scope = held.candidate, exchange.turn.scope
        memory = Memory(
            id=self._new_id(),
            owner=scope.user_id,
            kind=candidate.kind,
            source=Source.EXTRACTED,
            content=candidate.content,
            importance=candidate.importance,
            confidence=candidate.confidence,
            observed_at=exchange.turn.at,
            created_at=self._clock(),
            event_at=candidate.event_at,
            holds_from=candidate.holds_from,
            holds_until=candidate.holds_until,
            provenance=Provenance(scope.session_id, (exchange.message_id,), candidate.evidence, extractor),
        )
        return held.turn, Quarantine(memory, held.reason)


def _dated(verdicts: Sequence[Verdict], said: Sequence[Said]) -> list[Believed]:
    """Return what is believed, with the dates that its words name."""
    return [
        replace(each, candidate=dated(each.candidate, said[each.turn].exchange.turn.at))
        for each in verdicts
        if isinstance(each, Believed)
    ]
