"""A request for the upstream, with everything that is needed once its answer ends. Never: sends it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from uuid import UUID

from recollect.composition import Placed
from recollect.engine.recording.exchanges import ExchangeRecord
from recollect.engine.turns.prepared import Prepared
from recollect.model import FailedAt, Failure, Skip, Turn
from recollect_proxy.chat.reply_recorder import ReplyRecorder
from recollect_proxy.chat.request_options import RequestOptions
from recollect_proxy.chat.status import Status


@dataclass(slots=True)
class OutboundRequest:
    """A request for the upstream.

    Attributes:
        id: The request's id.
        body: The body to send.
        is_changed: Whether it differs from the client's body.
        options: The request options.
        turn: The turn in the request.
        prepared: The blocks for its prompt; none once the upstream has refused its length.
        exchange_record: Writes the exchange to the message log; None if the exchange is not recorded.
        status: Shows the user the memory's status; None if this client shows none.
        note_answer: Notes the answer with its id, or that there is none; None if the chat is not recorded.
        note_recall: Notes the blocks in the prompt; None if the chat is not recorded, or they are noted.
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
    status: Status | None = None
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
        """Note the blocks in the prompt once the chunk that just came is sent on: the first byte waits for no note."""
        if self.note_recall is not None:
            asyncio.get_running_loop().call_soon(self.note_prepared)

    def note_prepared(self) -> None:
        """Note the blocks in the prompt, once: when its answer begins, or when none comes."""
        if self.note_recall is not None:
            self.note_recall(self.prepared)
            self.note_recall = None

    def record_end(self, recorder: ReplyRecorder) -> None:
        """Record the reply, or the failure, in the background; the turn itself has been recorded before.

        If the upstream refused the caller's key, the turn is withdrawn: a plain header can name any user, and the refusal
        is the only sign that the caller was someone else.
        """
        self.note_prepared()
        reply = recorder.reply()
        if self.note_answer is not None:
            self.note_answer(reply, answer_id=recorder.answer_id)
        if self.exchange_record is None or recorder.calls_tools:
            return
        if recorder.is_refused:
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
