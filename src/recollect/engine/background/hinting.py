"""Gives hints to statements that have none, in the background: added by hand, imported or edited. Never: SQL, how a model is asked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

import structlog

from recollect.backends import Backends
from recollect.engine.background.counts import FormationCounts
from recollect.errors import ExtractorError, ExtractorTimeoutError, InvalidExtractionError
from recollect.formation import CallGuard, plausible_hints
from recollect.model import STATEMENTS, Hints, Memory
from recollect.models.attempts import Step, Steps
from recollect.models.memory_embedding import embedded_if_possible
from recollect.models.yielding import Yielding
from recollect.ports import Asker, Hinted, Hinter

AT_ONCE = 20
"""How many statements a model is asked about in one call."""

_NEXT_RUN = timedelta(seconds=1)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Hinting:
    """Asks the model that the person chatted with last, or the operator's own, about the person's own statements.

    Nothing waits for it, and nothing is scheduled after a failure: the person's next job tries again.

    Attributes:
        backends: The stores, the embedder and the hinter.
        guard: Guards the model calls.
        credential: Finds a person's own credential by user and upstream, while this process has one.
        counts: Counts the statements that got hints.
        steps: Counts each attempt in the database before it begins.
        attempts: How many workers may die of the same statements. After that, they count as asked about.
        yielding: Makes the work wait for chats.
        names_model: Whether the operator named an extraction model, which can be asked about people who never chatted.
    """

    backends: Backends
    guard: CallGuard
    credential: Callable[[str, str], str | None]
    counts: FormationCounts
    steps: Steps
    attempts: int
    yielding: Yielding
    names_model: bool

    async def keep(self, user_id: str) -> timedelta | None:
        """Give hints to the user's next statements without any; return after how long to come again for more.

        Raises:
            YieldedError: A chat comes first.
            StoreError: The store failed.
        """
        hinter = self.backends.hinter
        if hinter is None or (asker := await self._asker(user_id)) is None:
            return None
        told = hinter.told(asker).kinds
        kinds = STATEMENTS if told is None else STATEMENTS & told
        statements = await self.backends.memories.unhinted(user_id, kinds, limit=AT_ONCE)
        if not statements:
            return None
        with self.yielding.turn(user_id):
            found = await self._ask_model(hinter, statements, asker)
        if found is None:
            return None
        await self._give(user_id, statements, found)
        return _NEXT_RUN if len(statements) == AT_ONCE else None

    async def _asker(self, user_id: str) -> Asker | None:
        spoken = await self.backends.inbox.spoken_with(user_id)
        if spoken is not None:
            credential = self.credential(user_id, spoken.upstream)
            return Asker(user_id, spoken.model, spoken.authorized, credential, upstream=spoken.upstream)
        return Asker(user_id, "") if self.names_model else None

    async def _ask_model(self, hinter: Hinter, statements: Sequence[Memory], asker: Asker) -> Hinted | None:
        """Return the model's answer, empty if it could not be read or came too late; None if no model was asked."""
        async with self.steps.step(asker.user_id, Step.HINT, str(statements[0].id)) as begun:
            if begun > self.attempts:
                log.error("hints_abandoned", attempts=begun - 1)
                return Hinted()
            try:
                return await self.guard.call(asker.user_id, partial(hinter.hints, statements, asker))
            except ExtractorError as error:
                log.info("hints_failed", error=type(error).__name__, detail=str(error))
                is_answer = isinstance(error, InvalidExtractionError | ExtractorTimeoutError)
                return Hinted() if is_answer else None

    async def _give(self, user_id: str, statements: Sequence[Memory], found: Hinted) -> None:
        hinted = [
            replace(each, hints=_plausible(each, found.hints[place]))
            for place, each in enumerate(statements)
            if place in found.hints
        ]
        embedded = await embedded_if_possible(hinted, self.backends.embedder)
        await self.backends.memories.give_hints(user_id, embedded)
        if any(each.embedding is None for each in embedded):
            await self.backends.index.enqueue(user_id)  # the embedder failed
        given = {each.id for each in hinted}
        without = [each.id for each in statements if each.id not in given]
        await self.backends.memories.count_hints_asked(user_id, without)
        self.counts.hinted += len(hinted)
        if found.tokens:
            log.debug("hints_made", statements=len(statements), hinted=len(hinted), tokens=found.tokens)


def _plausible(statement: Memory, hints: Hints) -> Hints | None:
    return plausible_hints(hints, statement.kind, statement.importance, is_general=statement.event_at is None)
