"""A store in this process's memory. Never: a database, a file."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

from recollect.errors import StoreError, StoreUnavailableError
from recollect.normalization import storable_user
from recollect.testing.changes import Belongings
from recollect.testing.chats import ChatStore
from recollect.testing.inbox import InboxStore
from recollect.testing.indexed_store import IndexedStore
from recollect.testing.memories import MemoriesStore
from recollect.testing.message_log import LogStore
from recollect.testing.settings import Kept


class InMemoryStore(MemoriesStore, LogStore, IndexedStore, ChatStore, InboxStore):
    """Implements MemoryStore, MessageLog, LogIndex, ChatMemory, RequestLog, Inbox and Jobs.

    Attributes:
        failure: When set, what every call raises.
        settings: The FlagStore, and the UsageLog.
    """

    def __init__(self) -> None:
        super().__init__()
        self.failure: StoreError | None = None
        self.settings = Kept(
            has_chats=lambda user_id: user_id in self._users and bool(self._users[user_id].log)
        )

    async def run(self, drain: Callable[[str], Awaitable[timedelta | None]]) -> None:
        """Call ``drain(user_id)`` for each job until cancelled, several users at once."""
        await self.jobs.run(drain)

    def _of(self, user_id: str) -> Belongings:
        if self.failure is not None:
            raise self.failure
        return self._users.setdefault(storable_user(user_id), Belongings(user_id))

    def _everybody(self) -> list[Belongings]:
        if self.failure is not None:
            raise self.failure
        return list(self._users.values())

    def _enqueue(self, user_id: str) -> None:
        self.jobs.enqueue(user_id)


class BrokenStore(InMemoryStore):
    """A store that can't be reached, until its ``failure`` is set to None."""

    def __init__(self) -> None:
        super().__init__()
        self.failure = StoreUnavailableError()
