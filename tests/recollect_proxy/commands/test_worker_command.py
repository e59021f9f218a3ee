"""`recollect worker`: its words on its settings and its database, and the log of its work."""

import asyncio
import json
import socketserver
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.recollect_proxy.commands.command_line import recollect
from tests.scripted.embeddings import embedded
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.folders import database_folder
from tests.servers.internals import variables
from tests.servers.served_process import RECOLLECT, environment
from tests.support.stores import Store
from tests.support.tables import table
from tests.support.waiting import until
from typer.testing import Result

from recollect.assembly import lifecycle
from recollect.errors import ConfigurationError
from recollect.store import start_embedded

UPSTREAM = "http://127.0.0.1:9/v1"
WITHOUT_MODELS: dict[str, object] = dict.fromkeys(("upstream", "embedder_base_url"), UPSTREAM)
WITHOUT_MODELS |= {"embedder": "openai:e", "formation": "off"}
_PATIENCE_SECONDS = 60.0


class Working:
    """A running `recollect worker`, and the lines of its log so far."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def events(self, name: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["event"] == name]

    async def listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        async for line in process.stderr:
            self.lines.append(json.loads(line))


@asynccontextmanager
async def working(environ: Mapping[str, str]) -> AsyncIterator[Working]:
    """Start `recollect worker`, wait until it works, and end it as a service manager does."""
    process = await asyncio.create_subprocess_exec(
        RECOLLECT, "worker", env=environ, stderr=asyncio.subprocess.PIPE
    )
    worker = Working()
    listening = asyncio.create_task(worker.listen(process))
    try:
        await until(lambda: listening.done() or bool(worker.events("worker_started")))
        yield worker
        process.terminate()
        async with asyncio.timeout(_PATIENCE_SECONDS):
            assert await process.wait() == 0
            await listening
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def test_without_an_upstream_it_names_the_variable_and_its_own_option(tmp_path: Path) -> None:
    done = recollect("worker", RECOLLECT_DATA_DIR=str(tmp_path))

    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
    assert "RECOLLECT_UPSTREAM=http://" in done.stderr
    assert "recollect worker --upstream URL" in done.stderr
    assert "serve" not in done.stderr


def test_a_slip_in_a_name_is_told_of_also_where_that_setting_is_needed(tmp_path: Path) -> None:
    done = recollect("worker", RECOLLECT_UPSTREEM=UPSTREAM, RECOLLECT_DATA_DIR=str(tmp_path))

    assert done.exit_code == 2
    assert "did you mean RECOLLECT_UPSTREAM?" in done.stderr


@table("command", ["worker", "serve"])
@table("text", [None, "memory_tokens = "])
def test_a_broken_settings_file_is_told_of_once(command: str, text: str | None, tmp_path: Path) -> None:
    file = tmp_path / f"{command}.toml"
    if text is not None:
        file.write_text(text)

    own = {"RECOLLECT_CONFIG": str(file), "RECOLLECT_DATA_DIR": str(tmp_path)}
    done = recollect(command, RECOLLECT_UPSTREAM=UPSTREAM, **own)

    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
    assert done.stderr.startswith(f"Settings: {file} ")


@contextmanager
def refusing(state: str) -> Iterator[str]:
    """Serve a database that refuses everyone with this SQLSTATE; yield its address."""

    class Refusal(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(1000)
            fields = f"SFATAL\0C{state}\0Mno\0\0".encode()
            self.request.sendall(b"E" + (len(fields) + 4).to_bytes(4, "big") + fields)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Refusal) as server:
        serving = Thread(target=server.serve_forever)
        serving.start()
        yield f"postgresql://anna:hush@127.0.0.1:{server.server_address[1]}/memories?sslmode=disable"
        server.shutdown()
        serving.join()


def ended_at(database_url: str, folder: Path) -> Result:
    """Run `recollect worker` with a database that it can't work on."""
    return recollect(
        "worker", **variables(WITHOUT_MODELS | {"database_url": database_url, "data_dir": folder})
    )


def test_a_database_that_may_accept_it_later_is_tried_again(tmp_path: Path) -> None:
    with refusing("28P01") as address:
        done = ended_at(address, tmp_path)

    said = done.stderr.splitlines()[-1]
    assert (done.exit_code, said.startswith("The database can't be opened")) == (3, True)
    assert "it does not take this user's password" in said
    assert "hush" not in done.stderr


def test_an_address_that_no_database_mends_is_left_alone(tmp_path: Path) -> None:
    error = ended_at("postgresql://anna:1#2@127.0.0.1:9/memories", tmp_path).exception

    assert isinstance(error, ConfigurationError)
    assert "cuts its address short" in str(error)


@pytest.mark.process
async def test_it_names_its_database_and_the_index(own_store: Store, own_dsn: str, tmp_path: Path) -> None:
    for text in ("I keep bees.", "My bicycle is red."):
        await own_store.log.append(own_store.exchange(text, reply=""))
    anna = own_store.anna
    async with ScriptedUpstream(embedded) as embedder:
        own = {"database_url": own_dsn, "data_dir": tmp_path, "embedder_base_url": embedder.base_url}
        environ = environment(**WITHOUT_MODELS | own)

        async with working(environ) as worker:
            await until(lambda: _is_indexed(own_store))
            process = await asyncio.create_subprocess_exec(
                *(RECOLLECT, "reindex", "--json"), env=environ, stdout=asyncio.subprocess.PIPE
            )
            printed, _ = await process.communicate()
            await until(lambda: bool(worker.events("index_rebuild_started")))

    [database] = [line["database"] for line in worker.events("worker_database_selected")]
    assert database.startswith("postgresql://")
    assert "@" not in database
    assert worker.events("worker_started_without_proxy") == []
    assert (process.returncode, json.loads(printed)) == (0, {"users": 1, "left": 0})
    [rebuilt] = worker.events("index_rebuild_started")
    assert (rebuilt["level"], rebuilt["user_id"]) == ("info", str(anna))
    assert rebuilt.keys() == {"event", "level", "timestamp", "user_id"}


async def _is_indexed(store: Store) -> bool:
    return await store.index.unindexed(store.anna, limit=1) == []


@pytest.mark.process
@pytest.mark.database
async def test_an_embedded_database_that_no_proxy_uses_is_warned_of() -> None:
    with database_folder(created=True) as folder:
        environ = environment(**WITHOUT_MODELS | {"data_dir": folder})
        async with working(environ) as worker:
            pass
        beside = await asyncio.to_thread(start_embedded, folder)
        is_shared = lifecycle._is_shared(folder)
        await asyncio.to_thread(beside.stop)

    [selected] = worker.events("worker_database_selected")
    assert selected["database"] == f"embedded in {folder}"
    [warned] = worker.events("worker_started_without_proxy")
    assert (warned["level"], warned["folder"], is_shared) == ("warning", str(folder), True)
    assert "RECOLLECT_DATABASE_URL" in warned["remedy"]
