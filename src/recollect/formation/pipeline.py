"""Forms memories from exchanges: analyze, extract, forget, keep verbatim. Returns changes, logs its decisions, and applies nothing."""

import asyncio
from collections import Counter
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeAlias
from uuid import UUID

import structlog

from recollect.backends import Backends
from recollect.errors import EmbedderError, UpstreamPolicyError, YieldedError
from recollect.formation.analyzed_turn import AnalyzedTurn, analyze_turn, read_commands
from recollect.formation.breaker_and_budget import CallGuard
from recollect.formation.forget_targets import ForgetTargets
from recollect.formation.learner import StatementLearner
from recollect.formation.new_memories import qa_embedding_text, qa_turn
from recollect.formation.understood_commands import Extraction, held_for_approval, with_understood_commands
from recollect.formation.verification import FormationRules, verify
from recollect.model import (
    NOT_ERASED,
    Add,
    Asking,
    Candidate,
    Change,
    Doubt,
    Erase,
    Exchange,
    Formed,
    Hide,
    Ignore,
    Kind,
    Mark,
    Quarantine,
    Reason,
    Replace,
    Retire,
    Scope,
    Strategy,
    Turn,
    Unread,
    person_of,
)
from recollect.models.memory_embedding import with_embedded_hints
from recollect.ports import Clock
from recollect.text.normalization import normalize
from recollect.text.prompt_injection import is_injected
from recollect.text.secrets import has_mark, warm

Batch: TypeAlias = tuple[UUID, ...]
"""The ids of exchanges that are formed at once, in order."""

_DENIED = "model: correct"

_LETTING_GO = (Asking.FORGET, Asking.ERASE)

_MOST_ERASED = 5
"""The most memories that one message erases, since a model may err. More are forgotten instead, which can be undone."""


def begins_with_command(exchange: Exchange) -> bool:
    """Return whether a message begins like a request to remember, correct or forget something; a megabyte takes seconds."""
    return bool(read_commands(analyze_turn(exchange).words))


def warm_up() -> None:
    """Verify a made-up message and look for injected instructions once; it takes about a second of processor time."""
    said, nobody = "I live in Kassel with my sister Anna, and I like tea. Where can I buy some?", UUID(int=0)
    turn = Turn(Scope("", ""), said, "", datetime(2026, 1, 1, tzinfo=UTC), "")
    analyzed = analyze_turn(Exchange(nobody, turn, "In town.", nobody, nobody))
    quote = said.partition(",")[0]
    verify(
        [Candidate("Lives in Kassel", Kind.FACT, 0.5, quote)], [analyzed.attribution], minimum_importance=0.0
    )
    is_injected(said, said, said)
    warm()


class FormationPipeline:
    """Decides how exchanges change their user's memories.

    Args:
        extracted: The extractions of batches that could not be formed to the end, as a chat came first or the embedder was away:
            the model is not asked again.
    """

    def __init__(
        self,
        backends: Backends,
        guard: CallGuard,
        rules: FormationRules,
        *,
        clock: Clock,
        new_id: Callable[[], UUID],
        extracted: MutableMapping[Batch, Extraction] | None = None,
    ) -> None:
        self._learner = StatementLearner(backends, guard, rules, clock, new_id)
        self._forget_targets = ForgetTargets(backends, guard)
        self._has_model = backends.extractor is not None
        self._approves_first = rules.approve_first
        self._embedder = backends.embedder
        self._clock = clock
        self._new_id = new_id
        self._extracted_before = {} if extracted is None else extracted

    async def form(self, exchanges: Sequence[Exchange], *, strategy: Strategy) -> list[Formed]:
        """Return how consecutive exchanges of one chat change their user's memories; nothing is applied.

        The result has an item for each of the first exchanges, at least one. Exchanges before a wish to forget come alone, as a
        memory has to be kept before it can be forgotten; the caller forms the others next, and the model is asked again. With
        formation OFF this is not called at all.

        Raises:
            ExtractorError: The model failed. If there is none, the exchanges count as unread.
            EmbedderError: The memories to forget can't be searched.
            YieldedError: A chat comes first.
            StoreError: The store failed.
        """
        # Off the loop: reading a long text takes tenths of a second, for which no chat's stream waits.
        turns = await asyncio.to_thread(lambda: [analyze_turn(exchange) for exchange in exchanges])
        wants = strategy in {Strategy.EXTRACT, Strategy.BOTH}
        extraction = await self._extracted(turns) if wants and self._has_model else None
        unread = self._unread(extraction) if wants else None
        if extraction is not None:
            turns = await asyncio.to_thread(with_understood_commands, turns, extraction)
        else:
            turns = [replace(each, commands=read_commands(each.words)) for each in turns]
        if before := _before_forgetting(turns):
            return await self.form(exchanges[:before], strategy=strategy)
        let_go = await self._all_let_go(turns, extraction)
        forgotten = {gone for each in let_go for change in each for gone in _gone(change)}
        wishes = [each for turn in turns for each in turn.commands if each.asking is not Asking.REMEMBER]
        left = (extraction or Extraction()).without(forgotten, wishes)
        learned = await self._learner.learn(turns, left, forgotten=forgotten)
        if self._approves_first:
            learned = held_for_approval(learned, turns, left.known, at=self._clock(), new_id=self._new_id)
        kept = [
            await self._verbatim(each) if strategy is not Strategy.EXTRACT and not _forgets(gone) else []
            for each, gone in zip(turns, let_go, strict=True)
        ]
        plain = Formed(exchanges[0], unread=unread, is_read=extraction is not None and unread is None)
        formed = await asyncio.to_thread(
            lambda: [
                _formed(
                    plain,
                    each,
                    [change for of, change in learned if of == number],
                    [*let_go[number], *kept[number]],
                )
                for number, each in enumerate(turns)
            ]
        )
        # With one exchange of the batch, so that sums over all are right.
        formed[-1] = replace(formed[-1], extracted_count=len(left.extracted.candidates))
        return [
            replace(each, changes=tuple(await with_embedded_hints(each.changes, self._embedder)))
            for each in formed
        ]

    def _unread(self, extraction: Extraction | None) -> Unread | None:
        """Return why a model has not read all of a batch that it was to read; None if it has, or may not."""
        if extraction is None:
            return None if self._has_model else Unread.NO_MODEL
        return None if extraction.extracted.is_whole else Unread.UNREADABLE

    async def _extracted(self, turns: Sequence[AnalyzedTurn]) -> Extraction | None:
        """Return an extraction, new or kept from an earlier try; None if no model may read the messages."""
        if before := self._extracted_before.pop(_batch_of(turns), None):
            return before
        try:
            return await self._learner.extract(turns)
        except UpstreamPolicyError:  # the operator lets no model read these chats
            return None

    async def _all_let_go(
        self, turns: Sequence[AnalyzedTurn], extraction: Extraction | None
    ) -> list[list[Change]]:
        """Return the changes by commands to forget or erase, of each turn; if that fails, keep the extraction for the next try."""
        try:
            return [await self._let_go(each) for each in turns]
        except (YieldedError, EmbedderError):
            if extraction is not None:
                self._extracted_before[_batch_of(turns)] = extraction
            raise

    async def _let_go(self, turn: AnalyzedTurn) -> list[Change]:
        """Return the changes that the person's commands to forget or erase lead to."""
        commands = [each for each in turn.commands if each.asking in _LETTING_GO]
        found = [await self._forget_targets.changes(each, turn.exchange, turn.asker) for each in commands]
        distinct: list[Change] = []
        for change in (each for changes in found for each in changes):
            if change not in distinct:
                distinct.append(change)
        return _within_bounds(distinct)

    async def _verbatim(self, turn: AnalyzedTurn) -> list[Change]:
        """Keep question and answer verbatim."""
        exchange = turn.exchange
        if not any(map(str.isalnum, exchange.turn.text)):
            return []
        [vector] = await self._learner.embed_texts([qa_embedding_text(exchange)])
        memory = qa_turn(exchange, vector, self._embedder.name, at=self._clock(), new_id=self._new_id)
        if turn.injects_instruction or turn.gives_instruction:
            return [Quarantine(memory, Reason.INSTRUCTION)]
        if self._approves_first:
            return [Quarantine(memory, Reason.APPROVAL, hides=False)]
        return [Add(memory, Reason.KEPT_VERBATIM)]


def _formed(
    plain: Formed, analyzed: AnalyzedTurn, learned: Sequence[Change], further: Sequence[Change]
) -> Formed:
    own = [_without_secret(change, analyzed) for change in learned]
    return replace(
        plain,
        exchange=analyzed.exchange,
        changes=(*own, *further, *_wrong(analyzed, own), *analyzed.hidden_messages),
        re_extracted=sum(_is_re_extracted(change, analyzed) for change in own),
    )


def _gone(change: Change) -> tuple[UUID, ...]:
    """Return the memories that a change lets go of."""
    if isinstance(change, Erase):
        return change.memories
    return (change.target,) if isinstance(change, Retire) else ()


def _within_bounds(let_go: Sequence[Change]) -> list[Change]:
    """Return the changes of one message; if it would delete too many memories for good, they are forgotten instead."""
    if (
        len({each for change in let_go if isinstance(change, Erase) for each in change.memories})
        <= _MOST_ERASED
    ):
        return list(let_go)
    bounded: list[Change] = []
    for change in let_go:
        if isinstance(change, Erase):
            bounded += [Retire(each, Reason.FORGOTTEN, decided_by=NOT_ERASED) for each in change.memories]
            bounded.append(Hide(change.messages, Reason.FORGOTTEN))
        else:
            bounded.append(change)
    return bounded


def _batch_of(turns: Sequence[AnalyzedTurn]) -> Batch:
    return tuple(each.exchange.id for each in turns)


def _before_forgetting(turns: Sequence[AnalyzedTurn]) -> int:
    """Return how many turns come before the first wish to forget; 0 where there is none, or it comes first."""
    return next((number for number, each in enumerate(turns) if each.asks(*_LETTING_GO)), 0)


def _without_secret(change: Change, turn: AnalyzedTurn) -> Change:
    """Return a change; a statement with a secret that the person wants remembered is not kept."""
    if not isinstance(change, Add | Replace | Quarantine) or not turn.asks(Asking.REMEMBER):
        return change
    if has_mark(change.memory.content):
        return Ignore(Reason.CONFIDENTIAL)
    return change


def _forgets(changes: Sequence[Change]) -> bool:
    return any(isinstance(each, Retire | Hide | Erase) for each in changes)


def _wrong(turn: AnalyzedTurn, own: Sequence[Change]) -> list[Change]:
    """Return the changes to memories that the person calls wrong, except those that a new statement replaces or confirms.

    The memory goes. If the message has others' words, too, the memory is disputed instead.
    """
    touched = {getattr(each, name, None) for each in own for name in ("old", "target")}
    commands = [each for each in turn.commands if each.asking is Asking.CORRECT]
    meant = {
        memory.id: command
        for command in commands
        for memory in command.meant or ()
        if memory.id not in touched
    }
    return [
        Mark(each, Doubt.DISPUTED, Reason.DISPUTED, decided_by=_DENIED)
        if command.is_beside_others
        else Retire(each, Reason.CORRECTED, decided_by=_DENIED)
        for each, command in meant.items()
    ]


def _is_re_extracted(change: Change, turn: AnalyzedTurn) -> bool:
    """Return whether a new memory rests on injected words that are not the person's own.

    Another way than verification's, on purpose: it counts what that should never let through.
    """
    if not isinstance(change, Add | Replace):
        return False
    evidence = normalize(change.memory.provenance.evidence or "")
    own = normalize(f"{turn.attribution.authored}\n{turn.attribution.confirmed}")
    return evidence not in own and any(evidence in normalize(line) for line in turn.attribution.injected)


log = structlog.get_logger(__name__)

_IGNORED = Ignore.__name__.lower()


def log_formed(formed: Sequence[Formed], applied: Sequence[Sequence[Change]], *, milliseconds: float) -> None:
    """Log one ``formed`` for the exchanges of a user that were formed at once: counts of the applied changes, and no text.

    It is at the level ``debug``, unless formation is on and no model read some of the exchanges.
    """
    unread = Counter(each.unread.value for each in formed if each.unread is not None)
    done = Counter(type(change).__name__.lower() for changes in applied for change in changes)
    is_news = any(reason != Unread.OFF.value for reason in unread)
    say = log.info if is_news else log.debug
    say(
        "formed",
        user_id=person_of(formed[0].exchange.turn.scope.user_id),
        session_id=formed[-1].exchange.turn.scope.session_id,
        exchanges=len(formed),
        changes={name: count for name, count in done.items() if name != _IGNORED},
        skipped=done[_IGNORED],
        milliseconds=round(milliseconds),
        **({"unread": dict(unread)} if unread else {}),
    )


def log_decision(formed: Formed, applied: Sequence[Change]) -> None:
    """Log one ``memories_decided`` at the level ``debug``: each change for an exchange, with its reason."""
    exchange = formed.exchange
    log.debug(
        "memories_decided",
        user_id=person_of(exchange.turn.scope.user_id),
        exchange_id=str(exchange.id),
        input_message_length=len(exchange.turn.text),
        extracted_count=formed.extracted_count,
        unread=formed.unread,
        decisions=list(map(_decision, applied)),
    )


def _decision(change: Change) -> dict[str, Any]:
    target: UUID | None
    match change:
        case Add(memory) | Quarantine(memory):
            target = memory.id
        case Replace(old):
            target = old
        case Hide() | Erase():
            target = None
        case _:
            target = change.target
    decision: dict[str, Any] = {
        "action": type(change).__name__.lower(),
        "target_id": str(target) if target else None,
        "reason": change.reason.value,
    }
    if not isinstance(change, Hide | Erase) and change.decided_by is not None:
        decision["decided_by"] = change.decided_by
    if isinstance(change, Replace):
        decision["memory_id"] = str(change.memory.id)
    return decision
