"""Prepares a chat request for its upstream: begins to log the turn, recalls, and puts memories into the prompt.

It reads neither a request nor a socket. A failure here costs the request its memories and nothing else.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from uuid import UUID

from cachetools import TTLCache
from uuid_utils.compat import uuid7

from recollect.composition import Placed
from recollect.engine.exchange_recorder import ExchangeRecord
from recollect.engine.live.live_engine import LiveEngine
from recollect.engine.live.recent_exchanges import asked_request
from recollect.engine.turns.prompt_content import Prepared
from recollect.model import FailedAt, Failure, Skip, Turn
from recollect.request_composition import compose_request
from recollect.settings.upstream_policies import UpstreamSettings
from recollect.text.tokens import token_counter
from recollect.wire import ChatBody, Dialect, SystemStyle
from recollect_proxy.chat.fair_executor import FairExecutor
from recollect_proxy.chat.openwebui_status import StatusEvents, beside, sees_status
from recollect_proxy.chat.reply_recorder import ReplyRecorder
from recollect_proxy.chat.request_options import RequestOptions
from recollect_proxy.chat.request_reader import ParsedRequest
from recollect_proxy.identity.caller import Caller


@dataclass(slots=True)
class OutboundRequest:
    """A request for the upstream, and the callbacks for the end of its answer; None for those that do not apply.

    Attributes:
        is_changed: Whether the body differs from the client's.
        prepared: The blocks for its prompt; none once the upstream has refused its length.
        note_answer: Notes the answer with its id, or that there is none.
        note_recall: Notes the blocks in the prompt; None once they are noted.
        note_length: Notes that the chat has no room for memories.
        plain: The body without memories, for an upstream that refuses its length with them; None if it has none.
        plain_is_changed: Whether that differs from the client's body.
    """

    id: UUID
    body: bytes
    is_changed: bool
    options: RequestOptions
    turn: Turn
    prepared: Prepared
    exchange_record: ExchangeRecord | None = None
    status: Callable[[], AbstractAsyncContextManager[StatusEvents]] | None = None
    note_answer: Callable[..., None] | None = None
    note_recall: Callable[[Prepared], None] | None = None
    note_length: Callable[[], None] = lambda: None
    plain: bytes | None = field(default=None, repr=False)
    plain_is_changed: bool = False

    async def durable(self) -> None:
        """Wait until the turn is on disk, at most half a second; return at once if it is not recorded."""
        if self.exchange_record is not None:
            await self.exchange_record.durable()

    def goes_without_memories(self) -> None:
        """Take the memories back, as the prompt is too long with them."""
        placed = Placed(detached=self.prepared.placed.detached)
        recall = replace(self.prepared.recall, skipped=Skip.CONTEXT_LENGTH)
        self.prepared = replace(self.prepared, placed=placed, recall=recall)

    def note_behind_chunk(self) -> None:
        """Note the blocks in the prompt once the chunk that just came is sent on."""
        # Not at once: the first byte waits for no note. Where the server keeps the chat, the answer's end decides.
        if self.note_recall is not None and not self.turn.is_kept:
            asyncio.get_running_loop().call_soon(self.note_prepared)

    def note_prepared(self) -> None:
        """Note the blocks in the prompt, once: when its answer begins, or when none comes."""
        if self.note_recall is not None:
            self.note_recall(self.prepared)
            self.note_recall = None

    def record_end(self, recorder: ReplyRecorder) -> None:
        """Record the reply, or the failure, in the background; the turn itself has been recorded before."""
        reply = recorder.reply()
        if self.turn.is_kept and recorder.failure is not None:  # it keeps no failed turn, so no block of it
            placed = replace(self.prepared.placed, injection=None)
            self.prepared = replace(self.prepared, placed=placed)
        self.note_prepared()
        if self.note_answer is not None:
            self.note_answer(reply, answer_id=recorder.answer_id)
        if self.exchange_record is None or recorder.calls_tools:
            return  # with the tools' results the same turn comes again
        if recorder.is_refused:
            # A plain header can name any user, and a refused key is the only sign that the caller was someone else.
            self.exchange_record.withdraw()
        elif reply is None:
            self.exchange_record.fail(recorder.failure or Failure(FailedAt.STREAM))
        elif recorder.is_awaited:
            self.exchange_record.await_answer(recorder.answer_id, recollections=self.prepared.included)
        else:
            self.exchange_record.end(
                reply,
                recollections=self.prepared.included,
                answer_id=recorder.answer_id,
                failure=recorder.failure,
            )


_KEPT, _SECONDS = 10_000, 24 * 3600.0  # a chat goes on for hours (decision 0060)


class FullChats:
    """Chats whose prompt was too long for their model with memories, by the least size at which it was."""

    def __init__(self) -> None:
        self._sizes: TTLCache[tuple[str, str, str, str], int] = TTLCache(_KEPT, _SECONDS)

    def note_too_long(self, turn: Turn, size: int) -> None:
        """Note that a request of this many bytes was too long with memories."""
        key = _key(turn)
        self._sizes[key] = min(size, self._sizes.get(key, size))

    def is_full(self, turn: Turn, size: int) -> bool:
        """Return whether a request of this many bytes has no room for memories either."""
        full = self._sizes.get(_key(turn))
        # A chat grows; once its client has shortened it, it gets memories again.
        return full is not None and size >= full


def _key(turn: Turn) -> tuple[str, str, str, str]:
    return turn.scope.user_id, turn.scope.session_id, turn.upstream, turn.model


_NOT_LEARNED = "not-learned"
"""The flag of a request of which nothing is kept, as its upstream is not learned from."""


def compose(
    dialect: Dialect, styles: Mapping[str, SystemStyle], chat: ChatBody, placed: Placed
) -> bytes | None:
    """Return a request's body with memories; None if there are none, or their place is not certain."""
    name = chat.model.lower()
    found = (style for pattern, style in styles.items() if fnmatchcase(name, pattern))
    return compose_request(dialect, chat, placed, next(found, SystemStyle.ANY))


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPreparer:
    """Prepares the requests of one API to one upstream.

    Attributes:
        styles: Which system messages a model accepts, by patterns of lower-case model names; the first match counts.
        executor: Composes large requests off the event loop.
        policy: The rules for data to and from the upstream.
        is_default: Whether the upstream gets all requests that no other takes.
        is_named: Whether a request's explanation names it, as there are several, or it has a policy.
        lends: Whether a request's own credential is for it, and so for background calls on the request's behalf.
        shows_status: Whether users of OpenWebUI are shown the memory's status.
    """

    engine: LiveEngine
    dialect: Dialect
    styles: Mapping[str, SystemStyle]
    executor: FairExecutor
    policy: UpstreamSettings
    is_default: bool
    is_named: bool
    lends: bool
    shows_status: bool
    full_chats: FullChats = field(default_factory=FullChats)

    def is_task(self, parsed: ParsedRequest) -> bool:
        """Return whether a request is its client's own question about what its person said a moment ago."""
        turn, chat = parsed.detected.turn, parsed.detected.body
        return turn is not None and chat is not None and self.engine.recent.is_task(asked_request(turn, chat))

    async def prepare(self, caller: Caller, parsed: ParsedRequest, body: bytes) -> OutboundRequest:
        """Return the request for the upstream, of one that has a turn and came with this body."""
        turn, chat = parsed.detected.turn, parsed.detected.body
        assert turn is not None  # noqa: S101 -- the caller has looked
        assert chat is not None  # noqa: S101 -- it is there where the turn is
        policy = self.policy
        if not self.is_default:
            turn = replace(turn, upstream=policy.name)
        turn = await self.engine.in_its_chat(turn)  # before the record, which names the chat
        learns = policy.learns_of(turn.scope.user_id)
        credential = caller.credential if self.lends else None
        is_noted = parsed.detected.forms
        forms = is_noted and parsed.options.remember and learns
        record = self.engine.begin_turn(turn, credential=credential) if forms else None
        asked = asked_request(turn, chat)
        if is_noted:
            self.engine.recent.keep_request(asked, words=record is not None)
        options = replace(parsed.options.recall, disclosure=policy.disclosure(turn.scope.user_id))
        prepared = await self.engine.prepare(turn, options, count=token_counter(turn.model))
        prepared = self._with_upstream(prepared, learns=learns)
        plain = body if parsed.body is None else parsed.body
        composed, prepared = await self._compose(parsed, prepared, turn, size=len(plain))
        request_id, api = uuid7(), self.dialect.name
        changed = composed or parsed.body
        return OutboundRequest(
            request_id,
            body if changed is None else changed,
            changed is not None,
            parsed.options,
            turn,
            prepared,
            record,
            partial(beside, self.engine, turn) if self.shows_status and sees_status(caller, chat) else None,
            note_answer=partial(self.engine.note_answer, asked, turn.history) if is_noted else None,
            note_recall=partial(self.engine.note_turn, turn, record=record, request_id=request_id, api=api)
            if is_noted
            else None,
            note_length=partial(self.full_chats.note_too_long, turn, len(plain)),
            plain=None if composed is None else plain,
            plain_is_changed=parsed.body is not None,
        )

    def _with_upstream(self, prepared: Prepared, *, learns: bool) -> Prepared:
        """Return the preparation with the upstream in its explanation."""
        if learns and not self.is_named:
            return prepared
        name = self.policy.name if self.is_named else ""
        flags = prepared.flags if learns else (*prepared.flags, _NOT_LEARNED)
        return replace(prepared, upstream=name, flags=flags)

    async def _compose(
        self, parsed: ParsedRequest, prepared: Prepared, turn: Turn, *, size: int
    ) -> tuple[bytes | None, Prepared]:
        """Return the body with memories, or None, and the preparation as really added; nothing is without room, a place or time."""
        chat, reason = parsed.detected.body, Skip.NO_PLACE
        assert chat is not None  # noqa: S101 -- it is there where the turn is
        work = partial(compose, self.dialect, self.styles, chat, prepared.placed)
        composed = None
        try:
            if self.full_chats.is_full(turn, size):
                reason = Skip.CONTEXT_LENGTH
            else:
                composed = work() if parsed.is_light else await self.executor.submit(work, turn.scope.user_id)
        except TimeoutError:
            reason = Skip.DEADLINE
        if composed is None and prepared.placed != Placed():
            nothing = Placed(detached=prepared.placed.detached)
            prepared = replace(prepared, placed=nothing, recall=replace(prepared.recall, skipped=reason))
        return composed, prepared
