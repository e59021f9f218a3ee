"""Finds the memories and messages that a person asks to forget in a chat. It applies nothing.

A model chooses if there is one: the extraction model among the memories it was shown, else a judge among those near to the wish.
Only the first decides which ones go for good.
Without a model only texts with all terms of the command are chosen. A memory that waits for
approval is always found by its terms, as no model is shown it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from uuid import UUID

import structlog

from recollect.backends import Backends
from recollect.errors import ExtractorError
from recollect.formation.analyzed_turn import MemoryCommand
from recollect.formation.breaker_and_budget import CallGuard
from recollect.formation.understood_commands import is_told_later
from recollect.model import (
    STATEMENTS,
    Asking,
    Change,
    Erase,
    Exchange,
    Hide,
    Ignore,
    Kind,
    Memory,
    Reason,
    Retire,
    Scope,
    Vector,
)
from recollect.ports import Asker
from recollect.text.lexical import document_terms
from recollect.text.memory_requests import read_opening

_LOOKED_AT = 20  # as many as a model is asked to choose among
_FORGETTABLE = STATEMENTS | {Kind.QA_TURN, Kind.PROFILE}

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ForgetTargets:
    """Finds the memories and messages that a command to forget means."""

    backends: Backends
    guard: CallGuard

    async def changes(self, command: MemoryCommand, exchange: Exchange, asker: Asker) -> list[Change]:
        """Return the changes that a command to forget or to erase leads to.

        Its own message is hidden from recall as well, or loses its text. Where nothing is found for a command that no model understood,
        nothing is hidden.

        Raises:
            EmbedderError: The memories can't be found without the embedder.
            StoreError: The store failed.
        """
        hidden = Hide((exchange.message_id,), Reason.FORGOTTEN)
        waiting = await self._waiting(command, exchange)
        dropped = [Retire(each.id, Reason.FORGOTTEN) for each in waiting]
        if command.meant is not None:
            if command.asking is Asking.ERASE:  # never a judge's choice: it can't be undone
                said_in = chain.from_iterable(each.provenance.message_ids for each in waiting)
                gone = tuple(each.id for each in command.meant)
                return [*dropped, Erase(gone, tuple(dict.fromkeys((exchange.message_id, *said_in))))]
            meant = list(command.meant) or await self._chosen(command, exchange, asker)
            nothing: list[Change] = [] if meant or waiting else [Ignore(Reason.NOTHING_TO_FORGET)]
            return [*nothing, *(Retire(each.id, Reason.FORGOTTEN) for each in meant), *dropped, hidden]
        meant, said = await self._find_by_terms(command, exchange)
        if not (meant or said or waiting):
            return [Ignore(Reason.NOTHING_TO_FORGET)]
        retired: list[Change] = [Retire(each.id, Reason.FORGOTTEN) for each in meant]
        return [*retired, *dropped, Hide((*said, exchange.message_id), Reason.FORGOTTEN)]

    async def _waiting(self, command: MemoryCommand, exchange: Exchange) -> list[Memory]:
        """Return the memories that wait for approval and that a command names: no model is shown them."""
        held = await self.backends.store.memories.quarantined(exchange.turn.scope.user_id)
        found = (each.memory for each in held if _names(command.about, each.memory))
        return [each for each in found if not is_told_later(each, exchange)]

    async def _chosen(self, command: MemoryCommand, exchange: Exchange, asker: Asker) -> list[Memory]:
        """Return a judge's choice among near memories, as the extraction model did not see the meant one, or chose none."""
        judge = self.backends.judge
        if judge is None:
            return []
        [vector] = await self.backends.embedder.embed([command.about])
        near = await self._near(vector, exchange.turn.scope)
        known = [each for each in near if not is_told_later(each, exchange)]
        try:
            chosen = await self.guard.call(asker.user_id, lambda: judge.choose(command.about, known, asker))
        except ExtractorError as error:  # without a choice nothing is forgotten
            log.warning("forget_targets_lookup_failed", error=type(error).__name__, detail=str(error))
            return []
        return [known[number] for number in chosen.numbers if 0 <= number < len(known)]

    async def _find_by_terms(
        self, command: MemoryCommand, exchange: Exchange
    ) -> tuple[list[Memory], tuple[UUID, ...]]:
        """Return the memories and messages from before this one that have all terms of a command."""
        scope, about = exchange.turn.scope, command.about
        [vector] = await self.backends.embedder.embed([about])
        near = await self._near(vector, scope)
        found = await self.backends.store.index.said_with(
            scope.user_id, list(document_terms(about)), before=exchange.turn.at, limit=2 * _LOOKED_AT
        )
        said = [message_id for message_id, text in found if says_all(about, text)]
        known = [each for each in near if not is_told_later(each, exchange)]
        return [each for each in known if says_all(about, _words_of(each))], tuple(dict.fromkeys(said))

    async def _near(self, vector: Vector, scope: Scope) -> Sequence[Memory]:
        embedder = self.backends.embedder
        store = self.backends.store.memories
        # Summaries among the nearest must not crowd out what can be forgotten.
        near = await store.nearest(scope, vector, embedder.name, limit=3 * _LOOKED_AT, past=True)
        return [each.memory for each in near if each.memory.kind in _FORGETTABLE][:_LOOKED_AT]


def says_all(about: str, text: str) -> bool:
    """Return whether ``text`` holds every term of ``about``."""
    wanted = set(document_terms(about))
    return bool(wanted) and wanted <= set(document_terms(text))


def _names(about: str, memory: Memory) -> bool:
    """Return whether a memory has all terms of a command, which a model leaves in its sentence, or that sentence all of its terms."""
    opening = read_opening(about)
    texts = (memory.content, memory.provenance.evidence or "")
    return says_all(opening[1] if opening else about, "\n".join(texts)) or any(
        says_all(each, about) for each in texts
    )


def _words_of(memory: Memory) -> str:
    return f"{memory.content}\n{memory.provenance.evidence or ''}"
