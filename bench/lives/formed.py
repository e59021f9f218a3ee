"""Forms what people say in chats, over a database of its own, with an extraction model whose answers are scripted.

The whole way but HTTP: a request is heard, recalled for, remembered and formed by a real engine over a real Postgres with
the real local embedder. The scripted answer is written as the JSON a model writes, and read as every model's is.
Never: a verdict.
"""

import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol, TypeAlias
from uuid import UUID

from bench.engines import EngineBench, bench_settings, hear, open_engine
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
from recollect.models.memory_embedding import embedded
from recollect.ports import Asker, Chosen, Extracted

Numbers: TypeAlias = Mapping[UUID, int]
"""Under which number the model was shown which memory."""

_MODEL = "scripted"
_TOKENS = 100
_OF_STATEMENTS = (Add, Quarantine, Replace, Ignore, Reinforce, Retire, Mark)
_SHOWN = re.compile(r"^\[(\d{1,4})\] (.{1,2000})$", re.MULTILINE)
_TOLD = 200
"""So many characters of a memory are enough to know it again in a prompt."""


class Script(Protocol):
    """The answers of the models about one person."""

    def items(
        self, exchanges: Sequence[Exchange], known: Sequence[Memory], numbers: Numbers
    ) -> list[dict[str, Any]]:
        """Return the statements that the extraction model answers, as its JSON has them."""
        ...

    def commands(
        self, exchanges: Sequence[Exchange], known: Sequence[Memory]
    ) -> tuple[ExtractedCommand, ...]:
        """Return the wishes that the extraction model finds."""
        ...

    def chosen(self, command: str, known: Sequence[Memory]) -> tuple[int, ...]:
        """Return which memories the second model takes a command to forget to mean."""
        ...


@dataclass(frozen=True, slots=True)
class Event:
    """The change that was made for a statement of a turn.

    Attributes:
        key: The key of the turn.
        action: The name of the change.
        content: The statement; "" where only a memory is named.
    """

    key: str
    action: str
    reason: str
    content: str = ""


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
        """Have a person say something and be answered; return whether it will be formed."""
        self.clock.move_to(at)
        messages = [*before, {"role": "user", "content": user}]
        if name is not None:
            messages = [{**each, "name": name} if each["role"] == "user" else each for each in messages]
        heard = hear(messages, person=person, chat=chat, at=self.clock(), key=key)
        if heard.turn is None or not heard.forms:
            return False
        prepared = await self.engine.prepare(heard.turn)
        placed = prepared.placed
        await self.engine.write_notes(heard.turn, TurnNotes(placed.injection, placed.detached))
        return await self.engine.remember(heard.turn, assistant, recollections=prepared.included)

    async def keep(self, person: str, memories: Sequence[Memory], at: datetime) -> None:
        """Store memories of a person, and embed them."""
        changes = [Add(each) for each in await embedded(memories, self.backends.embedder)]
        await self.backends.memories.apply(
            Scope(person, "an earlier chat"), changes, actor=Actor.IMPORT, at=at
        )

    def events(self) -> list[Event]:
        """Return the changes for all statements since the inbox forgot, in order."""
        return [
            Event(key, type(done).__name__.lower(), str(done.reason), _content(done) or _content(wanted))
            for key, completed in self.inbox.completed.items()
            for wanted, done in completed.done
            if isinstance(done, _OF_STATEMENTS)
        ]


@asynccontextmanager
async def open_bench(
    *, models: Mapping[str, Any] | None = None, live: bool = False, **changes: Any
) -> AsyncIterator[Bench]:
    """Open the store and the embedders until left."""
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


def _content(change: Change) -> str:
    """Return the statement of a change; "" if it has none."""
    match change:
        case Add(memory) | Replace(_, memory) | Quarantine(memory):
            return memory.content
        case Ignore(candidate=Candidate() as candidate):
            return candidate.content
        case _:
            return ""
