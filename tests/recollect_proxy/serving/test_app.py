"""The ASGI application without a server: what no HTTP request can reach."""

from typing import Any

import pytest
from tests.recollect_proxy.settings import proxy_settings
from tests.support.tables import table

from recollect.errors import ConfigurationError
from recollect_proxy.app import App
from recollect_proxy.web.asgi import Event

HANDSHAKE = {
    "type": "websocket",
    "http_version": "1.1",
    "raw_path": b"/v1/realtime",
    "query_string": b"",
    "headers": [(b"host", b"proxy.test")],
    "subprotocols": [],
}


@table("changed", [{}, {"raw_path": b"/realtime"}, {"headers": [(b"host", b"a"), (b"host", b"b")]}])
async def test_a_websocket_that_can_not_be_opened_is_closed_where_a_server_can_not_say_more(
    changed: dict[str, Any],
) -> None:
    sent: list[Event] = []

    async def send(event: Event) -> None:
        sent.append(event)

    async def receive() -> Event:
        return {"type": "websocket.connect"}

    await App(proxy_settings(), admin_token="t")(HANDSHAKE | changed, receive, send)

    assert [event["type"] for event in sent] == ["websocket.close"]


async def test_a_start_that_fails_says_why() -> None:
    sent: list[Event] = []

    async def send(event: Event) -> None:
        sent.append(event)

    async def receive() -> Event:
        return {"type": "lifespan.startup"}

    app = App(proxy_settings(database_url="nonsense"), admin_token="t")
    await app({"type": "lifespan"}, receive, send)

    assert [event["type"] for event in sent] == ["lifespan.startup.failed"]
    assert "can't be opened" in sent[0]["message"]


def test_a_token_that_can_be_guessed_is_refused_where_others_can_try() -> None:
    away = proxy_settings(host="0.0.0.0", trusted_networks="10.0.0.0/8")

    with pytest.raises(ConfigurationError, match="RECOLLECT_ADMIN_TOKEN"):
        App(away, admin_token="short")
    App(away, admin_token="0123456789" * 4)
    App(proxy_settings(), admin_token="short")
