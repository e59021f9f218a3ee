"""The Memory API on a real socket, for tests. Never: a test."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tests.raw_client import Response, fetch
from tests.recollect.engines import engine_over as engine_in_memory

from recollect.engine import Backends, Engine, Policy
from recollect.errors import StoreUnavailableError
from recollect.live_engine import LiveEngine
from recollect.ports import Embedder
from recollect.postgres import Postgres
from recollect.testing import InMemoryStore, WordEmbedder
from recollect_proxy.memory_api import memory_api
from recollect_proxy.temporary import serve_upstream

TOKEN = "a long admin token"
SECRET = "the-secret-of-ada"
"""What no answer may repeat."""


@dataclass(frozen=True)
class Api:
    """A served Memory API.

    Attributes:
        port: Where on the loopback.
        engine: Through which it works.
    """

    port: int
    engine: LiveEngine

    async def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        raw: bytes | None = None,
        headers: list[tuple[bytes, bytes]] | None = None,
    ) -> Response:
        """Send a request with the token, its target exactly as given, and return the answer."""
        sent = json.dumps(body).encode() if body is not None else raw
        if headers is None:
            headers = [(b"Authorization", f"Bearer {TOKEN}".encode())]
        return await fetch(self.port, method.encode(), path.encode(), headers, sent)


def engine_over(store: InMemoryStore | Postgres, embedder: Embedder | None = None) -> Engine:
    """Return an engine over ``store``."""
    embedder = embedder or WordEmbedder()
    if isinstance(store, InMemoryStore):
        return engine_in_memory(store, Policy(), embedder=embedder)
    backends = Backends(
        memories=store.memories,
        log=store.log,
        index=store.index,
        chats=store.chats,
        requests=store.requests,
        inbox=store.inbox,
        jobs=store.jobs,
        flags=store.flags,
        usage=store.usage,
        embedder=embedder,
    )
    return Engine(backends, Policy())


def live(engine: Engine | None) -> LiveEngine:
    """Return what keeps ``engine`` open once started; None: its database is away."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Engine]:
        if engine is None:
            raise StoreUnavailableError
        yield engine

    return LiveEngine(opened)


@asynccontextmanager
async def serve(engine: Engine | None, *, metrics_public: bool = False) -> AsyncIterator[Api]:
    """Serve the Memory API over ``engine``; None: over one whose database is away."""
    keeper = live(engine)
    await keeper.start()
    try:
        application = memory_api(keeper, admin_token=TOKEN, metrics_public=metrics_public)
        async with serve_upstream(application) as origin:
            yield Api(int(origin.rpartition(":")[2]), keeper)
    finally:
        await keeper.aclose()


def assert_error(response: Response, status: int, code: str, field: str | None = None) -> str:
    """Check the shape, and return the message."""
    assert response.status == status, response.body
    assert response.header(b"content-type") == b"application/json"
    assert response.header(b"cache-control") == b"no-store"
    assert list(response.json) == ["error"]
    assert set(response.json["error"]) == {"code", "message", "field"}
    assert response.json["error"]["code"] == code
    assert response.json["error"]["field"] == field
    message: str = response.json["error"]["message"]
    assert message.endswith(".")
    assert SECRET not in response.body.decode()
    return message
