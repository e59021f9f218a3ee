"""Finds the memories and messages that a person asks to forget in a chat. It applies nothing.

A model chooses where there is one: the extraction model, or a judge where several memories may be meant. Each of many chosen
memories has to share a word with the command, or be near to it. Without a model only what says all that the command says is
chosen.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

import structlog

from recollect.errors import ExtractorError
from recollect.formation.call_guard import CallGuard
from recollect.formation.memory_commands import MemoryCommand
from recollect.formation.rules import unrelated_cosine
from recollect.model import (
    STATEMENTS,
    Change,
    Exchange,
    Hide,
    Ignore,
    Kind,
    Memory,
    Neighbor,
    Passage,
    Reason,
    Retire,
    Role,
)
from recollect.ports import Asker, Backends
from recollect.text.comparison.vetoes import denied_words
from recollect.text.lexical import document_terms

_LOOKED_AT = 20
_FORGETTABLE = STATEMENTS | {Kind.QA_TURN, Kind.PROFILE}
_LEAST_TERMS = 1

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ForgetTargets:
    """Finds the memories and messages that a command to forget means.

    Attributes:
        backends: Where it is looked for, and who chooses.
        guard: Guards the calls of models.
    """

    backends: Backends
    guard: CallGuard

    async def changes(
        self, command: MemoryCommand, exchange: Exchange, asker: Asker, *, asks: bool
    ) -> list[Change]:
        """Return the changes that a command to forget leads to; its own message is hidden from recall as well.

        Args:
            command: What is to be forgotten.
            exchange: In which it is said.
            asker: On whose behalf a model is called.
            asks: Whether one is called at all.

        Raises:
            EmbedderError: It can't be found without the embedder, in the log least of all.
            StoreError: The store failed.
        """
        hidden = Hide((exchange.message_id,), Reason.FORGOTTEN)
        if command.broad:
            return [Ignore(Reason.TOO_BROAD)]
        if not document_terms(command.about):
            return [Ignore(Reason.NOTHING_TO_FORGET)]
        near, passages = await self._near(command, exchange)
        meant = await self._meant(command, near, asker if asks else None)
        said = tuple(
            dict.fromkeys(each.message_id for each in passages if says_all(command.about, each.content))
        )
        if not (meant or said):
            return [Ignore(Reason.NOTHING_TO_FORGET), hidden]
        retired: list[Change] = [Retire(memory.id, Reason.FORGOTTEN) for memory in meant]
        return [*retired, *([Hide(said, Reason.FORGOTTEN)] if said else []), hidden]

    async def _near(self, command: MemoryCommand, exchange: Exchange) -> tuple[list[Neighbor], list[Passage]]:
        scope, store, embedder = exchange.turn.scope, self.backends.memories, self.backends.embedder
        [vector] = await embedder.embed([command.about])
        near = await store.nearest(scope, vector, embedder.name, limit=3 * _LOOKED_AT)
        hits = await store.search(
            scope, vector, embedder.name, documents=(), limit=_LOOKED_AT, log=True, verbatim=False
        )
        passages = [hit.item for hit in hits if isinstance(hit.item, Passage) and hit.item.role is Role.USER]
        own = [each for each in passages if each.exchange_id != exchange.id]
        return [each for each in near if each.memory.kind in _FORGETTABLE][:_LOOKED_AT], own

    async def _meant(
        self, command: MemoryCommand, near: Sequence[Neighbor], asker: Asker | None
    ) -> list[Memory]:
        related = [
            each.memory for each in near if self._is_near(each) or _overlaps(command.about, each.memory)
        ]
        if command.meant:
            return _believed(command, command.meant, {memory.id for memory in related})
        judge = self.backends.judge
        if judge is not None and asker is not None:
            named = [memory for memory in related if _names(command.about, memory)]
            if len(named) == 1 or not related:
                return named
            known = [each.memory for each in near]
            try:
                chosen = await self.guard.call(
                    asker.user_id, lambda: judge.choose(command.about, known, asker)
                )
            except ExtractorError as error:
                log.warning("forgetting_without_model", error=type(error).__name__, detail=str(error))
            else:
                picked = [known[number] for number in chosen.numbers if 0 <= number < len(known)]
                return [memory for memory in picked if memory in related]
        return [memory for memory in related if says_all(command.about, _words_of(memory))]

    def _is_near(self, neighbor: Neighbor) -> bool:
        return neighbor.score >= unrelated_cosine(self.backends.embedder.gate)


def _believed(command: MemoryCommand, meant: Sequence[Memory], near: Collection[UUID]) -> list[Memory]:
    """Return the memories a model chose that are near to the command or share a word with it; a single one always.

    One may be named in no word of it: "don't keep what I earn" means a number. Several may be all that was shown, and beside
    others' words it may be theirs that a model follows.
    """
    related = [each for each in meant if each.id in near or _overlaps(command.about, each)]
    is_one = len(meant) == 1 and not command.is_beside_others
    return related or list(meant if is_one else ())


def says_all(about: str, text: str) -> bool:
    """Tell whether ``text`` holds every term of ``about``."""
    wanted = set(document_terms(about))
    return len(wanted) >= _LEAST_TERMS and wanted <= set(document_terms(text))


def _names(about: str, memory: Memory) -> bool:
    """Tell whether command and memory hold the same terms, and neither denies the other."""
    content = memory.content
    return says_all(about, content) and says_all(content, about) and not denied_words(about, content)


def _overlaps(about: str, memory: Memory) -> bool:
    return bool(set(document_terms(about)) & set(document_terms(_words_of(memory))))


def _words_of(memory: Memory) -> str:
    return f"{memory.content}\n{memory.provenance.evidence or ''}"
