"""The page: read the turn, recall, compose, forward, relay; afterwards remember.

Never: SQL, prompts, header policy.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from recollect.chat import Dialect, add_memories, decoded
from recollect.chat.heard import Heard, hear
from recollect.composition import Block, compose
from recollect.live_engine import LiveEngine
from recollect.model import Recall, Recollection, Skip
from recollect.tokens import estimate_tokens
from recollect_proxy.asgi import ClientLeftError, Incoming, Receive, Scope, Send, peer_of, unless_left, values
from recollect_proxy.headers import forwardable, rewritable
from recollect_proxy.identity import Caller, Identity
from recollect_proxy.listening import Listener
from recollect_proxy.passthrough import Passthrough
from recollect_proxy.relaying import is_json, relay, relay_whole
from recollect_proxy.report import Reports, shown, wants_memories
from recollect_proxy.upstream import Upstream


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a request is read, how much may be added to it, and what else is off."""

    body_bytes: int
    memory_tokens: int
    recall_in_temporary: bool = False


@dataclass(frozen=True, slots=True)
class Recalled:
    """What was recalled for a turn, and what of it went into the prompt."""

    recall: Recall
    block: Block | None = None

    @property
    def recollections(self) -> tuple[Recollection, ...]:
        """Those in the prompt."""
        return self.block.recollections if self.block else ()


class Conversation:
    """Answers a chat request with memory, in one of the APIs it can be spoken in."""

    def __init__(
        self,
        *,
        dialect: Dialect,
        upstream: Upstream,
        passthrough: Passthrough,
        engine: LiveEngine,
        identity: Identity,
        limits: Limits,
        reports: Reports,
        clock: Callable[[], datetime],
    ) -> None:
        self._dialect = dialect
        self._upstream = upstream
        self._passthrough = passthrough
        self._engine = engine
        self._identity = identity
        self._limits = limits
        self._reports = reports
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        incoming = Incoming(receive)
        caller = self._identity.identify(scope["headers"], peer_of(scope))
        body = await incoming.read(self._limits.body_bytes) if caller.skip is None else None
        heard = self._hear(caller, body, values(scope["headers"], b"content-encoding"))
        if heard.turn is None or heard.body is None or body is None:
            said = self._reports.about(Recall(skipped=heard.skip))
            return await self._passthrough.forward(scope, incoming, send, extra=said)
        recall = await self._engine.recall(heard.turn)
        block = compose(recall.recollections, budget=self._limits.memory_tokens, count=estimate_tokens)
        sent = self._dialect.add_to_system(heard.body, block.text) if block else body
        if sent == heard.body.raw:
            block, sent = None, body  # there was no certain place to add to
        recalled = Recalled(recall, block)
        listener = Listener(self._dialect)
        try:
            await unless_left(incoming, self._answer(scope, send, sent, recalled, listener))
        except ClientLeftError:
            listener.client_left = True
            raise
        finally:
            reply = listener.reply()
            if heard.forms and reply is not None:
                self._engine.remember(
                    heard.turn, reply, recollections=recalled.recollections, credential=caller.credential
                )
        return None

    def _hear(self, caller: Caller, body: bytes | None, encodings: list[bytes]) -> Heard:
        if caller.user_id is None or caller.skip is not None:
            return Heard(skip=caller.skip)
        if body is None:
            return Heard(skip=Skip.TOO_LARGE)
        plain = decoded(body, b",".join(encodings).decode("latin-1"), self._limits.body_bytes)
        if plain is None:
            return Heard(skip=Skip.UNREADABLE)
        return hear(
            plain,
            dialect=self._dialect,
            user_id=caller.user_id,
            session_id=caller.session_id,
            message_id=caller.message_id,
            at=self._clock(),
            recall_in_temporary=self._limits.recall_in_temporary,
        )

    async def _answer(
        self, scope: Scope, send: Send, sent: bytes, recalled: Recalled, listener: Listener
    ) -> None:
        changed = recalled.block is not None
        asked = wants_memories(scope["headers"])
        headers = forwardable(scope["headers"], without=self._passthrough.strip)
        async with self._upstream.forward(
            scope["method"],
            self._passthrough.target(scope),
            rewritable(headers, body=changed, answer=asked),
            sent,
        ) as answer:
            listener.hear(answer)
            extra = self._reports.about(recalled.recall, recalled.block)
            if asked and is_json(answer):
                add = partial(add_memories, memories=shown(recalled.recollections))
                await relay_whole(answer, send, rewrite=add, extra=extra, listen=listener.feed)
            else:
                await relay(answer, send, extra=extra, listen=listener.feed)
