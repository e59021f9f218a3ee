"""The page: read the turn, write it down, prepare its prompt, forward, relay; afterwards remember how it ended.

Never: SQL, prompts, header policy.
"""

from contextlib import nullcontext
from dataclasses import replace
from functools import partial

from uuid_utils.compat import uuid7

from recollect.chat import ChatBody, add_memories, is_light
from recollect.composition import Placed
from recollect.engine.live import LiveEngine
from recollect.model import Skip, Turn
from recollect.text.tokens import token_counter
from recollect_proxy.asgi import ClientLeftError, Incoming, Receive, Scope, Send, peer_of, unless_left
from recollect_proxy.composing import Composing
from recollect_proxy.errors import send_failure
from recollect_proxy.headers import forwardable, rewritable
from recollect_proxy.identity import Caller, Identity
from recollect_proxy.listening import Listener
from recollect_proxy.passthrough import Passthrough
from recollect_proxy.reading import Asked, Reading
from recollect_proxy.relaying import is_json, relay, relay_whole
from recollect_proxy.report import Reports, shown
from recollect_proxy.sent import Sent
from recollect_proxy.status import Status, has_room
from recollect_proxy.upstream import TruncatedError, Upstream
from recollect_proxy.wishes import RefusedError


class Conversation:
    """Answers a chat request with memory, in one of the APIs it can be spoken in."""

    def __init__(
        self,
        *,
        reading: Reading,
        composing: Composing,
        upstream: Upstream,
        passthrough: Passthrough,
        engine: LiveEngine,
        identity: Identity,
        reports: Reports,
        status: Status | None = None,
    ) -> None:
        self._reading = reading
        self._composing = composing
        self._upstream = upstream
        self._passthrough = passthrough
        self._engine = engine
        self._identity = identity
        self._reports = reports
        self._status = status

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        incoming = Incoming(receive)
        caller = self._identity.identify(scope["headers"], peer_of(scope))
        body = await incoming.read(self._reading.limit)
        try:
            asked = await self._reading.read_aside(caller, scope["headers"], body)
        except RefusedError as error:
            return await send_failure(send, error.failure)
        heard = asked.heard
        if heard.turn is None or heard.body is None or body is None:
            said = self._reports.skip(heard.skip)
            return await self._passthrough.forward(scope, incoming, send, extra=said, instead=asked.body)
        sent = await self._prepare(caller, asked, heard.turn, heard.body, body)
        if sent.exchange_record is not None:
            await sent.exchange_record.durable()
        listener = Listener(self._reading.dialect)
        try:
            await unless_left(incoming, self._answer(scope, send, sent, listener))
        except ClientLeftError:
            listener.client_left = True
            raise
        except TruncatedError:
            listener.broke_off = True
            raise
        finally:
            sent.remember(listener)
        return None

    async def _prepare(self, caller: Caller, asked: Asked, turn: Turn, chat: ChatBody, body: bytes) -> Sent:
        forms = asked.heard.forms and asked.wishes.remember
        exchange_record = self._engine.begin(turn, credential=caller.credential) if forms else None
        prepared = await self._engine.prepare(turn, asked.wishes.recalling, count=token_counter(turn.model))
        composed, reason = await self._compose(chat, prepared.placed, turn.scope.user_id)
        if composed is None and prepared.placed != Placed():
            recall = replace(prepared.recall, skipped=reason)
            prepared = replace(prepared, placed=Placed(detached=prepared.placed.detached), recall=recall)
        request_id = uuid7()
        if asked.heard.forms:
            self._engine.note(turn, prepared, request_id=request_id, api=self._reading.dialect.name)
        status = self._status if self._status is not None and self._status.is_for(caller, chat) else None
        instead = composed or asked.body
        return Sent(request_id, body, instead, caller, asked, turn, prepared, exchange_record, status)

    async def _compose(self, chat: ChatBody, placed: Placed, user_id: str) -> tuple[bytes | None, Skip]:
        """Return the request with what is added; or None, and why nothing could be."""
        work = partial(self._composing.compose, chat, placed)
        if is_light(chat.raw):
            return work(), Skip.NO_PLACE
        try:
            return await self._reading.aside.do(work, user_id), Skip.NO_PLACE
        except TimeoutError:
            return None, Skip.DEADLINE

    async def _answer(self, scope: Scope, send: Send, sent: Sent, listener: Listener) -> None:
        listed = sent.asked.wishes.includes_memories
        headers = forwardable(scope["headers"], without=self._passthrough.strip)
        beside = nullcontext() if sent.status is None else sent.status.beside(sent.turn)
        async with (
            beside as status,
            self._upstream.forward(
                scope["method"],
                self._passthrough.target(scope),
                rewritable(headers, body=sent.instead is not None, answer=listed),
                sent.body,
            ) as answer,
        ):
            listener.hear(answer)
            whole = listed and is_json(answer)
            extra = self._reports.about(sent.prepared, sent.id, listed=listed and not whole)
            if whole:
                used = sent.prepared.placed.history_tokens
                add = partial(add_memories, memories=shown(sent.prepared.included), used_history_tokens=used)
                await relay_whole(answer, send, rewrite=add, extra=extra, listen=listener.feed)
            elif status is None or not has_room(answer):
                await relay(answer, send, extra=extra, listen=listener.feed)
            else:
                told = sent.prepared.included, sent.prepared.in_place
                await status.relay(answer, send, *told, extra=extra, listen=listener.feed)
