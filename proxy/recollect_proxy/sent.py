"""A request as it goes to the upstream, and what has to be known of it behind its answer. Never: sends it."""

from dataclasses import dataclass
from uuid import UUID

from recollect.engine.exchanges import ExchangeRecord
from recollect.engine.prepared import Prepared
from recollect.model import Turn
from recollect_proxy.identity import Caller
from recollect_proxy.listening import Listener
from recollect_proxy.reading import Asked
from recollect_proxy.status import Status


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as it goes to the upstream.

    Attributes:
        id: The request's id.
        came: Its body as it came.
        instead: What is sent in that body's place; None: it goes as it came.
        caller: Who sent it.
        asked: What it says to us.
        turn: The turn in it.
        prepared: What its prompt was given.
        exchange_record: What is remembered of it; None: nothing is.
        status: Shows who sent it what memory does; None: they are not shown it.
    """

    id: UUID
    came: bytes
    instead: bytes | None
    caller: Caller
    asked: Asked
    turn: Turn
    prepared: Prepared
    exchange_record: ExchangeRecord | None = None
    status: Status | None = None

    def remember(self, listener: Listener) -> None:
        """Remember how the answer ended; what was said is remembered by now, and forgotten again only if a stranger said it.

        A plain header names anybody: where the upstream refuses the key, it alone tells that it was not them.
        """
        reply = listener.reply()
        if self.exchange_record is None or listener.goes_on:
            return
        if listener.is_refused:
            self.exchange_record.withdraw()
        elif reply is None:
            self.exchange_record.fail()
        else:
            self.exchange_record.end(reply, recollections=self.prepared.included)

    @property
    def body(self) -> bytes:
        """What is sent."""
        return self.came if self.instead is None else self.instead
