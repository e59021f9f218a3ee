"""Which turns of a conversation a memory rests on.

A memory names the messages of the log it was formed from, by ids that the engine makes: UUIDs of
version 7, each later than all before it in this process (RFC 9562, section 6.2). An id taken just
before each request therefore tells which request a message came with, whatever its text is.

Never: compares texts.
"""

from bisect import bisect_right
from collections.abc import Iterable
from uuid import UUID

from uuid_utils.compat import uuid7

from recollect.errors import RecollectError
from recollect.model import Memory
from recollect_proxy.bench.plan import Sending


class UnknownOriginError(RecollectError):
    """A memory does not come from what was replayed."""


class TurnIds:
    """Knows the turns of everything that was sent for one user."""

    def __init__(self) -> None:
        self._fences: list[UUID] = []
        self._sent: list[Sending] = []

    def sending(self, sending: Sending) -> None:
        """Note that ``sending`` is sent now, and nothing else until the engine remembers it."""
        self._fences.append(uuid7())
        self._sent.append(sending)

    def of(self, memory: Memory) -> tuple[str, ...]:
        """Return the ids of the turns that ``memory`` rests on: the user's first, then the replies.

        Raises:
            UnknownOriginError: It comes from nothing that was sent here.
        """
        found: dict[str, None] = {}
        seen: set[int] = set()
        for message_id in memory.provenance.message_ids:
            place = bisect_right(self._fences, message_id) - 1
            if place < 0:
                raise UnknownOriginError
            sent = self._sent[place]
            # the log's message of the user comes first, the reply to it second
            turns = sent.replies if place in seen else (sent.turn,)
            found.update(dict.fromkeys(turn.id for turn in turns if turn.text.strip()))
            seen.add(place)
        if not found:
            raise UnknownOriginError
        return tuple(found)

    def expand(self, memories: Iterable[Memory]) -> tuple[str, ...]:
        """Return the turns of several memories in order, each once."""
        return tuple(dict.fromkeys(turn_id for memory in memories for turn_id in self.of(memory)))
