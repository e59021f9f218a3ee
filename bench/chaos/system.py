"""The processes of a run: proxies, workers, their database."""

import asyncio
import json
import os
import signal
from collections.abc import Mapping
from contextlib import AsyncExitStack, ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.scripted.upstream import ScriptedUpstream
from tests.servers.external_servers import free_port
from tests.servers.folders import put_database
from tests.servers.replicated_servers import Pair, replicated_servers
from tests.servers.served_process import environment
from tests.support.raw_client import fetch

from bench.chaos.database import Database, Line, dsn_in
from bench.chaos.world import World
from bench.servers import TOKEN, Server, recollect, worker, worker_of

EXTRACTION_SECONDS = 10
"""Less than a tenth of the shipped limit, so that a silent model is given up within a run."""


class Process:
    """A `recollect serve`, which keeps its port, or a `recollect worker`; it can be killed and started again.

    Attributes:
        folder: Its data folder, which also takes its log.
        environ: Its environment.
        port: The port that it serves on; 0 for a worker.
    """

    def __init__(self, folder: Path, environ: Mapping[str, str], *, serves: bool) -> None:
        self.folder = folder
        self.environ = dict(environ)
        self.port = free_port() if serves else 0
        self._server: Server | None = None
        self._closing = ExitStack()

    @property
    def pid(self) -> int | None:
        """The number of its process; None while there is none."""
        server = self._server
        return None if server is None or server.process.poll() is not None else server.process.pid

    @property
    def worker(self) -> int | None:
        """The number of the process in which it forms memories, while there is one."""
        return None if self.pid is None else worker_of(self.pid)

    @property
    def logs(self) -> list[str]:
        """The lines that it logged so far, over all its lives."""
        log = self.folder / "log"
        return log.read_text("utf-8", "replace").splitlines(keepends=True) if log.exists() else []

    async def start(self) -> None:
        """Start it, and wait until it serves."""
        started = (
            recollect(self.folder, self.environ, port=self.port, log_level="info", path="/memory/live")
            if self.port
            else worker(self.folder, self.environ)
        )
        self._server = await asyncio.to_thread(self._closing.enter_context, started)

    async def kill(self) -> None:
        """Kill it: a worker with the process in which it forms, which would end with a proxy by itself."""
        if self._server is not None:
            inner = None if self.port else self.worker
            if inner is not None:
                with suppress(ProcessLookupError):
                    os.kill(inner, signal.SIGKILL)
            self._server.process.kill()
            await self.stop()

    async def stop(self) -> None:
        """End it."""
        self._server = None
        await asyncio.to_thread(self._closing.close)

    async def api(self, method: bytes, path: str, body: dict[str, Any] | None = None) -> Any:
        """Ask its memory API; return the answer's JSON."""
        headers = [(b"Authorization", b"Bearer " + TOKEN.encode()), (b"Content-Type", b"application/json")]
        sent = None if body is None else json.dumps(body).encode()
        answer = await fetch(self.port, method, f"/memory{path}".encode(), headers, sent)
        if answer.status >= 300:
            raise RuntimeError(f"{method.decode()} of the memory API was answered with {answer.status}")
        return answer.json if answer.body else None

    async def waiting(self) -> int | None:
        """Return how many exchanges wait in its spool; None without an answer."""
        with suppress(OSError, EOFError, ValueError, TypeError, RuntimeError):
            waiting: int = (await self.api(b"GET", "/health"))["spool"]["exchanges"]
            return waiting
        return None


@dataclass
class System:
    """The processes of a run, and the models that they ask.

    Attributes:
        folder: The folder of the run.
        world: The answers of the models.
        proxies: In the order in which they are asked.
        workers: The workers of their own.
        database: The run's own, unless the proxy brings one, or there is a pair.
        line: The way to it.
        pair: A primary and its standby, in place of one database.
        dsn: Where the bench itself finds the database.
        clock_file: By which the processes' clock is set.
    """

    folder: Path
    world: World
    proxies: list[Process] = field(default_factory=list)
    workers: list[Process] = field(default_factory=list)
    database: Database = field(init=False)
    line: Line = field(init=False)
    pair: Pair = field(init=False)
    dsn: str = field(init=False)
    clock_file: Path = field(init=False)

    @property
    def ports(self) -> list[int]:
        """The ports of the proxies."""
        return [proxy.port for proxy in self.proxies]

    @property
    def logs(self) -> list[str]:
        """Every line that any process of ours has logged."""
        return [line for owner in (*self.proxies, *self.workers) for line in owner.logs]

    async def start(self, plan: "Plan", closing: AsyncExitStack) -> None:
        """Start everything; it ends with ``closing``."""
        models = [
            await closing.enter_async_context(ScriptedUpstream(answer))
            for answer in (self.world.chat, self.world.extract, self.world.embed)
        ]
        if plan.replicated:
            self.pair = await asyncio.to_thread(closing.enter_context, replicated_servers())
            self.dsn = f"{self.pair.dsn}?target_session_attrs=read-write"
        elif not plan.embedded:
            await self._start_database(closing)
        settings = self._settings(plan, *(model.base_url for model in models))
        kinds = [("proxy", number) for number in range(plan.proxies)]
        kinds += [("worker", number) for number in range(plan.workers)]
        for kind, number in kinds:
            folder = self.folder / f"{kind}-{number}"
            folder.mkdir(mode=0o711, exist_ok=True)
            if plan.embedded:
                put_database(folder)
            process = Process(folder, environment(**settings) | self._clock(plan), serves=kind == "proxy")
            (self.proxies if kind == "proxy" else self.workers).append(process)
            closing.push_async_callback(process.stop)
            await process.start()
        if plan.embedded:
            self.dsn = dsn_in(self.proxies[0].folder / "postgres" / "data")

    async def _start_database(self, closing: AsyncExitStack) -> None:
        folder = self.folder / "database"
        folder.mkdir(mode=0o711)
        self.database = Database(folder)
        await self.database.start()
        closing.push_async_callback(self.database.stop)
        self.line = Line(self.folder / "line", self.database)
        await self.line.start()
        closing.push_async_callback(self.line.stop)
        self.dsn = self.database.dsn

    def _settings(self, plan: "Plan", upstream: str, extraction: str, embedder: str) -> dict[str, object]:
        settings: dict[str, object] = {
            "admin_token": TOKEN,
            "upstream": upstream,
            "extraction_base_url": extraction,
            "extraction_model": "extractor",
            "extraction_timeout_seconds": EXTRACTION_SECONDS,
            "memories_per_hour": 0,
            "user_cap": 0,
            "session_cap": 0,
            "openwebui_status": "false",
            "recall_deadline_ms": 300,
        }
        if plan.replicated:
            settings["database_url"] = self.pair.dsn
        elif not plan.embedded:
            settings["database_url"] = self.line.dsn
        if plan.embeds_by_server:
            settings |= {"embedder": "openai:e", "embedder_base_url": embedder}
        if plan.workers:
            settings["worker"] = "elsewhere"
        return settings

    def _clock(self, plan: "Plan") -> dict[str, str]:
        if plan.clock is None:
            return {}
        self.clock_file = self.folder / "clock"
        self.clock_file.write_text("+0")
        return {
            "LD_PRELOAD": str(plan.clock),
            "FAKETIME_TIMESTAMP_FILE": str(self.clock_file),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }


@dataclass(frozen=True)
class Plan:
    """The processes to start.

    Attributes:
        workers: How many `recollect worker`; 0: each proxy has its own.
        embedded: Whether the proxy brings its database.
        replicated: Whether a standby follows the database, by which a proxy knows it, too.
        embeds_by_server: Whether embeddings come from the scripted server, and not from the local model.
        clock: The library by which their clock is set.
    """

    proxies: int = 1
    workers: int = 0
    embedded: bool = False
    replicated: bool = False
    embeds_by_server: bool = False
    clock: Path | None = None
