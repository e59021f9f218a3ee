"""Rows, chats and a database of OpenWebUI, in the shapes of release 0.12.4, and imports of them."""

import io
import json
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from rich.console import Console
from rich.progress import Progress
from tests.recollect_proxy.settings import proxy_settings
from tests.scripted.models import WordEmbedder
from tests.support.people import Person
from tests.support.stores import Store

from recollect.assembly.policy_from_settings import make_policy
from recollect.backends import Backends
from recollect.engine import Engine
from recollect.model import Memory
from recollect_proxy.importers.import_command import bring
from recollect_proxy.importers.import_counts import Tally
from recollect_proxy.importers.openwebui_database import open_openwebui
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
        return self.store.anna

    @property
    def ben(self) -> Person:
        return self.store.ben

    @property
    def backends(self) -> Backends:
        """The store, with an embedder that needs no model."""
        return Backends(self.store, embedder=self.embedder, log_embedder=self.embedder)

    @property
    def engine(self) -> Engine:
        return Engine(self.backends, make_policy(self.settings))

    @asynccontextmanager
    async def open_destination(self, _settings: ProxySettings, *, writes: bool) -> AsyncIterator[Backends]:  # noqa: ARG002 -- the product's
        yield self.backends

    # -- data of OpenWebUI --------------------------------------------------------------------------------

    def memory(self, content: Any, **changed: Any) -> dict[str, Any]:
        return memory_row(content, **{"user": self.anna} | changed)

    def written(self, content: str, *, day: int = 0, id_: str = "m-1", **changed: Any) -> dict[str, Any]:
        """Return a row of the table `memory`, written a number of days after the first."""
        return self.memory(content, id=id_, updated_at=BEGUN + 86_400 * day, **changed)

    def chat(self, messages: Sequence[dict[str, Any]], **changed: Any) -> dict[str, Any]:
        return chat_row(messages, **{"user": self.anna} | changed)

    def export(self, *rows: Any) -> Path:
        return write_export(self.folder / f"{uuid4().hex}.json", rows)

    def database(self, *, users: Sequence[str] = (), **rows: Any) -> Path:
        """Write OpenWebUI's file, with accounts of both by default, and return its path."""
        return write_database(self.folder / f"{uuid4().hex}.db", users=users or (self.anna, self.ben), **rows)

    # -- imports and results ------------------------------------------------------------------------------

    async def bring(self, source: Path, **how: Any) -> Tally:
        return await brought(self.settings, source, **how)

    async def bring_rows(self, *rows: Any, **how: Any) -> Tally:
        return await self.bring(self.export(*rows), **how)

    async def memories(self) -> tuple[Memory, ...]:
        return (await self.store.memories.page(self.anna, limit=9)).memories

    async def contents(self) -> list[str]:
        return sorted(memory.content for memory in await self.memories())

    async def ids(self) -> dict[str, UUID]:
        return {memory.content: memory.id for memory in await self.memories()}

    async def everything(self, *users: str) -> list[Any]:
        """Return all rows of these users, and of both."""
        found = []
        for user in (*users, self.anna, self.ben):
            memories, most = self.store.memories, _MOST
            kept = (await memories.page(user, **most)).memories, await memories.quarantined(user)
            said = (
                await self.store.index.unindexed(user, **most),
                await self.store.inbox.pending(user, **most),
            )
            found.append((*kept, *said, await memories.history(user, **most)))
        return found


_MOST: Any = {"limit": 200}
BEGUN = 1_760_000_000
"""When the first chat began: October 2025."""

SCHEMA = (
    'CREATE TABLE "user" (id VARCHAR NOT NULL PRIMARY KEY, name VARCHAR, email VARCHAR)',
    """CREATE TABLE memory (id VARCHAR NOT NULL PRIMARY KEY, user_id VARCHAR, content TEXT, updated_at BIGINT,
        created_at BIGINT, type VARCHAR DEFAULT 'context' NOT NULL, path TEXT, meta JSON)""",
    """CREATE TABLE chat (id VARCHAR NOT NULL PRIMARY KEY, user_id VARCHAR, title TEXT, created_at BIGINT,
        updated_at BIGINT, chat JSON, meta JSON DEFAULT '{}' NOT NULL, current_message_id TEXT)""",
)

OLD_SCHEMA = (
    'CREATE TABLE "user" (id VARCHAR NOT NULL PRIMARY KEY, name VARCHAR)',
    "CREATE TABLE memory (id VARCHAR, user_id VARCHAR, content TEXT, updated_at BIGINT, created_at BIGINT)",
    "CREATE TABLE chat (id VARCHAR, user_id VARCHAR, title TEXT, created_at BIGINT, updated_at BIGINT, chat JSON)",
)
"""The schema of releases before memories had types and chats had `meta`."""


_TIMES = ("created_at", "updated_at")


def memory_row(content: Any, *, user: str = "anna", **changed: Any) -> dict[str, Any]:
    row = {"id": f"memory of {user}: {content}", "user_id": user, "content": content, "type": "context"}
    row |= dict.fromkeys(_TIMES, BEGUN) | {"path": None, "meta": {"created_by": "manual"}}
    return row | changed


def message(id_: str, role: str, content: Any, parent: str | None, **changed: Any) -> dict[str, Any]:
    return {"id": id_, "role": role, "content": content, "parentId": parent, "childrenIds": []} | changed


def talk(*pairs: tuple[str, str], name: str = "", begun: int = BEGUN) -> list[dict[str, Any]]:
    """Return the messages of a chat of questions and answers, whose ids are `{name}u1`, `{name}a1`, `{name}u2`, ..."""
    messages: list[dict[str, Any]] = []
    parent = None
    for number, (said, answer) in enumerate(pairs, start=1):
        at = begun + 60 * number
        question = message(f"{name}u{number}", "user", said, parent, timestamp=at)
        told = {"model": "scripted", "timestamp": at + 5, "done": True}
        reply = message(f"{name}a{number}", "assistant", answer, question["id"], **told)
        messages += question, reply
        parent = reply["id"]
    return messages


def chat_row(
    messages: Sequence[dict[str, Any]], *, id_: str = "chat-1", user: str = "anna", **changed: Any
) -> dict[str, Any]:
    """Return a row of the table `chat`, of which the last message is displayed, or `current`."""
    current = changed.pop("current", None) or (messages[-1]["id"] if messages else None)
    tree = {"currentId": current, "messages": {each["id"]: each for each in messages}}
    row = {"id": id_, "user_id": user, "title": "A chat", "meta": {}} | dict.fromkeys(_TIMES, BEGUN)
    row["chat"] = {"id": id_, "history": tree, "messages": [], "timestamp": BEGUN * 1000}
    return row | {"current_message_id": current} | changed


def write_database(
    path: Path, users: Sequence[str] = ("anna", "ben"), schema: Sequence[str] = SCHEMA, **rows: Any
) -> Path:
    """Write OpenWebUI's file with ``memories`` and ``chats``, and a log of changes next to it; return its path."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    for statement in schema:
        connection.execute(statement)
    connection.executemany('INSERT INTO "user" (id) VALUES (?)', [(user,) for user in users])
    for table, name in (("memory", "memories"), ("chat", "chats")):
        known = [column[1] for column in connection.execute(f"PRAGMA table_info({table})")]
        for row in rows.get(name, ()):
            names = [name for name in known if name in row]
            marks = ", ".join("?" * len(names))
            values = [_column(row[name]) for name in names]
            connection.execute(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", values)
    connection.commit()
    connection.close()
    return path


def write_export(path: Path, rows: Sequence[Any]) -> Path:
    path.write_text(json.dumps(rows) + "\n", "utf-8")
    return path


def _column(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, dict | list) else value
