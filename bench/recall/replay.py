"""Replays conversations through the proxy over HTTP, and asks its engine their questions.

Never: a score.
"""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import quote

import httpx

from bench.engines import MODEL, hear
from bench.recall.clock import ReplayClock
from bench.recall.dataset import LabelledConversation, Question
from bench.recall.plan import Plan, Sending
from bench.recall.turn_ids import TurnIds
from bench.recall.upstream import ReplayUpstream
from recollect.engine import Engine, RecallOptions
from recollect.errors import RecollectError, StoreUnavailableError
from recollect.model import Skip, Stage
from recollect.ports import Clock
from recollect_proxy.app import App
from recollect_proxy.settings.proxy_settings import ProxySettings
from recollect_proxy.web.asgi import Receive, Scope, Send

_OK = 200
_SETTLE_SECONDS = 60.0
_STANDSTILL_SECONDS = 60.0
_POLL_SECONDS = 0.01


class ReplayError(RecollectError):
    """The replay can't go on."""


class ReplayedApp(App):
    """The proxy, as it is, that also tells when it has let go of a request. One at a time."""

    def __init__(self, settings: ProxySettings, *, admin_token: str, clock: Clock) -> None:
        """Build the application, as ``App`` does."""
        super().__init__(settings, admin_token=admin_token, clock=clock)
        self._idle = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or live through the lifespan."""
        self._idle.clear()
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._idle.set()

    async def quiet(self) -> None:
        """Wait until the request is over, and its messages are in the log."""
        await self._idle.wait()
        await self.engine.settle(_SETTLE_SECONDS)


@dataclass
class Tally:
    """The counts of a replay.

    Attributes:
        turns: The turns of the conversations.
        unsent: The turns that no request can carry.
        skipped: Why requests were sent on without memories, and how often.
        formed: Exchanges that memories were formed of.
        failed: Exchanges that formation gave up.
    """

    conversations: int = 0
    turns: int = 0
    unsent: int = 0
    exchanges: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    formed: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """The outcome of a question.

    Attributes:
        ranked: The turns of the ranked memories, best first, each once.
        injected: The turns of those that would reach the prompt, best first, each once.
        tokens: The size of its block.
        skipped: Why nothing was recalled, or None.
        degraded: The stages that failed or were late.
    """

    question: Question
    ranked: tuple[str, ...] = ()
    injected: tuple[str, ...] = ()
    tokens: int = 0
    milliseconds: float = 0.0
    skipped: Skip | None = None
    degraded: tuple[Stage, ...] = ()


class Replay:
    """Replays conversations, one after another, through one proxy."""

    def __init__(
        self,
        app: ReplayedApp,
        settings: ProxySettings,
        *,
        client: httpx.AsyncClient,
        upstream: ReplayUpstream,
        clock: ReplayClock,
        injected_limit: int,
    ) -> None:
        """Prepare a replay."""
        self._app = app
        self._settings = settings
        self._client = client
        self.upstream = upstream
        self.clock = clock
        self._injected_limit = injected_limit
        self.tally = Tally()
        self._unindexed: set[str] = set()

    async def play(self, conversation: LabelledConversation, plan: Plan) -> list[Asked]:
        """Send and ask what ``plan`` says, in order."""
        self.begin(conversation)
        self.tally.unsent += plan.unsent
        turns = TurnIds()
        asked: list[Asked] = []
        for step in plan.steps:
            if isinstance(step, Sending):
                await self.send(conversation.id, step, turns)
            else:
                await self.drained()
                asked.append(await self.ask(conversation.id, step, turns))
        await self.drained()
        return asked

    def begin(self, conversation: LabelledConversation) -> None:
        """Begin another conversation."""
        self.clock.restart()
        self.tally.conversations += 1
        self.tally.turns += len(conversation.turns)

    async def send(self, user_id: str, sending: Sending, turns: TurnIds) -> None:
        """Send one request, and wait until its messages are in the log."""
        self.clock.move_to(sending.turn.at)
        self.upstream.reply = sending.reply
        turns.sending(sending)
        response = await self._client.post(
            f"{self._settings.base_path}/chat/completions",
            json={"model": MODEL, "stream": True, "messages": sending.messages},
            headers={
                self._settings.user_header: quote(user_id, safe=""),
                self._settings.session_header: quote(f"session-{sending.turn.session}", safe=""),
                self._settings.message_header: quote(sending.turn.id, safe=""),
            },
        )
        if response.status_code != _OK:
            raise ReplayError(f"The proxy answered {response.status_code} to turn {sending.turn.id}.")
        await self._app.quiet()
        self._unindexed.add(user_id)
        self.tally.exchanges += 1
        if reason := response.headers.get("x-recollect-skipped"):
            self.tally.skipped[reason] += 1

    async def ask(self, user_id: str, question: Question, origins: TurnIds) -> Asked:
        """Ask a question in a new chat, now or when it says: as a chat's first turn, and without a trace."""
        messages, at = [{"role": "user", "content": question.text}], question.at or self.clock()
        heard = hear(messages, person=user_id, chat=f"question-{question.id}", at=at)
        if heard.turn is None:
            return Asked(question, skipped=heard.skip)
        options = RecallOptions(limit=self._injected_limit, memory_tokens=self._settings.memory_tokens)
        prepared = await self.engine.prepare(heard.turn, options)
        # a recall that missed its deadline has nothing to show: what ranks is asked for apart
        ranking = prepared.ranking or await self.engine.rank(heard.turn)
        return Asked(
            question,
            origins.expand(each.item for each in ranking.ranked),
            origins.expand(each.item for each in prepared.included),
            prepared.placed.block.tokens if prepared.placed.block else 0,
            prepared.recall.milliseconds,
            prepared.recall.skipped,
            ranking.degraded,
        )

    async def drained(self) -> None:
        """Wait until everything that was sent is indexed, and memories are formed of it.

        An exchange that comes while others are formed is formed with them, and indexed only by the
        job after that: so the index is waited for too.
        """
        moved, pending = time.monotonic(), -1
        while (backlog := await self.engine.backlog()).pending:
            if backlog.pending != pending:
                moved, pending = time.monotonic(), backlog.pending
            if time.monotonic() - moved > _STANDSTILL_SECONDS:
                raise ReplayError(f"Formation stands still with {pending} exchanges waiting.")
            await asyncio.sleep(_POLL_SECONDS)
        self.tally.formed, self.tally.failed = backlog.formed, backlog.failed
        while self._unindexed:
            user_id = next(iter(self._unindexed))
            if await self.engine.drain(user_id) is None:
                self._unindexed.discard(user_id)
            elif time.monotonic() - moved > _STANDSTILL_SECONDS:
                raise ReplayError("What was sent could not be indexed.")
            else:
                await asyncio.sleep(_POLL_SECONDS)

    @property
    def engine(self) -> Engine:
        """The proxy's engine, or StoreUnavailableError."""
        if self._app.engine.engine is None:
            raise StoreUnavailableError
        return self._app.engine.engine
