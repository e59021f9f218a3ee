"""Which parts of a person's memory may be sent to an LLM server."""

from dataclasses import dataclass

from recollect.model.found import Item
from recollect.model.memory import COMMONS, Memory
from recollect.model.words import Kind


@dataclass(frozen=True, slots=True)
class Disclosure:
    """Which parts of a person's memory may be sent to one LLM server.

    Attributes:
        kinds: The kinds of memories that may be sent; None: all kinds.
        history: Whether messages of the log may be sent, and messages that the request lacks of its own conversation.
        shared: Whether shared memories and global memories may be sent.
    """

    kinds: frozenset[Kind] | None = None
    history: bool = True
    shared: bool = True

    @property
    def is_whole(self) -> bool:
        """Whether everything may be sent."""
        return self == ALL_TOLD

    @property
    def is_nothing(self) -> bool:
        """Whether nothing may be sent."""
        return self.kinds == frozenset() and not self.history

    def allows(self, item: Item) -> bool:
        """Return whether a memory, or a passage of the message log, may be sent."""
        if not isinstance(item, Memory):
            return self.history
        return (self.kinds is None or item.kind in self.kinds) and (self.shared or item.owner != COMMONS)


ALL_TOLD = Disclosure()
NOTHING_TOLD = Disclosure(frozenset(), history=False, shared=False)
