"""What finding and repairing faults needs of what keeps memories. Never: an implementation."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol
from uuid import UUID

from recollect.model import Actor, Change, Embedded, Exchange, Memory, Update


class Repairs(Protocol):
    """Reads what memories rest on, and repairs them so that it can be undone. Every method raises StoreError."""

    async def said(self, user_id: str, messages: Sequence[UUID]) -> list[Exchange]:
        """Return the exchanges of the user whose turns are these messages of the log, oldest first.

        Each with what was said just before it in its chat. A message that the log does not have has none.
        """
        ...

    async def repair(
        self,
        user_id: str,
        memory: Memory,
        changes: Sequence[Change | Embedded],
        *,
        run: UUID,
        actor: Actor,
        at: datetime,
    ) -> bool:
        """Apply changes to a memory in one transaction, while it says what was found; return whether one was done.

        Args:
            user_id: Whose memory it is.
            memory: As it was found.
            changes: What is done about it.
            run: The run of repairs it belongs to, an id of version 7; each row of the audit names it.
            actor: Who has it repaired.
            at: Now.
        """
        ...

    async def users(self, run: UUID) -> list[str]:
        """Return the users of whose memories a run changed something."""
        ...

    async def repaired(self, user_id: str, run: UUID) -> list[Update]:
        """Return what a run changed of the user's memories and nobody undid, newest first."""
        ...
