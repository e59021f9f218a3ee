"""The ASGI application without a server: what no HTTP request can reach."""

from tests.recollect_proxy.settings import proxy_settings

from recollect_proxy.app import App
from recollect_proxy.asgi import Event


async def test_a_websocket_is_closed() -> None:
    sent: list[Event] = []

    async def send(event: Event) -> None:
        sent.append(event)

    async def receive() -> Event:
        return {"type": "websocket.connect"}

    await App(proxy_settings(), admin_token="t")({"type": "websocket", "path": "/v1/realtime"}, receive, send)

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
