"""Brings a case about: the person's memories, the chat so far, the injected block, and then the message itself.

Each case is a user of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from uuid import UUID

from uuid_utils.compat import uuid7

from bench.engines import Bench, Completed, hear
from bench.formation.cases import Case, CaseScript, StoredMemory
from recollect.composition import compose
from recollect.model import (
    Exchange,
    Formed,
    Injection,
    Memory,
    Place,
    Provenance,
    Recollection,
    Source,
    Turn,
    TurnNotes,
)
from recollect.text.tokens import estimate_tokens
from recollect.wire.turn import DetectedTurn

CHAT = "chat"
_BUDGET = 100_000
_BETWEEN_MESSAGES = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Staged:
    """A case that was brought about.

    Attributes:
        stored: The person's memories, in the case's order.
        completed: The decisions; None if nothing was formed.
        unheard: Why the message was not heard, if it was not.
        re_extracted: How many memories the engine itself counts that rest on injected words alone.
    """

    case: Case
    stored: tuple[Memory, ...]
    completed: Completed | None
    unheard: str | None
    re_extracted: int


async def stage(bench: Bench, case: Case) -> Staged:
    """Bring a case about."""
    bench.clock.restart()
    bench.clock.move_to(case.said_at)
    bench.inbox.completed.clear()
    stored = await _store(bench, case)
    bench.scripts[case.id] = CaseScript(case, tuple(memory.id for memory in stored))
    await _say_before(bench, case)
    heard = hear_message(case, len(case.history))
    counted = bench.engine.counts.re_extracted
    if heard.turn is None or not heard.forms:
        return Staged(case, stored, None, heard.skip or "not formed", 0)
    await _inject(bench, case, stored, heard.turn)
    await bench.engine.remember(heard.turn, case.reply)
    await bench.form(case.id)
    completed = bench.inbox.completed.get(heard.turn.key)
    return Staged(case, stored, completed, None, bench.engine.counts.re_extracted - counted)


def hear_message(case: Case, number: int, *, session: str = CHAT) -> DetectedTurn:
    """Read a message, counted from 0, as the proxy reads it with the earlier ones."""
    told = [{"role": each["role"], "content": each["text"]} for each in case.history]
    messages = [*told, {"role": "user", "content": case.said}][: number + 1]
    if case.speaker is not None:
        messages = [each | {"name": case.speaker} if each["role"] == "user" else each for each in messages]
    steps = len(case.history) - number
    at = case.said_at - steps * _BETWEEN_MESSAGES
    return hear(messages, person=case.id, chat=session, at=at, key=f"message-{number}")


async def _store(bench: Bench, case: Case) -> tuple[Memory, ...]:
    made = tuple(
        Memory(
            id=uuid7(),
            owner=case.id,
            kind=each.kind,
            source=Source.EXTRACTED,
            content=each.content,
            importance=each.importance,
            observed_at=each.said_at,
            created_at=case.said_at,
            event_at=_event(each),
            provenance=Provenance("an earlier chat", (), each.evidence),
        )
        for each in case.stored
    )
    await bench.keep(case.id, made, case.said_at)
    return made


def _event(memory: StoredMemory) -> datetime | None:
    day = memory.event_date
    return None if day is None else datetime.combine(day, time(), memory.said_at.tzinfo or UTC)


async def _say_before(bench: Bench, case: Case) -> None:
    """Log the earlier exchanges of the chat, as formed."""
    for number in range(0, len(case.history), 2):
        heard = hear_message(case, number)
        if heard.turn is None:
            raise ValueError(case.id)
        reply = case.history[number + 1]["text"]
        exchange = Exchange(uuid7(), heard.turn, reply, uuid7(), uuid7())
        await bench.backends.store.log.append(exchange)
        await bench.backends.store.inbox.complete([Formed(exchange)], at=bench.clock())


async def _inject(bench: Bench, case: Case, stored: Sequence[Memory], turn: Turn) -> None:
    """Note the injected memories: in the chat's first block, or in the turn's own if it is the first."""
    shown = [Recollection(stored[number], 1.0) for number in case.injected]
    block = compose(shown, budget=_BUDGET, count=estimate_tokens)
    if block is None:
        return
    first = hear_message(case, 0).turn or turn
    items: tuple[UUID, ...] = tuple(each.item.id for each in block.recollections)
    injection = Injection(first.anchor, Place.SYSTEM, block.text, items, block.tokens, first.at)
    await bench.engine.write_notes(first, TurnNotes(injection))
