"""A request as it goes to the upstream, with what the end of its answer needs to know. Never: sends it."""

from dataclasses import dataclass
from uuid import UUID

from recollect.engine.exchanges import ExchangeRecord
from recollect.engine.prepared import Prepared
from recollect.model import Turn
from recollect_proxy.reply_recorder import ReplyRecorder
from recollect_proxy.request_options import RequestOptions
from recollect_proxy.status import Status


@dataclass(frozen=True, slots=True)
class OutboundRequest:
    """A request as it goes to the upstream.

    Attributes:
        id: The request's id.
        body: The body that is sent.
        is_changed: Whether that is another than came.
        options: What the request asks of its memory.
        turn: The turn in it.
        prepared: What was added to its prompt.
        exchange_record: Writes the exchange to the log; None if nothing is kept of it.
        status: Shows the user what the memory does; None if this client shows no status.
    """

    id: UUID
    body: bytes
    is_changed: bool
    options: RequestOptions
    turn: Turn
    prepared: Prepared
    exchange_record: ExchangeRecord | None = None
    status: Status | None = None

    async def durable(self) -> None:
        """Return when the turn is safe on disk, if it is to be kept, or half a second has passed."""
        if self.exchange_record is not None:
            await self.exchange_record.durable()

    def record_end(self, recorder: ReplyRecorder) -> None:
        """Write in the background how the answer ended; the turn itself is in the log by now.

        The turn is withdrawn if the upstream refused the caller's key: a plain header can name anybody, and the refusal is the
        only sign that it was somebody else.
        """
        reply = recorder.reply()
        if self.exchange_record is None or recorder.calls_tools:
            return
        if recorder.is_refused:
            self.exchange_record.withdraw()
        elif reply is None:
            self.exchange_record.fail()
        else:
            self.exchange_record.end(reply, recollections=self.prepared.included)
