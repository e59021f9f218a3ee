"""What an import reads from: memories and chats as rows, of whichever product. Never: how they are read."""

from collections.abc import Sequence
from typing import Protocol

from recollect_proxy.importers.rows import Row


class Source(Protocol):
    """What people have elsewhere.

    A memory is a row with `id`, `user_id`, `content`, `created_at` and `updated_at`; a chat one with `id`, `user_id`, `created_at`
    and `chat`: {"history": {"messages": {ID: {"role", "content", "parentId", "timestamp", "model"}}, "currentId": ID}}. Times
    are seconds since 1970. These are the shapes of OpenWebUI, the first product that was imported from.
    """

    @property
    def origin(self) -> str:
        """Names the product: the ids of what is imported are made of it, and are the same whenever it is imported."""
        ...

    async def users(self) -> frozenset[str] | None:
        """Return who has an account; None where it does not tell."""
        ...

    async def memories(self) -> Sequence[Row]:
        """Return the rows of its memories, the oldest first."""
        ...

    async def chats(self) -> Sequence[Row]:
        """Return `id` and `user_id` of its chats, if not all of them, the oldest first."""
        ...

    async def chat(self, listed: Row) -> Row | None:
        """Return the whole row of one of ``chats``; None if it is gone meanwhile.

        Raises:
            BrokenRowError: It can't be read.
        """
        ...
