"""Turns statements into changes: it has them extracted, or reads them off a command's form, then verifies, embeds and reconciles them.

A doubtful statement is held for approval, a refused one ignored with its reason; new memories are limited by the hour. It may
raise, and applies nothing.
"""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

import structlog

from recollect.backends import Backends
from recollect.errors import EmbedderError, ExtractorUnusableError
from recollect.formation.analyzed_turn import AnalyzedTurn, attributions_of
from recollect.formation.breaker_and_budget import CallGuard
from recollect.formation.new_memories import Origin
from recollect.formation.quote_search import plain_quote, searchable
from recollect.formation.reconciliation import reconcile
from recollect.formation.statement_times import with_checked_date, with_written_date
from recollect.formation.understood_commands import Extraction, told_by_form
from recollect.formation.verification import (
    AcceptedCandidate,
    FormationRules,
    HeldCandidate,
    RefusedCandidate,
    Verdict,
    verify,
)
from recollect.formation.wording import unnamed
from recollect.model import (
    STATEMENTS,
    Asking,
    Candidate,
    Change,
    Ignore,
    Memory,
    Quarantine,
    Reason,
    Replace,
    Vector,
)
from recollect.model.local_time import wall
from recollect.ports import Clock
from recollect.text.normalization import content_hash

# Of 144 memories that a statement of people's lives is about it is shown all in their own store, and 141 among 190 others of
# their language; there a second call about pairs near by cosine, top two of each statement, found none of the other three.
KNOWN_SHOWN = 24
"""How many of the user's memories the extractor is shown."""

_KNOWN_ASKED = 3 * KNOWN_SHOWN  # turns and summaries among the nearest must not crowd out the statements
_NEAR_ASKED = 10
_NEWEST_ASKED = 200  # by default a person has no more

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class StatementLearner:
    """Extracts statements from turns and reconciles them with known memories."""

    backends: Backends
    guard: CallGuard
    rules: FormationRules
    clock: Clock
    new_id: Callable[[], UUID]

    async def extract(self, turns: Sequence[AnalyzedTurn]) -> Extraction:
        """Return a model's findings in consecutive turns of one chat, with the memories it was shown; nothing is decided.

        Raises:
            ExtractorError: Extraction failed; trying again may help, but for its subclasses that say otherwise.
            StoreError: The store failed.
        """
        extractor = self.backends.extractor
        if extractor is None:
            raise ExtractorUnusableError
        if not any(each.is_informative for each in turns):
            return Extraction()
        known = await self._known(turns)
        zone = turns[-1].exchange.turn.at.tzinfo
        known = [replace(each, observed_at=each.observed_at.astimezone(zone)) for each in known]
        named = {memory.id: content for memory, content in unnamed([turn.exchange for turn in turns], known)}
        shown = [replace(each, content=named.get(each.id, each.content)) for each in known]
        exchanges = [each.extractor_input for each in turns]
        user_id = exchanges[0].turn.scope.user_id
        extracted = await self.guard.call(user_id, lambda: extractor.extract(exchanges, shown))
        return Extraction(extracted, tuple(known))

    async def learn(
        self, turns: Sequence[AnalyzedTurn], extraction: Extraction, *, forgotten: Collection[UUID] = ()
    ) -> list[tuple[int, Change]]:
        """Return the changes that consecutive turns of one chat lead to, each with the number of its turn.

        ``extraction`` is the model's, without what these turns let go of, which is ``forgotten``. A command that was recognized
        by its form, without a model, has its statement learned instead.

        Raises:
            StoreError: The store failed.
        """
        by_form = told_by_form(turns)  # none where a model was asked
        least = 0.0 if by_form else self.rules.minimum_importance
        candidates = by_form or extraction.extracted.candidates
        verdicts = await self._verified(candidates, turns, extraction.known, least)
        changes = await self._reconciled(verdicts, turns, extraction, forgotten, by_form=bool(by_form))
        return changes + await self._name_speakers(turns, extraction.known, [change for _, change in changes])

    async def _name_speakers(
        self, turns: Sequence[AnalyzedTurn], known: Sequence[Memory], changes: Sequence[Change]
    ) -> list[tuple[int, Change]]:
        """Return the changes that name the speaker of memories from before a second person spoke."""
        touched = {getattr(each, "old", None) or getattr(each, "target", None) for each in changes}
        exchanges = [turn.exchange for turn in turns]
        found = [each for each in unnamed(exchanges, known) if each[0].id not in touched]
        vectors = await self.embed_texts([content for _, content in found])
        named = [
            replace(
                memory,
                id=self.new_id(),
                content=content,
                created_at=self.clock(),
                embedding=vector,
                embedding_model=None if vector is None else self.backends.embedder.name,
            )
            for (memory, content), vector in zip(found, vectors, strict=True)
        ]
        return [
            (len(turns) - 1, Replace(old.id, memory, Reason.REFINES, "speaker"))
            for (old, _), memory in zip(found, named, strict=True)
        ]

    async def _known(self, turns: Sequence[AnalyzedTurn]) -> list[Memory]:
        """Return the user's statements nearest to the messages, or the newest ones without embeddings, by their creation."""
        scope, store = turns[0].exchange.turn.scope, self.backends.store.memories
        attributions = [each.attribution for each in turns]
        words = [f"{said.authored or said.doubtful}\n{said.confirmed}".strip() for said in attributions]
        nearest: dict[UUID, tuple[float, Memory]] = {}
        for vector in await self.embed_texts(words):
            if vector is None:
                page = await store.page(scope.user_id, limit=_KNOWN_ASKED)
                found = [(0.0, memory) for memory in page.memories]
            else:
                near = await store.nearest(scope, vector, self.backends.embedder.name, limit=_KNOWN_ASKED)
                found = [(each.score, each.memory) for each in near]
            for score, memory in found:
                if memory.kind in STATEMENTS and score >= nearest.get(memory.id, (-1.0,))[0]:
                    nearest[memory.id] = (score, memory)
        best = sorted(nearest.values(), key=lambda each: (-each[0], -each[1].id.int))[:KNOWN_SHOWN]
        # Memories of the last call keep their places, so the server's prompt cache holds up to the first new one.
        return sorted((memory for _, memory in best), key=lambda memory: (memory.created_at, memory.id))

    async def embed_texts(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return an embedding of each text; None where the embedder is away: they are embedded later."""
        if not texts:
            return []
        try:
            return list(await self.backends.embedder.embed(texts))
        except EmbedderError as error:
            log.warning("memories_formed_without_embeddings", error=type(error).__name__, detail=str(error))
            return [None] * len(texts)

    async def _verified(
        self,
        candidates: Sequence[Candidate],
        turns: Sequence[AnalyzedTurn],
        known: Sequence[Memory],
        minimum_importance: float,
    ) -> Sequence[Verdict]:
        if not candidates:
            return ()
        return await asyncio.to_thread(
            verify,
            candidates,
            attributions_of(turns, known),
            minimum_importance=minimum_importance,
            asked=_turns_asking(turns, Asking.REMEMBER),
            allowance=await allowance_of(
                turns[0].exchange.turn.scope.user_id, self.rules, self.backends, at=self.clock()
            ),
        )

    async def _reconciled(
        self,
        verdicts: Sequence[Verdict],
        turns: Sequence[AnalyzedTurn],
        extraction: Extraction,
        forgotten: Collection[UUID],
        *,
        by_form: bool,
    ) -> list[tuple[int, Change]]:
        known, extractor = extraction.known, extraction.extracted.by
        ending = [each for each in verdicts if isinstance(each, RefusedCandidate)]
        believed, copied = await self._without_commons(
            _believed(verdicts, turns, with_written_date if by_form else with_checked_date), turns
        )
        vectors = await self.embed_texts([each.candidate.content for each in believed])
        nearby = await self._near(turns, vectors, {*forgotten, *(memory.id for memory in known)})
        origin = Origin(
            exchanges=[each.exchange for each in turns],
            embedding_model=self.backends.embedder.name,
            at=self.clock(),
            new_id=self.new_id,
            asked=_turns_asking(turns, Asking.REMEMBER),
            corrects=_turns_asking(turns, Asking.CORRECT),
            extractor=extractor,
            by_form=by_form,
        )
        weighed = [replace(each, vector=vector) for each, vector in zip(believed, vectors, strict=True)]
        reconciled = await asyncio.to_thread(reconcile, weighed, known, nearby, origin, ending=ending)
        refused: list[tuple[int, Change]] = [
            *((each.turn, Ignore(each.reason, each.candidate)) for each in ending),
            *copied,
            *((len(turns) - 1, each) for each in verdicts if isinstance(each, Ignore)),
        ]
        held = [
            (each.turn, Quarantine(origin.unweighed(each.candidate, each.turn), each.reason))
            for each in verdicts
            if isinstance(each, HeldCandidate)
        ]
        return [*reconciled, *held, *refused]

    async def _without_commons(
        self, believed: Sequence[AcceptedCandidate], turns: Sequence[AnalyzedTurn]
    ) -> tuple[list[AcceptedCandidate], list[tuple[int, Change]]]:
        """Part the statements from exact copies of the memories for everybody."""
        # Only a prompt with memories can have shown one of these, which people with few of their own are given.
        if not any(each.attribution.injected for each in turns):
            return list(believed), []
        common = {content_hash(each.content) for each in await self.backends.store.memories.globals()}
        kept: list[AcceptedCandidate] = []
        copied: list[tuple[int, Change]] = []
        for accepted in believed:
            candidate = accepted.candidate
            if content_hash(candidate.content) in common and not _quotes_itself(candidate):
                copied.append((accepted.turn, Ignore(Reason.INJECTED, candidate)))
            else:
                kept.append(accepted)
        return kept, copied

    async def _near(
        self, turns: Sequence[AnalyzedTurn], vectors: Sequence[Vector | None], besides: Collection[UUID]
    ) -> list[Memory]:
        """Return the user's statements near to the new ones, equal ones included; the newest where the embedder is away."""
        near: dict[UUID, Memory] = {}
        scope, store = turns[0].exchange.turn.scope, self.backends.store.memories
        if any(vector is None for vector in vectors):
            page = await store.page(scope.user_id, limit=_NEWEST_ASKED)
            near.update({each.id: each for each in page.memories})
        for vector in vectors:
            if vector is not None:
                found = await store.nearest(scope, vector, self.backends.embedder.name, limit=_NEAR_ASKED)
                near.update({each.memory.id: each.memory for each in found})
        return [each for each in near.values() if each.kind in STATEMENTS and each.id not in besides]


def _quotes_itself(candidate: Candidate) -> bool:
    """Return True if the quote of a candidate holds its whole content, letter by letter."""
    return searchable(candidate.content).letters in plain_quote(candidate.evidence).letters


def _believed(
    verdicts: Sequence[Verdict],
    turns: Sequence[AnalyzedTurn],
    date: Callable[[Candidate, datetime], Candidate],
) -> list[AcceptedCandidate]:
    """Return the accepted candidates with checked dates."""
    return [
        replace(each, candidate=date(each.candidate, wall(turns[each.turn].exchange.turn.at)))
        for each in verdicts
        if isinstance(each, AcceptedCandidate)
    ]


def _turns_asking(turns: Sequence[AnalyzedTurn], asking: Asking) -> frozenset[int]:
    return frozenset(number for number, each in enumerate(turns) if each.asks(asking))


_HOUR = timedelta(hours=1)


async def allowance_of(
    user_id: str, rules: FormationRules, backends: Backends, *, at: datetime
) -> int | None:
    """Return how many more memories the user may be given now; None: any number."""
    if not rules.hourly:
        return None
    return max(0, rules.hourly - await backends.store.memories.added_since(user_id, at - _HOUR))
