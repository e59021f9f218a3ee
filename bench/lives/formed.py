"""Forms what people say in chats, over a database of its own, with an extraction model whose answers are scripted.

The whole way but HTTP: a request is heard, recalled for, remembered and formed by a real engine over a real Postgres with
the real local embedder. The scripted answer is written as the JSON a model writes, and read as every model's is.
Never: what is right.
"""

import json
import logging
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Protocol, TypeAlias
from uuid import UUID

import msgspec
import structlog

from bench.formation.recording import RecordingInbox
from bench.recall.clock import ReplayClock
from bench.recall.opening import unhurried
from recollect.assembly import make_policy, open_backends
from recollect.backends import Backends
from recollect.engine import Engine
from recollect.model import (
    STATEMENTS,
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
    Strategy,
    TurnNotes,
)
from recollect.models.extractors import ModelExtractor
from recollect.models.extractors.chat_model import Messages, ModelAnswer
from recollect.ports import Asker, Chosen, Extracted, Hinter, Summarizer
from recollect.wire.turn_detection import detect_turn
from recollect_proxy.serving.ephemeral_server import temporary
from recollect_proxy.settings.proxy_settings import ProxySettings

Numbers: TypeAlias = Mapping[UUID, int]
"""Under which number the model was shown which memory."""

_MODEL = "scripted"
_NOBODY = "http://127.0.0.1:9/v1"
_TOKENS = 100
_SHOWN = re.compile(r"^\[(\d{1,4})\] (.{1,2000})$", re.MULTILINE)
_TOLD = 200
"""So many characters of a memory are enough to know it again in a prompt."""
_DRAINS = 20
_PAGE = 100
_BATCH = 10


def be_quiet() -> None:
    """Log nothing but errors: a bench prints its figures."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))


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
class Bench:
    """What formation is measured with.

    Attributes:
        engine: Forms memories.
        backends: What it works with.
        inbox: Tells what it decided.
        clock: What it tells the time by.
        scripts: What the models answer, by person.
        asked: How often the extraction model was asked.
    """

    engine: Engine
    backends: Backends
    inbox: RecordingInbox
    clock: ReplayClock
    scripts: dict[str, Script]
    asked: Asked

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

    async def form(self, person: str) -> None:
        """Form all that somebody said.

        Raises:
            RuntimeError: It does not end.
        """
        for _ in range(_DRAINS):
            again = await self.engine.drain(person)
            if again is None:
                return
            self.clock.move_to(self.clock() + again + timedelta(milliseconds=1))
        raise RuntimeError(f"formation does not end for {person}")

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

    async def stored(self, person: str) -> list[Memory]:
        """Return the statements that somebody has."""
        found: list[Memory] = []
        after: UUID | None = None
        while True:
            page = await self.backends.memories.page(person, limit=_PAGE, after=after)
            found += [each for each in page.memories if each.kind in STATEMENTS]
            after = page.next
            if after is None:
                return found

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
    *,
    batches: bool = False,
    judges: bool = True,
    live: bool = False,
    summarizer: Summarizer | None = None,
    hinter: Hinter | None = None,
    **changes: Any,
) -> AsyncIterator[Bench]:
    """Open the store and the embedder until left; database, models and time are the bench's own.

    Args:
        batches: Whether what was said since the last time is formed together, by one call of the model.
        judges: Whether there is a second model to ask.
        live: Whether the models are those that ``changes`` name, and not scripted.
        summarizer: Summarizes chats as often as ``changes`` say; None: nobody does.
        hinter: Gives hints to statements that have none; None: nobody does.
        **changes: Settings that differ from the bench's.

    Raises:
        RecollectError: They could not be opened.
    """
    given = ProxySettings(upstream=_NOBODY)
    own = temporary(given, **_as_asked(given, batches=batches) | changes)
    async with open_backends(own) as backends:
        clock, inbox = ReplayClock(), RecordingInbox(backends.inbox)
        scripts: dict[str, Script] = {}
        asked = Asked()
        used = replace(backends, inbox=inbox.as_inbox, summarizer=summarizer, hinter=hinter)
        if not live:
            judge = _ScriptedJudge(scripts) if judges else None
            used = replace(used, extractor=_ScriptedExtractor(scripts, asked), judge=judge)
        yield Bench(Engine(used, make_policy(own), clock=clock), used, inbox, clock, scripts, asked)


def _as_asked(given: ProxySettings, *, batches: bool) -> dict[str, Any]:
    """Return settings by which nothing waits, and nothing is left out or let go of for its number."""
    none = (
        "formation_quiet_seconds",
        "memories_per_hour",
        "session_cap",
        "user_cap",
        "summary_turns",
        "summary_tokens",
        "user_tokens_per_day",
        "tokens_per_day",
    )
    return {
        **dict.fromkeys(none, 0),
        **dict.fromkeys(("extraction_model", "extraction_base_url", "global_memories")),
        "formation": Strategy.EXTRACT,
        "formation_batch_turns": _BATCH if batches else 1,
        **unhurried(given),
    }


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
