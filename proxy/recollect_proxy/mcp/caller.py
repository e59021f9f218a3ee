"""The caller of a tool, as both transports describe it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from recollect.engine import Engine
from recollect.engine.people.agents import AgentMemories

OpenedEngine: TypeAlias = Callable[[], Engine]
"""Returns the engine, or raises StoreUnavailableError."""


@dataclass(frozen=True, slots=True)
class Caller:
    """An agent that acts for a person.

    Attributes:
        engine: Returns the engine.
        user_id: For whom.
        client: The name of its program, printable.
        may_write: Whether it may change anything.
        reader: The name of the administrator's token; None if no administrator reads.
    """

    engine: OpenedEngine
    user_id: str
    client: str
    may_write: bool = True
    reader: str | None = None

    @property
    def agent(self) -> str:
        """As the audit names it."""
        return f"mcp: {self.client}"

    @property
    def memories(self) -> AgentMemories:
        """The engine's part for agents; raises StoreUnavailableError."""
        return self.engine().agents

    async def reads(self, operation: str) -> None:
        """Keep that the user's memories are read, where an administrator reads them.

        Raises:
            StoreError: It can't be kept.
        """
        if self.reader is not None:
            await self.engine().note_admin_read(
                self.user_id, reader=self.reader, operation=f"mcp_{operation}"
            )
