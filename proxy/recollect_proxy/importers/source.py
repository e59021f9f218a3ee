"""The protocol of an import's source: any product's memories and chats, as rows. Never: how they are read."""

from collections.abc import Sequence
from typing import Protocol

from recollect_proxy.importers.rows import Row


class Source(Protocol):
    """People's memories and chats in another product.

    A memory is a row with `id`, `user_id`, `content`, `created_at` and `updated_at`. A chat is a row with `id`, `user_id`,
    `created_at` and `chat`: {"history": {"messages": {ID: {"role", "content", "parentId", "timestamp", "model"}},
    "currentId": ID}}. Times are Unix times in seconds. These are OpenWebUI's own shapes.
    """

    @property
    def origin(self) -> str:
        """The name of the product. The ids of imported rows are derived from it, so that every import makes the same ids."""
        ...

    async def users(self) -> frozenset[str] | None:
        """Return the ids of all accounts; None if the source does not list them."""
        ...

    async def memories(self) -> Sequence[Row]:
        """Return the rows of all memories, oldest first."""
        ...

    async def chats(self) -> Sequence[Row]:
        """Return one row per chat, oldest first, with at least `id` and `user_id`."""
        ...

    async def chat(self, listed: Row) -> Row | None:
        """Return the whole row of one of ``chats``; None if it has been deleted since.

        Raises:
            BrokenRowError: It can't be read.
        """
        ...
