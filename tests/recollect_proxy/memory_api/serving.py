"""The Memory API on a real socket, for tests."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NoReturn
from urllib.parse import quote
from uuid import UUID

from tests.scripted.models import WordEmbedder
from tests.support.notes import note_request
from tests.support.people import Person, person
from tests.support.raw_client import Fields, Response, fetch
from tests.support.stores import Store
from uuid_utils.compat import uuid7

from recollect.engine import Backends, Engine, Policy, system_clock
from recollect.engine.live.live_engine import LiveEngine
from recollect.engine.turns.explain import request_record
from recollect.model import RequestRecord, SearchPath, Turn, TurnNotes
from recollect.ports import Embedder
from recollect.recall import Reach
from recollect.store import Postgres
from recollect_proxy.access.authentication import Authentication
from recollect_proxy.access.failed_attempts import FailedAttempts
from recollect_proxy.memory_api import MemoryApi
from recollect_proxy.serving.ephemeral_server import serve_upstream

TOKEN = "a long admin token of 0123456789 characters"
SECRET = "the-secret-of-anna"
"""A text that no answer may repeat."""


def _never() -> NoReturn:
    raise AssertionError("it is given, not opened")


class GivenEngine(LiveEngine):
    """An engine that is open as a test gives it, and away while it gives none."""

    def __init__(self, given: Engine | None) -> None:
        super().__init__(_never)
        self.given = given

    @property
    def engine(self) -> Engine | None:
        return self.given


@dataclass(frozen=True, kw_only=True)
class Served:
    """A server on a port, over an engine, and two people known to one test only: Anna owns its memories by default."""

    port: int
    live: GivenEngine
    anna: Person = field(default_factory=lambda: person("anna"))
    ben: Person = field(default_factory=lambda: person("ben"))

    @property
    def engine(self) -> Engine:
        assert self.live.engine is not None
        return self.live.engine

    @contextmanager
    def over(self, engine: Engine | None) -> Iterator[None]:
        """Have it work through another engine; None: through one whose database is away."""
        before = self.live.given
        self.live.given = engine
        try:
            yield
        finally:
            self.live.given = before


@dataclass(frozen=True, kw_only=True)
class Api(Served):
    """A served Memory API, and what knows its tokens and counts wrong ones."""

    authentication: Authentication

    def forget_failures(self) -> None:
        self.authentication.failed = FailedAttempts()

    @property
    def user(self) -> str:
        return path_of(self.anna)

    @property
    def memories(self) -> str:
        return f"{self.user}/memories"

    async def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        raw: bytes | None = None,
        headers: Fields | None = None,
        also: Fields = (),
    ) -> Response:
        """Send a request with the token, or with other headers, its target exactly as given, and return the answer."""
        sent = json.dumps(body).encode() if body is not None else raw
        all_of_them = [*(bearer(TOKEN) if headers is None else headers), *also]
        return await fetch(self.port, method.encode(), path.encode(), all_of_them, sent)

    async def write(self, content: str, user_id: str | None = None, **more: Any) -> Any:
        """Write a memory, Anna's unless told otherwise, and return it as it was answered."""
        path = f"{path_of(user_id or self.anna)}/memories"
        response = await self.call("POST", path, {"content": content, **more})
        assert response.status == 201, response.body
        return response.json

    async def contents(self, user_id: str | None = None) -> list[str]:
        response = await self.call("GET", f"{path_of(user_id or self.anna)}/memories")
        assert response.status == 200, response.body
        return [each["content"] for each in response.json["memories"]]


def bearer(token: str) -> list[tuple[bytes, bytes]]:
    return [(b"Authorization", f"Bearer {token}".encode())]


async def recalled(engine: Engine, turn: Turn) -> UUID:
    """Recall for a turn as a proxy does, and return the request's id."""
    prepared, request_id = await engine.prepare(turn), uuid7()
    record = request_record(prepared, turn, request_id=request_id, at=turn.at, api="completions")
    await engine.write_notes(turn, TurnNotes(request=record))
    return request_id


async def note_recall(
    store: Store, *, days_ago: float = 0, user: Person | None = None, **changed: Any
) -> None:
    """Keep the record of a recall of Anna's, or of somebody else's, of so many days ago, with every figure set."""
    measured: dict[str, Any] = {"found_by": SearchPath.DENSE, "budget": 1000, "block_tokens": 100}
    measured |= {"given_by": {"statements": 2}, "marked": False, "complains": False, "lexical_hits": 3}
    measured |= {"milliseconds": 20.0, "top_scores": (0.8, 0.4)}
    at, scope = system_clock() - timedelta(days=days_ago), (user or store.anna).scope
    record = RequestRecord(uuid7(), at, scope, "completions/stable", "m", **(measured | changed))
    await note_request(store.log, record)


def path_of(user_id: str) -> str:
    return f"/memory/users/{quote(user_id, safe='')}"


def engine_over(store: Postgres, embedder: Embedder | None = None, policy: Policy | None = None) -> Engine:
    """Return an engine over ``store``, that tells the time as any other."""
    return Engine(
        Backends(store, embedder=embedder or WordEmbedder(), log_embedder=embedder or WordEmbedder()),
        policy or Policy(),
    )


def unhurried(store: Postgres) -> Engine:
    """Return an engine over ``store`` whose recall is never late, however busy the machine is."""
    reach = Reach(embedding_seconds=30.0, log_embedding_seconds=30.0)
    return Engine(
        Backends(store, embedder=WordEmbedder(), log_embedder=WordEmbedder()),
        Policy(deadline=60.0, reach=reach),
    )


@asynccontextmanager
async def serve(
    engine: Engine | None, *, metrics_public: bool = False, admin_token: str = TOKEN
) -> AsyncIterator[Api]:
    """Serve the Memory API over ``engine``; None: over one whose database is away."""
    live = GivenEngine(engine)
    authentication = Authentication(admin_token, system_clock)
    application = MemoryApi(live, authentication=authentication, metrics_public=metrics_public)
    async with serve_upstream(application) as origin:
        yield Api(port=int(origin.rpartition(":")[2]), live=live, authentication=authentication)


def assert_error(response: Response, status: int, code: str, field: str | None = None) -> str:
    """Check the shape, and return the message."""
    assert response.status == status, response.body
    assert response.header(b"content-type") == b"application/problem+json"
    assert response.header(b"cache-control") == b"no-store"
    message: str = response.json["detail"]
    title = code.replace("_", " ").capitalize()
    told = {"type": f"/memory/docs#error-{code}", "title": title, "status": status}
    told |= {"detail": message, "error": {"code": code, "message": message, "field": field}}
    assert {name: value for name, value in response.json.items() if name != "errors"} == told
    assert message.endswith(".")
    assert SECRET not in response.body.decode()
    return message
