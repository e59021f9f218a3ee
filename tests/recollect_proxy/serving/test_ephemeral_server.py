"""A proxy for a short while leaves nothing behind, and says when it can't be; so does the application without a server."""

import asyncio
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.recollect_proxy.settings import proxy_settings
from tests.servers.databases import SpareDatabases
from tests.servers.ready_servers import ready_servers
from tests.support.raw_client import fetch
from tests.support.tables import table
from tests.support.waiting import until

from recollect.errors import ConfigurationError
from recollect_proxy.app import App, LazyApplication
from recollect_proxy.serving.ephemeral_server import (
    NotServedError,
    run_to_the_end,
    serve_proxy,
    serve_upstream,
    temporary,
)
from recollect_proxy.web.asgi import Application, Event, Receive, Scope, Send


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
    own = proxy_settings(data_dir=data_dir, database_url="postgresql://nobody@127.0.0.1:9/none")

    with pytest.raises(NotServedError, match="The store could not be opened"):
        async with serve_proxy(App(own, admin_token="token"), own):
            raise AssertionError("it was served")


async def test_an_upstream_is_gone_when_it_was_left() -> None:
    async def answer(_scope: object, _receive: object, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async with serve_upstream(answer) as origin:
        port = int(origin.rpartition(":")[2])
        assert (await fetch(port, b"GET", b"/")).status == 204
    with pytest.raises(ConnectionRefusedError):
        await fetch(port, b"GET", b"/")


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
    assert run_to_the_end(asyncio.sleep(0, "done")) == "done"


# -- the application without a server: what no HTTP request can reach -------------------------------------

HANDSHAKE = {
    "type": "websocket",
    "http_version": "1.1",
    "raw_path": b"/v1/realtime",
    "query_string": b"",
    "headers": [(b"host", b"proxy.test")],
    "subprotocols": [],
}


async def told(app: App, scope: Scope, event: str) -> list[Event]:
    """Return what an application sends after an event."""
    sent: list[Event] = []

    async def send(event: Event) -> None:
        sent.append(event)

    async def receive() -> Event:
        return {"type": event}

    await app(scope, receive, send)
    return sent


@table("changed", [{}, {"raw_path": b"/realtime"}, {"headers": [(b"host", b"a"), (b"host", b"b")]}])
async def test_a_websocket_that_can_not_be_opened_is_closed_where_a_server_can_not_say_more(
    changed: dict[str, Any],
) -> None:
    sent = await told(App(proxy_settings(), admin_token="t"), HANDSHAKE | changed, "websocket.connect")
    assert [event["type"] for event in sent] == ["websocket.close"]


async def test_a_start_that_fails_says_why() -> None:
    app = App(proxy_settings(database_url="nonsense"), admin_token="t")
    [failed] = await told(app, {"type": "lifespan"}, "lifespan.startup")
    assert failed["type"] == "lifespan.startup.failed"
    assert "can't be opened" in failed["message"]


def test_a_token_that_can_be_guessed_is_refused_where_others_can_try() -> None:
    away = proxy_settings(host="0.0.0.0", trusted_networks="10.0.0.0/8")

    with pytest.raises(ConfigurationError, match="RECOLLECT_ADMIN_TOKEN"):
        App(away, admin_token="short")
    App(away, admin_token="0123456789" * 4)
    App(proxy_settings(), admin_token="short")


# -- an application that is built with its first request -----


class Build:
    """Builds an application that notes each request, once it is allowed to."""

    def __init__(self) -> None:
        self.count = 0
        self.asked: list[str] = []
        self.allowed = threading.Event()

    def __call__(self) -> Application:
        self.count += 1
        assert self.allowed.wait(20)
        return self.answer

    async def answer(self, scope: Scope, _receive: Receive, _send: Send) -> None:
        self.asked.append(scope["path"])


async def nothing() -> Event:
    return {"type": "http.disconnect"}


async def nowhere(_event: Event) -> None:
    return


async def test_requests_wait_for_it_and_it_is_built_once_though_one_is_given_up() -> None:
    build = Build()
    application = LazyApplication(build)
    given_up, *asking = [
        asyncio.create_task(application({"path": path}, nothing, nowhere)) for path in ("/x", "/a", "/b")
    ]
    await asyncio.sleep(0)
    given_up.cancel()
    with pytest.raises(asyncio.CancelledError):
        await given_up
    assert build.asked == []

    build.allowed.set()
    await asyncio.gather(*asking)
    await application({"path": "/c"}, nothing, nowhere)
    assert (build.asked, build.count) == (["/a", "/b", "/c"], 1)


async def test_a_start_begins_it_before_any_request() -> None:
    build = Build()
    application = LazyApplication(build)
    application.start()
    await until(lambda: build.count == 1)
    build.allowed.set()
    await application({"path": "/a"}, nothing, nowhere)
    assert (build.asked, build.count) == (["/a"], 1)
