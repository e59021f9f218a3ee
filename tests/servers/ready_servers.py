"""Servers in memory that are ready at once: what starts one gets a database of the tests' own."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.servers.databases import SpareDatabases

from recollect.assembly import lifecycle


@dataclass(frozen=True)
class ReadyServer:
    """A server that runs already, as its user sees it."""

    dsn: str

    def stop(self) -> None:
        """Leave it running."""

    def revive(self) -> bool:
        """Say that it runs."""
        return False


@asynccontextmanager
async def ready_servers(spare: SpareDatabases, starts: int = 1) -> AsyncIterator[None]:
    """Start no server for a database in memory, so many times: lend a database without a row instead.

    What starts one more fails. A server that is started really is tested elsewhere, and takes seconds.
    """
    async with AsyncExitStack() as lent:
        waiting = [await lent.enter_async_context(spare.one()) for _ in range(starts)]

        def start(_data_dir: Path, *, durable: bool) -> ReadyServer:
            assert not durable, "a database that is kept is nobody else's"
            return ReadyServer(waiting.pop())

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lifecycle, "start_embedded", start)
            yield
        assert not waiting, "fewer were started"
