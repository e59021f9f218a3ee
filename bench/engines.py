"""An engine in this process, over a real database and the local embedders, with models and a clock of the bench's own.

Never: the answers of the models.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from bench.recall.clock import ReplayClock
from recollect.assembly.lifecycle import open_backends
from recollect.assembly.policy_from_settings import make_policy
from recollect.backends import Backends
from recollect.engine import Engine
from recollect.model import STATEMENTS, Change, Formed, Memory, Strategy
from recollect.wire.turn import DetectedTurn, detect_turn
from recollect_proxy.serving.ephemeral_server import temporary
from recollect_proxy.settings.proxy_settings import ProxySettings

MODEL = "recollect-bench"
NO_UPSTREAM = "http://127.0.0.1:9/v1"
_UNHURRIED_MS = 30_000
_DRAINS = 20
_PAGE = 100
_UNLIMITED = (
    *("formation_quiet_seconds", "memories_per_hour", "session_cap", "user_cap", "summary_turns"),
    *("summary_tokens", "user_tokens_per_day", "tokens_per_day"),
)
"""Settings of 0: nothing waits, and no number leaves anything out."""


@dataclass(frozen=True, slots=True)
class Completed:
    """The fate of an exchange.

    Attributes:
        applied: The change made for each, in their order, and then those of the caps.
    """

    formed: Formed
    applied: tuple[Change, ...]

    @property
    def done(self) -> list[tuple[Change, Change]]:
        """Each decided change, with the change that was made."""
        return list(zip(self.formed.changes, self.applied, strict=False))


class RecordingInbox:
    """An inbox that passes everything on to another one, and notes completed exchanges.

    Attributes:
        completed: The fates of exchanges, by the key of their turn, since ``forget``.
    """

    def __init__(self, inbox: Any) -> None:
        self._inbox = inbox
        self.completed: dict[str, Completed] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inbox, name)

    def forget(self) -> None:
        """Forget the earlier exchanges."""
        self.completed.clear()

    async def complete(self, formed: Sequence[Formed], **options: Any) -> list[list[Change]] | None:
        """Apply changes, and note them."""
        applied: list[list[Change]] | None = await self._inbox.complete(formed, **options)
        for each, changes in zip(formed, applied or (), strict=bool(applied)):
            self.completed[each.exchange.turn.key] = Completed(each, tuple(changes))
        return applied


@dataclass(slots=True)
class EngineBench:
    """An engine that is measured.

    Attributes:
        scripts: The answers of the models, by user id.
    """

    engine: Engine
    backends: Backends
    inbox: RecordingInbox
    clock: ReplayClock
    scripts: dict[str, Any] = field(default_factory=dict)

    async def form(self, person: str) -> None:
        """Form and index everything a person said."""
        for _ in range(_DRAINS):
            again = await self.engine.drain(person)
            if again is None:
                return
            self.clock.move_to(self.clock() + again + timedelta(milliseconds=1))
        raise RuntimeError(f"formation does not end for {person}")

    async def stored(self, person: str) -> list[Memory]:
        """Return the statements that a person has."""
        found: list[Memory] = []
        after: UUID | None = None
        while True:
            page = await self.backends.memories.page(person, limit=_PAGE, after=after)
            found += [each for each in page.memories if each.kind in STATEMENTS]
            after = page.next
            if after is None:
                return found


def hear(
    messages: Sequence[Mapping[str, str]], *, person: str, chat: str, at: datetime, key: str | None = None
) -> DetectedTurn:
    """Read a request as the proxy reads it.

    Args:
        messages: The messages of the request.
        person: The user id.
        chat: The chat's id.
        at: The time of the request.
        key: The message's id; None if the frontend sends none.
    """
    body = msgspec.json.encode({"model": MODEL, "messages": messages})
    return detect_turn(body, user_id=person, session_id=chat, message_id=key, at=at)


def unhurried(settings: ProxySettings) -> dict[str, int]:
    """Return the change by which recall is measured, and not how busy the machine is."""
    return {"recall_deadline_ms": max(settings.recall_deadline_ms, _UNHURRIED_MS)}


def bench_settings(**changes: Any) -> ProxySettings:
    """Return settings with a database in memory, by which nothing waits and no number leaves anything out."""
    given = ProxySettings(upstream=NO_UPSTREAM)
    own: dict[str, Any] = {
        **dict.fromkeys(_UNLIMITED, 0),
        **dict.fromkeys(("extraction_model", "extraction_base_url", "global_memories")),
        "formation": Strategy.EXTRACT,
        "formation_batch_turns": 1,
        **unhurried(given),
    }
    return temporary(given, **own | changes)


@asynccontextmanager
async def open_engine(
    settings: ProxySettings, scripts: dict[str, Any], **models: Any
) -> AsyncIterator[EngineBench]:
    """Open an engine until left.

    Args:
        settings: As ``bench_settings`` returns them.
        scripts: The answers of the models, by user id.
        **models: The models, by their names in ``Backends``; one that is not named is as the settings say.
    """
    async with open_backends(settings) as backends:
        clock, inbox = ReplayClock(), RecordingInbox(backends.inbox)
        recorded: Any = inbox
        used = replace(backends, inbox=recorded, **models)
        yield EngineBench(Engine(used, make_policy(settings), clock=clock), used, inbox, clock, scripts)
