"""An engine in this process, over a real database and the local embedders, with models and a clock of the bench's own.

The whole way but HTTP: a request is heard, recalled for, remembered and formed.
"""

import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from bench.scripted import Asked, Script, ScriptedExtractor, ScriptedJudge
from recollect.assembly.lifecycle import open_backends
from recollect.assembly.policy_from_settings import make_policy
from recollect.backends import Backends
from recollect.engine import Engine, Prepared
from recollect.model import STATEMENTS, Actor, Add, Change, Formed, Memory, Scope, Skip, Strategy, TurnNotes
from recollect.models.memory_embedding import embedded
from recollect.request_composition import compose_request
from recollect.text.tokens import token_counter
from recollect.wire.dialect import COMPLETIONS
from recollect.wire.turn import DetectedTurn, detect_turn
from recollect_proxy.serving.ephemeral_server import temporary
from recollect_proxy.settings.proxy_settings import ProxySettings

MODEL = "recollect-bench"
_NO_UPSTREAM = "http://127.0.0.1:9/v1"
_UNHURRIED_MS = 30_000
_DRAINS = 1_000
_TRIES = 5
_PAGE = 100
_UNLIMITED = (
    *("formation_quiet_seconds", "memories_per_hour", "session_cap", "user_cap", "summary_turns"),
    *("summary_tokens", "user_tokens_per_day", "tokens_per_day"),
)
"""Settings of 0: nothing waits, and no number leaves anything out."""


class Clock:
    """Tells the time of the person who talks. It runs on, so that delayed work becomes due, and never goes back."""

    def __init__(self) -> None:
        self.restart()

    def __call__(self) -> datetime:
        """Return now."""
        return self._moment + timedelta(seconds=time.monotonic() - self._set)

    def restart(self) -> None:
        """Begin with another person."""
        self._moment, self._set = datetime(2024, 1, 1, tzinfo=UTC), time.monotonic()
        self._dated = False

    def move_to(self, moment: datetime) -> None:
        """Go on to ``moment``, unless that is past."""
        if moment > self() or not self._dated:
            self._moment, self._set, self._dated = moment, time.monotonic(), True


@dataclass(frozen=True, slots=True)
class Completed:
    """The fate of an exchange: the decided changes, and what was made of each in their order, then the changes of the caps."""

    formed: Formed
    applied: tuple[Change, ...]

    @property
    def done(self) -> list[tuple[Change, Change]]:
        """Each decided change, with the change that was made."""
        return list(zip(self.formed.changes, self.applied, strict=False))


class RecordingInbox:
    """An inbox that passes everything on to another one, and notes completed exchanges.

    Attributes:
        completed: The fates of exchanges, by the key of their turn.
    """

    def __init__(self, inbox: Any) -> None:
        self._inbox = inbox
        self.completed: dict[str, Completed] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inbox, name)

    async def complete(self, formed: Sequence[Formed], **options: Any) -> list[list[Change]] | None:
        """Apply changes, and note them."""
        applied: list[list[Change]] | None = await self._inbox.complete(formed, **options)
        for each, changes in zip(formed, applied or (), strict=bool(applied)):
            self.completed[each.exchange.turn.key] = Completed(each, tuple(changes))
        return applied


@dataclass(slots=True)
class Bench:
    """An engine to which people talk.

    Attributes:
        scripts: The answers of the models, by user id.
        asked: How often the extraction model was asked.
    """

    engine: Engine
    backends: Backends
    inbox: RecordingInbox
    clock: Clock
    scripts: dict[str, Script]
    asked: Asked

    async def say(
        self,
        person: str,
        chat: str,
        key: str,
        messages: Sequence[Mapping[str, str]],
        reply: str,
        at: datetime,
    ) -> bytes:
        """Have a person say the last of a chat's messages and be answered; return the request as the LLM would get it."""
        self.clock.move_to(at)
        heard = hear(messages, person=person, chat=chat, at=self.clock(), key=key)
        if heard.turn is None or heard.body is None or not heard.forms:
            return heard.body.raw if heard.body else b""
        prepared = await self.engine.prepare(heard.turn)
        placed = prepared.placed
        await self.engine.write_notes(heard.turn, TurnNotes(placed.injection, placed.detached))
        await self.engine.remember(heard.turn, reply, recollections=prepared.included)
        return compose_request(COMPLETIONS, heard.body, placed) or heard.body.raw

    async def form(self, person: str) -> None:
        """Form and index everything a person said."""
        for _ in range(_DRAINS):
            again = await self.engine.drain(person)
            if again is None:
                return
            self.clock.move_to(self.clock() + again + timedelta(milliseconds=1))
        raise RuntimeError(f"formation does not end for {person}")

    async def keep(self, person: str, memories: Sequence[Memory], at: datetime) -> list[Change]:
        """Store memories of a person, and embed them."""
        changes = [Add(each) for each in await embedded(memories, self.backends.embedder)]
        scope = Scope(person, "an earlier chat")
        return list(await self.backends.store.memories.apply(scope, changes, actor=Actor.IMPORT, at=at))

    async def stored(self, person: str) -> list[Memory]:
        """Return the statements that a person has."""
        found: list[Memory] = []
        after: UUID | None = None
        while True:
            page = await self.backends.store.memories.page(person, limit=_PAGE, after=after)
            found += [each for each in page.memories if each.kind in STATEMENTS]
            after = page.next
            if after is None:
                return found

    async def ask(
        self, person: str, chat: str, messages: Sequence[Mapping[str, str]], at: datetime
    ) -> Prepared | Skip | None:
        """Prepare the prompt of a new chat, and leave no trace of it; on a busy machine try several times.

        Returns:
            The prepared prompt, or why the request is no turn.
        """
        for _ in range(_TRIES):
            self.clock.restart()
            self.clock.move_to(at)
            heard = hear(messages, person=person, chat=chat, at=self.clock())
            if heard.turn is None:
                return heard.skip
            prepared = await self.engine.prepare(heard.turn, count=token_counter(MODEL))
            if not prepared.recall.degraded:
                break
        return prepared


def hear(
    messages: Sequence[Mapping[str, str]], *, person: str, chat: str, at: datetime, key: str | None = None
) -> DetectedTurn:
    """Read a request as the proxy reads it; ``key`` is the message's id, None if the frontend sends none."""
    body = msgspec.json.encode({"model": MODEL, "messages": messages})
    return detect_turn(body, user_id=person, session_id=chat, message_id=key, at=at)


def unhurried_settings(**changes: Any) -> ProxySettings:
    """Return the operator's settings with a database in memory, by which recall is measured, and not how busy the machine is."""
    given = ProxySettings(upstream=_NO_UPSTREAM)
    return temporary(given, **{"recall_deadline_ms": max(given.recall_deadline_ms, _UNHURRIED_MS)} | changes)


def bench_settings(**changes: Any) -> ProxySettings:
    """Return such settings by which nothing waits and no number leaves anything out."""
    own: dict[str, Any] = {
        **dict.fromkeys(_UNLIMITED, 0),
        **dict.fromkeys(("extraction_model", "extraction_base_url")),
        "formation": Strategy.EXTRACT,
        "formation_batch_turns": 1,
    }
    return unhurried_settings(**own | changes)


@asynccontextmanager
async def open_bench(
    *, models: Mapping[str, Any] | None = None, live: bool = False, **changes: Any
) -> AsyncIterator[Bench]:
    """Open an engine until left.

    Args:
        models: The models, by their names in ``Backends``, that are neither scripted nor left out.
        live: Whether the extraction model is that of the settings.
        **changes: Settings that differ from ``bench_settings``.
    """
    settings, scripts, asked = bench_settings(**changes), dict[str, Script](), Asked()
    scripted = {"extractor": ScriptedExtractor(scripts, asked), "judge": ScriptedJudge(scripts)}
    used: dict[str, Any] = {
        "summarizer": None,
        "hinter": None,
        **({} if live else scripted),
        **(models or {}),
    }
    async with open_backends(settings) as opened:
        clock, inbox = Clock(), RecordingInbox(opened.store.inbox)
        parts: dict[str, Any] = {"inbox": inbox}
        backends = replace(opened, store=replace(opened.store, **parts), **used)
        engine = Engine(backends, make_policy(settings), clock=clock)
        yield Bench(engine, backends, inbox, clock, scripts, asked)
