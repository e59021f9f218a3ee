"""A proxy for a short while leaves nothing behind, and says when it can't be."""

import asyncio
import os
import signal
from pathlib import Path

import pytest
from tests.recollect_proxy.settings import proxy_settings
from tests.servers.databases import SpareDatabases
from tests.servers.ready_servers import ready_servers
from tests.support.raw_client import fetch
from tests.support.tables import table

from recollect.errors import ConfigurationError
from recollect_proxy.app import App
from recollect_proxy.serving.ephemeral_server import (
    NotServedError,
    run_to_the_end,
    serve_proxy,
    serve_upstream,
    temporary,
)


def test_its_settings_are_the_operators_but_for_database_token_and_port(tmp_path: Path) -> None:
    given = proxy_settings(
        data_dir=tmp_path,
        database_url="postgresql://somewhere/else",
        host="0.0.0.0",
        port=80,
        memory_tokens=700,
        admin_token="x",
    )

    own = temporary(given, formation="qa_turn")

    assert (own.in_memory, own.host, own.port, own.data_dir) == (True, "127.0.0.1", 0, tmp_path)
    assert (own.memory_tokens, own.formation) == (700, "qa_turn")
    assert own.admin_token is not None
    assert len(own.admin_token.get_secret_value()) > 30


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="not an http"):
        temporary(proxy_settings(), upstream="nonsense")


async def test_a_proxy_that_can_not_start_is_an_error(spare_databases: SpareDatabases) -> None:
    own = temporary(proxy_settings(), embedder="nonsense")

    async with ready_servers(spare_databases):
        with pytest.raises(NotServedError):
            async with serve_proxy(App(own, admin_token="token"), own):
                raise AssertionError("it was served")


async def test_a_store_that_does_not_open_is_an_error(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect_proxy.serving.ephemeral_server._STORE_SECONDS", 0.1)
    own = proxy_settings(data_dir=data_dir, port=0, database_url="postgresql://nobody@127.0.0.1:9/none")

    with pytest.raises(NotServedError, match="The store could not be opened"):
        async with serve_proxy(App(own, admin_token="token"), own):
            raise AssertionError("it was served")


async def test_an_upstream_is_gone_when_it_was_left() -> None:
    async def answer(_scope: object, _receive: object, send: object) -> None:
        assert callable(send)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async with serve_upstream(answer) as origin:
        port = int(origin.rpartition(":")[2])
        assert (await fetch(port, b"GET", b"/")).status == 204

    with pytest.raises(ConnectionRefusedError):
        await fetch(port, b"GET", b"/")


def test_work_runs_to_its_end() -> None:
    async def work() -> str:
        return "done"

    assert run_to_the_end(work()) == "done"


@table("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.usefixtures("sigterm_as_in_a_process")
def test_a_signal_lets_it_clean_up(number: signal.Signals) -> None:
    cleaned = False

    async def work() -> None:
        nonlocal cleaned
        try:
            os.kill(os.getpid(), number)
            await asyncio.sleep(60)
        finally:
            cleaned = True

    with pytest.raises(KeyboardInterrupt):
        run_to_the_end(work())

    assert cleaned
