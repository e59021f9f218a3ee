"""Processes of Open WebUI, as far as filters know them: what they are told, and the engine they share."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.openwebui_filter.openwebui import load
from tests.servers.databases import new_database, strangers

from recollect.assembly import host_engine


@dataclass(frozen=True)
class Process:
    """What the filters of one process share."""

    valves: dict[str, Any]
    engines: list[Any] = field(default_factory=list)

    def load_filter(self, **valves: Any) -> Any:
        """Load a filter as Open WebUI does, with these valves beside the others."""
        made = load()
        made.valves = made.Valves(**self.valves | valves)
        return made

    async def end(self) -> None:
        """Close what is open."""
        while self.engines:
            await self.engines.pop().engine.aclose()
        await asyncio.gather(*host_engine._closing)


@asynccontextmanager
async def process_of_all_tests(server: str, template: str, **valves: Any) -> AsyncIterator[Process]:
    """Yield a process with a database on which nothing but its engine works."""
    async with new_database(server, template) as dsn:
        process = Process({"database_url": dsn, "recall_deadline_ms": 30_000} | valves)
        yield process
        await process.end()
        assert await strangers(dsn) == [], (
            "tests that share an engine take their users from tests.support.people"
        )
