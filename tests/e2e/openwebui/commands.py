"""Recollect's commands as processes of their own, and the database that they fill."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.servers.databases import administrator, sql_rows
from tests.servers.served_process import RECOLLECT, environment

SECONDS = 180.0

_TABLES = "SELECT quote_ident(table_name) FROM information_schema.tables WHERE table_schema = 'recollect'"


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it printed."""

    status: int
    out: str
    errors: str

    @property
    def lines(self) -> list[str]:
        """What it printed."""
        return self.out.splitlines()


async def started(*arguments: str, settings: Mapping[str, str]) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        RECOLLECT,
        *arguments,
        env=environment(**settings),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def ended(process: asyncio.subprocess.Process) -> Ended:
    """Wait until a command has ended; it is killed if it does not."""
    try:
        async with asyncio.timeout(SECONDS):
            out, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode is not None
    return Ended(process.returncode, out.decode(), errors.decode())


@dataclass(frozen=True)
class Recollect:
    """A Recollect that was never started: its database, and the import into it."""

    dsn: str
    data_dir: Path

    @property
    def settings(self) -> dict[str, str]:
        """What its commands are told."""
        return {"database_url": self.dsn, "data_dir": str(self.data_dir)}

    async def imports(self, *arguments: str) -> Ended:
        return await ended(await started("import", "openwebui", *arguments, settings=self.settings))

    async def imports_on_a_terminal(self, *arguments: str) -> tuple[int, str]:
        """Run it before somebody who looks on; return its status, and what it drew on the terminal."""
        terminal, its_end = os.openpty()
        drawn = asyncio.create_task(asyncio.to_thread(_read_to_the_end, terminal))
        process = await asyncio.create_subprocess_exec(
            RECOLLECT,
            *("import", "openwebui", *arguments),
            env=environment(**self.settings) | {"TERM": "xterm-256color", "COLUMNS": "120"},
            stdout=asyncio.subprocess.DEVNULL,
            stderr=its_end,
        )
        os.close(its_end)
        async with asyncio.timeout(SECONDS):
            status = await process.wait()
            return status, (await drawn).decode()

    async def column(self, query: str, *arguments: object) -> list[str]:
        """Return the first column of what the database answers."""
        return [row[0] for row in await sql_rows(self.dsn, query, *arguments)]

    async def everything(self) -> dict[str, tuple[int, str]]:
        """Return how many rows each table has, and a hash of all of them."""
        found = {}
        async with administrator(self.dsn) as connection:
            for (table,) in await connection.fetch(_TABLES):
                each = f"SELECT count(*), md5(string_agg(t::text, '|' ORDER BY t::text)) FROM recollect.{table} AS t"
                found[table] = tuple(await connection.fetchrow(each) or ())
        return found

    async def memories(self, user_id: str) -> set[str]:
        """Return what a person's memories say."""
        return set(await self.column("SELECT content FROM recollect.vectors WHERE owner = $1", user_id))

    async def said(self, user_id: str, session_id: str | None = None) -> list[str]:
        """Return a person's own words, in one chat or in all, as the message log has them."""
        query = (
            "SELECT content FROM recollect.messages WHERE user_id = $1 AND role = 'user' "
            "AND session_id = coalesce($2, session_id) ORDER BY turn_index, id"
        )
        return await self.column(query, user_id, session_id)


def _read_to_the_end(terminal: int) -> bytes:
    drawn = bytearray()
    with open(terminal, "rb", buffering=0) as screen:
        try:
            while some := screen.read(65536):
                drawn += some
        except OSError:  # the last who wrote there has gone
            pass
    return bytes(drawn)
