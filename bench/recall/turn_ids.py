"""Which turns of a conversation a memory rests on, or a passage of the log is from.

Both name the messages of the log they come from, by ids that the engine makes: UUIDs of
version 7, each later than all before it in this process (RFC 9562, section 6.2). An id taken just
before each request therefore tells which request a message came with, whatever its text is.

Never: compares texts.
"""

from bisect import bisect_right
from collections.abc import Iterable
from uuid import UUID

from uuid_utils.compat import uuid7

from bench.recall.dataset import SaidTurn
from bench.recall.plan import Sending
from recollect.errors import RecollectError
from recollect.model import Item, Memory, Passage, Role


class UnknownOriginError(RecollectError):
    """A recalled item does not come from the replay."""


class TurnIds:
    """Knows the turns of everything that was sent for one user."""

    def __init__(self) -> None:
        self._fences: list[UUID] = []
        self._sent: list[Sending] = []

    def sending(self, sending: Sending) -> None:
        """Note that ``sending`` is sent now, and nothing else until the engine remembers it."""
        self._fences.append(uuid7())
        self._sent.append(sending)

    def of(self, item: Item) -> tuple[str, ...]:
        """Return the ids of the turns that ``item`` rests on: the user's first, then the replies."""
        said = self._of_passage(item) if isinstance(item, Passage) else self._of_memory(item)
        found = tuple(dict.fromkeys(turn.id for turn in said if turn.text.strip()))
        if not found:
            raise UnknownOriginError
        return found

    def expand(self, items: Iterable[Item]) -> tuple[str, ...]:
        """Return the turns of several items in order, each once."""
        return tuple(dict.fromkeys(turn_id for item in items for turn_id in self.of(item)))

    def _of_passage(self, passage: Passage) -> tuple[SaidTurn, ...]:
        sent = self._sent[self._place(passage.message_id)]
        return sent.replies if passage.role is Role.ASSISTANT else (sent.turn,)

    def _of_memory(self, memory: Memory) -> list[SaidTurn]:
        turns: list[SaidTurn] = []
        seen: set[int] = set()
        for message_id in memory.provenance.message_ids:
            place = self._place(message_id)
            sent = self._sent[place]
            # the log's message of the user comes first, the reply to it second
            turns += sent.replies if place in seen else (sent.turn,)
            seen.add(place)
        return turns

    def _place(self, message_id: UUID) -> int:
        place = bisect_right(self._fences, message_id) - 1
        if place < 0:
            raise UnknownOriginError
        return place
