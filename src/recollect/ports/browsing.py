"""What pages need of what keeps memories: to look through what there is. Never: an implementation."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol
from uuid import UUID

from recollect.model import (
    ChatSeen,
    KeptCounts,
    Kind,
    Memory,
    MessageSeen,
    Scope,
    Update,
)


class Browsing(Protocol):
    """Reads page by page what people look through. Each method sees one user's rows alone."""

    async def kinds(self, user_id: str) -> dict[Kind, int]:
        """Count the memories of each kind that the user sees."""
        ...

    async def to_review(
        self, user_id: str, kinds: Collection[Kind], *, before: datetime, importance: float, limit: int
    ) -> list[Memory]:
        """Return what the user may be asked about: is it still true?

        Args:
            user_id: Whose.
            kinds: Only of these kinds.
            before: Only what was said before that, and confirmed by hand by nobody since.
            importance: Only what is so important at least, 0 to 1.
            limit: How many at most; the most important first.
        """
        ...

    async def changes(self, user_id: str, *, limit: int, after: UUID | None = None) -> list[Update]:
        """Return the audit of the user's memories, newest first, behind the row ``after``."""
        ...

    async def chats(self, user_id: str, *, limit: int, skipped: int = 0) -> list[ChatSeen]:
        """Return the user's chats, the one where something was said last first, behind so many ``skipped``."""
        ...

    async def knows_chat(self, scope: Scope) -> bool:
        """Tell whether something was said in a chat of a user, and is kept."""
        ...

    async def messages(
        self, scope: Scope, *, limit: int, after: UUID | None = None
    ) -> list[MessageSeen] | None:
        """Return what was said in a chat, in order, behind the message ``after``; None where the chat has no such one."""
        ...

    async def count_kept(self, user_id: str) -> KeptCounts:
        """Count what is kept of the user."""
        ...
