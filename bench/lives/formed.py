"""Forms what people say in chats, over a database of its own, with an extraction model whose answers are scripted.

The whole way but HTTP: a request is heard, recalled for, remembered and formed by a real engine over a real Postgres with
the real local embedder. The scripted answer is written as the JSON a model writes, and read as every model's is.
Never: what is right.
"""

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol, TypeAlias
from uuid import UUID

import msgspec

from bench.engines import EngineBench, bench_settings, open_engine
from recollect.model import (
    Actor,
    Add,
    Candidate,
    Change,
    Exchange,
    ExtractedCommand,
    Ignore,
    Mark,
    Memory,
    Quarantine,
    Reinforce,
    Replace,
    Retire,
    Scope,
    TurnNotes,
)
from recollect.models.extractors import ModelExtractor
from recollect.models.extractors.chat_model import Messages, ModelAnswer
from recollect.ports import Asker, Chosen, Extracted
from recollect.wire.turn_detection import detect_turn

Numbers: TypeAlias = Mapping[UUID, int]
"""Under which number the model was shown which memory."""

_MODEL = "scripted"
_TOKENS = 100
_SHOWN = re.compile(r"^\[(\d{1,4})\] (.{1,2000})$", re.MULTILINE)
_TOLD = 200
"""So many characters of a memory are enough to know it again in a prompt."""


class Script(Protocol):
    """What the models answer about one person."""

    def items(
        self, exchanges: Sequence[Exchange], known: Sequence[Memory], numbers: Numbers
    ) -> list[dict[str, Any]]:
        """Return the statements that the extraction model answers, as its JSON has them."""
        ...

    def commands(
        self, exchanges: Sequence[Exchange], known: Sequence[Memory]
    ) -> tuple[ExtractedCommand, ...]:
        """Return what the extraction model takes the person to ask of the memory."""
        ...

    def chosen(self, command: str, known: Sequence[Memory]) -> tuple[int, ...]:
        """Return which memories the second model takes a command to forget to mean."""
        ...


@dataclass(frozen=True, slots=True)
class Event:
    """What was done for a statement.

    Attributes:
        key: In which turn.
        action: The change, by its name.
        reason: Why.
        content: What the statement says; "" where only a memory is named.
        memory_id: The memory that was made.
        target: The memory it was done to.
        evidence: The words it rests on.
        event_at: When what it says happens.
    """

    key: str
    action: str
    reason: str
    content: str = ""
    memory_id: UUID | None = None
    target: UUID | None = None
    evidence: str = ""
    event_at: datetime | None = None


@dataclass(slots=True)
class Asked:
    """How often a model was asked, and how much it was shown."""

    calls: int = 0
    characters: int = 0


@dataclass(slots=True)
class Bench(EngineBench):
    """An engine to which people talk, and whose extraction model is scripted.

    Attributes:
        asked: How often that model was asked.
    """

    asked: Asked = field(default_factory=Asked)

    async def say(
        self,
        person: str,
        chat: str,
        key: str,
        before: Sequence[Mapping[str, str]],
        user: str,
        assistant: str,
        at: datetime,
        *,
        name: str | None = None,
    ) -> bool:
        """Let somebody say something and be answered; return whether it is to be formed.

        Args:
            person: Who.
            chat: Where.
            key: The message's id.
            before: The chat's earlier messages, as a request carries them.
            user: What they say.
            assistant: What is answered.
            at: When.
            name: What the frontend calls them.
        """
        self.clock.move_to(at)
        messages = [*before, {"role": "user", "content": user}]
        if name is not None:
            messages = [{**each, "name": name} if each["role"] == "user" else each for each in messages]
        heard = detect_turn(
            msgspec.json.encode({"model": _MODEL, "messages": messages}),
            user_id=person,
            session_id=chat,
            message_id=key,
            at=self.clock(),
        )
        if heard.turn is None or not heard.forms:
            return False
        prepared = await self.engine.prepare(heard.turn)
        placed = prepared.placed
        await self.engine.note(heard.turn, TurnNotes(placed.injection, placed.detached))
        return await self.engine.remember(heard.turn, assistant, recollections=prepared.included)

    async def keep(self, person: str, memories: Sequence[Memory], at: datetime) -> None:
        """Let somebody have memories, whose embeddings are made here."""
        vectors = await self.backends.embedder.embed([each.content for each in memories])
        name = self.backends.embedder.name
        changes = [
            Add(replace(each, embedding=vector, embedding_model=name))
            for each, vector in zip(memories, vectors, strict=True)
        ]
        await self.backends.memories.apply(
            Scope(person, "an earlier chat"), changes, actor=Actor.IMPORT, at=at
        )

    def events(self) -> list[Event]:
        """Return what was done for the statements of all that was formed since the inbox forgot, in order."""
        return [
            event
            for key, completed in self.inbox.completed.items()
            for wanted, done in completed.done
            for event in _events(key, wanted, done)
        ]


@asynccontextmanager
async def open_bench(
    *, models: Mapping[str, Any] | None = None, live: bool = False, **changes: Any
) -> AsyncIterator[Bench]:
    """Open the store and the embedders until left.

    Args:
        models: Further models, by their names in ``Backends``.
        live: Whether the extraction model is the one that ``changes`` name, and not scripted.
        **changes: Settings that differ from the bench's.

    Raises:
        RecollectError: They could not be opened.
    """
    scripts: dict[str, Script] = {}
    asked = Asked()
    scripted = {"extractor": _ScriptedExtractor(scripts, asked), "judge": _ScriptedJudge(scripts)}
    used = {"summarizer": None, "hinter": None} | ({} if live else scripted) | dict(models or {})
    async with open_engine(bench_settings(**changes), scripts, **used) as opened:
        yield Bench(opened.engine, opened.backends, opened.inbox, opened.clock, scripts, asked)


class _ScriptedExtractor:
    """Implements ``Extractor``."""

    def __init__(self, scripts: Mapping[str, Script], asked: Asked) -> None:
        self._scripts = scripts
        self._asked = asked

    async def extract(self, exchanges: Sequence[Exchange], known: Sequence[Memory]) -> Extracted:
        script = self._scripts[exchanges[0].turn.scope.user_id]
        model = _ScriptedModel(script, exchanges, known, self._asked)
        extracted = await ModelExtractor(model).extract(exchanges, known)
        return replace(extracted, commands=(*extracted.commands, *script.commands(exchanges, known)))

    async def aclose(self) -> None:
        """Let go of nothing."""


@dataclass(frozen=True)
class _ScriptedModel:
    """Implements ``Model``: answers with the numbers that the prompt gives the memories."""

    script: Script
    exchanges: Sequence[Exchange]
    known: Sequence[Memory]
    asked: Asked

    async def ask(self, messages: Messages, *_: object, **__: object) -> ModelAnswer:
        self.asked.calls += 1
        self.asked.characters += sum(len(each["content"]) for each in messages)
        items = self.script.items(self.exchanges, self.known, _numbers(messages[-1]["content"], self.known))
        return ModelAnswer(json.dumps({"memories": items}, ensure_ascii=False), _TOKENS, _MODEL)

    async def aclose(self) -> None:
        """Let go of nothing."""


def _numbers(prompt: str, known: Sequence[Memory]) -> dict[UUID, int]:
    lines = [(int(each[1]), each[2]) for each in _SHOWN.finditer(prompt)]
    numbers: dict[UUID, int] = {}
    for memory in known:
        told = " ".join(memory.content.split())[:_TOLD]
        number = next((number for number, line in lines if told in line), None)
        if number is not None:
            numbers[memory.id] = number
    return numbers


@dataclass(frozen=True)
class _ScriptedJudge:
    """Implements ``Judge``."""

    scripts: Mapping[str, Script]

    async def choose(self, command: str, known: Sequence[Memory], asker: Asker) -> Chosen:
        return Chosen(self.scripts[asker.user_id].chosen(command, known), _TOKENS)


def _events(key: str, wanted: Change, done: Change) -> Iterator[Event]:
    told = _told_by(done) or _told_by(wanted)
    content, evidence, event_at = told or ("", "", None)
    event = Event(key, type(done).__name__.lower(), str(done.reason), content, None, None, evidence, event_at)
    match done:
        case Add(memory) | Quarantine(memory):
            yield replace(event, memory_id=memory.id)
        case Replace(old, memory):
            yield replace(event, memory_id=memory.id, target=old)
        case Ignore(target=target) | Reinforce(target) | Retire(target) | Mark(target):
            yield replace(event, target=target)
        case _:
            return


def _told_by(change: Change) -> tuple[str, str, datetime | None] | None:
    """Return what the statement of a change says, on which words, and when that happens."""
    match change:
        case Add(memory) | Replace(_, memory) | Quarantine(memory):
            return memory.content, memory.provenance.evidence or "", memory.event_at
        case Ignore(candidate=Candidate() as candidate):
            return candidate.content, candidate.evidence, candidate.event_at
        case _:
            return None
