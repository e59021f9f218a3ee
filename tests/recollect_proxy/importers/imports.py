"""Imports from OpenWebUI, for tests."""

import io
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from rich.console import Console
from rich.progress import Progress
from tests.recollect_proxy.importers.kept import BEGUN, chat_row, memory_row, write_database, write_export
from tests.recollect_proxy.settings import proxy_settings
from tests.scripted.models import WordEmbedder
from tests.support.people import Person
from tests.support.stores import Store

from recollect.assembly.policy_from_settings import make_policy
from recollect.backends import Backends
from recollect.engine import Engine
from recollect.model import Memory
from recollect_proxy.importers.import_command import bring
from recollect_proxy.importers.openwebui_database import open_openwebui
from recollect_proxy.importers.tally import Tally
from recollect_proxy.settings.proxy_settings import ProxySettings


async def brought(
    settings: ProxySettings, source: Path, only: Sequence[str] = (), project: str = "", **how: bool
) -> Tally:
    """Import from a source, as the command does."""
    progress = Progress(console=Console(file=io.StringIO()))
    options: Any = {"chats": False, "dry_run": False, "progress": progress} | how
    tally = await bring(settings, open_openwebui(str(source)), only, project, **options)
    assert progress.finished
    return tally


@dataclass(frozen=True)
class Imports:
    """Data of two people in OpenWebUI, Anna's by default, and imports into a store that is open already, without a worker."""

    store: Store
    folder: Path
    embedder: WordEmbedder = field(default_factory=WordEmbedder)
    settings: ProxySettings = field(default_factory=lambda: proxy_settings(formation="qa_turn"))

    @property
    def anna(self) -> Person:
        """A user with an account in OpenWebUI."""
        return self.store.anna

    @property
    def ben(self) -> Person:
        """Another one."""
        return self.store.ben

    @property
    def backends(self) -> Backends:
        """The store, with an embedder that needs no model."""
        return Backends(**self.store.parts, embedder=self.embedder, log_embedder=self.embedder)

    @property
    def engine(self) -> Engine:
        """An engine over the store."""
        return Engine(self.backends, make_policy(self.settings))

    @asynccontextmanager
    async def open_destination(self, _settings: ProxySettings, *, writes: bool) -> AsyncIterator[Backends]:  # noqa: ARG002 -- the product's
        """Yield the open store."""
        yield self.backends

    # -- data of OpenWebUI --------------------------------------------------------------------------------

    def memory(self, content: Any, **changed: Any) -> dict[str, Any]:
        """Return a row of the table `memory`."""
        return memory_row(content, **{"user": self.anna} | changed)

    def written(self, content: str, *, day: int = 0, id_: str = "m-1", **changed: Any) -> dict[str, Any]:
        """Return a row of the table `memory`, written a number of days after the first."""
        return self.memory(content, id=id_, updated_at=BEGUN + 86_400 * day, **changed)

    def chat(self, messages: Sequence[dict[str, Any]], **changed: Any) -> dict[str, Any]:
        """Return a row of the table `chat`."""
        return chat_row(messages, **{"user": self.anna} | changed)

    def export(self, *rows: Any) -> Path:
        """Write an export, and return its path."""
        return write_export(self.folder / f"{uuid4().hex}.json", rows)

    def database(self, *, users: Sequence[str] = (), **rows: Any) -> Path:
        """Write OpenWebUI's file, with accounts of both by default, and return its path."""
        return write_database(self.folder / f"{uuid4().hex}.db", users=users or (self.anna, self.ben), **rows)

    # -- imports and results ------------------------------------------------------------------------------

    async def bring(self, source: Path, **how: Any) -> Tally:
        """Import from a source."""
        return await brought(self.settings, source, **how)

    async def bring_rows(self, *rows: Any, **how: Any) -> Tally:
        """Import an export of these rows."""
        return await self.bring(self.export(*rows), **how)

    async def memories(self) -> tuple[Memory, ...]:
        """Return Anna's memories."""
        return (await self.store.memories.page(self.anna, limit=9)).memories

    async def contents(self) -> list[str]:
        """Return the texts of Anna's memories."""
        return sorted(memory.content for memory in await self.memories())

    async def ids(self) -> dict[str, UUID]:
        """Return the ids of Anna's memories by text."""
        return {memory.content: memory.id for memory in await self.memories()}

    async def everything(self, *users: str) -> list[Any]:
        """Return all rows of these users, and of both."""
        store = self.store
        return [
            (
                (await store.memories.page(user, limit=200)).memories,
                await store.memories.quarantined(user),
                await store.memories.history(user, limit=500),
                await store.index.unindexed(user, limit=500),
                await store.inbox.pending(user, limit=500),
            )
            for user in (*users, self.anna, self.ben)
        ]
