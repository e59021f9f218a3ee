"""The protocol of an import's source: a product's memories and chats in the common format. Never: how they are read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from recollect_proxy.importers.lines import StoredChat, StoredMemory


@dataclass(frozen=True, slots=True)
class Broken:
    """A row that can't be read.

    Attributes:
        name: Its kind, and its id or place, for error messages.
        why: The reason, without a word of the row.
    """

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A chat that can be read.

    Attributes:
        name: Its id.
        user_id: Its owner, not checked yet; "" if the source does not name them.
        place: Where the source finds it.
        began: When it began, in seconds since 1970; 0 if unknown.
    """

    name: str
    user_id: str
    place: Any
    began: float = 0.0


class Source(Protocol):
    """People's memories and chats in another product."""

    @property
    def origin(self) -> str:
        """The name of the product. The ids of imported rows are derived from it, so that every import makes the same ids."""
        ...

    async def users(self) -> frozenset[str] | None:
        """Return the ids of all accounts; None if the source does not list them."""
        ...

    async def memories(self) -> Sequence[StoredMemory | Broken]:
        """Return all memories, and the rows that can't be read, in the source's order."""
        ...

    async def chats(self) -> Sequence[Listed]:
        """Return the places of all chats, oldest first."""
        ...

    async def chat(self, listed: Listed) -> StoredChat | None:
        """Return a chat; None if it has been deleted since.

        Raises:
            BrokenRowError: It can't be read.
        """
        ...
