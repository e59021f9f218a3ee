"""What of a person's memory may be told to an LLM's server."""

from dataclasses import dataclass

from recollect.model.found import Item
from recollect.model.memory import COMMONS, Memory
from recollect.model.words import Kind


@dataclass(frozen=True, slots=True)
class Disclosure:
    """What of a person's memory may be told to one LLM's server.

    Attributes:
        kinds: Memories of these kinds; None: of all.
        history: Whether what was said earlier: messages of the log, and what a request lacks of its conversation.
        shared: Whether what the person shares with others, global memories among that.
    """

    kinds: frozenset[Kind] | None = None
    history: bool = True
    shared: bool = True

    @property
    def is_whole(self) -> bool:
        """Whether all may be told."""
        return self == ALL_TOLD

    @property
    def is_nothing(self) -> bool:
        """Whether nothing may be told."""
        return self.kinds == frozenset() and not self.history

    def allows(self, item: Item) -> bool:
        """Return whether a memory, or a passage of the log, may be told."""
        if not isinstance(item, Memory):
            return self.history
        return (self.kinds is None or item.kind in self.kinds) and (self.shared or item.owner != COMMONS)


ALL_TOLD = Disclosure()
NOTHING_TOLD = Disclosure(frozenset(), history=False, shared=False)
