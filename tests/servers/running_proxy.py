"""The whole proxy, served on a free port, and a user's way of speaking through it."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote
from uuid import uuid4

import asyncpg
import pytest
from tests.scripted.upstream import Answer, Received, ScriptedUpstream, completion
from tests.support.raw_client import Fields, Response, fetch, request_bytes
from tests.support.waiting import until
from tests.support.watched_stores import Through

from recollect.assembly import lifecycle
from recollect.assembly.models_from_settings import load_embedder
from recollect.engine import Engine
from recollect.engine.background.formation_worker import FormationWorker
from recollect.model import STATEMENTS, Memory
from recollect.ports import Embedder
from recollect_proxy.app import App, LazyApplication
from recollect_proxy.serving.server import Server
from recollect_proxy.settings.proxy_settings import ProxySettings
from recollect_proxy.web.asgi import Receive, Scope, Send

ADMIN_TOKEN = "a long token of the administrator"
KEY = b"Bearer sk-very-secret-0123456789"

_PATIENCE_SECONDS = 30.0


_TO_BE_FORMED = "state = 'pending' AND coalesce(waits_for, 'outage') = 'outage'"


@dataclass(frozen=True)
class User:
    """Someone who chats."""

    id: str

    @property
    def known_as(self) -> str:
        """The id as the engine knows it."""
        return unquote(self.id)

    def headers(self, *, chat: str = "chat-1", extra: Fields = ()) -> list[tuple[bytes, bytes]]:
        """Return what this user's frontend sends with a chat request."""
        return [
            (b"Content-Type", b"application/json"),
            (b"Authorization", KEY),
            (b"X-OpenWebUI-User-Id", self.id.encode()),
            (b"X-OpenWebUI-Chat-Id", chat.encode()),
            *extra,
        ]


def somebody() -> User:
    """Return someone new."""
    return User(f"user-{uuid4().hex}")


@dataclass(frozen=True)
class RunningProxy:
    """A proxy that is served."""

    port: int
    app: App
    server: Server
    settings: ProxySettings
    database: "asyncpg.Pool[asyncpg.Record] | None"

    @property
    def engine(self) -> Engine:
        """The engine, which must be open."""
        engine = self.app.engine.engine
        assert engine is not None
        return engine

    async def fetch(
        self, method: bytes, target: bytes, headers: Fields = (), body: bytes | None = None
    ) -> Response:
        """Send one request and return what came back."""
        return await fetch(self.port, method, target, headers, body)

    async def say(
        self,
        user: User,
        said: str | Sequence[dict[str, Any]],
        *,
        chat: str = "chat-1",
        extra: Fields = (),
        **fields: Any,
    ) -> Response:
        """Send a user's chat request, and return the answer."""
        return await fetch(
            self.port, b"POST", CHAT, user.headers(chat=chat, extra=extra), chat_body(said, **fields)
        )

    async def api(
        self,
        method: bytes,
        path: str,
        body: dict[str, Any] | None = None,
        *,
        extra: Sequence[tuple[bytes, bytes]] = (),
    ) -> Response:
        """Ask the memory API, with further headers."""
        headers = [(b"Authorization", b"Bearer " + ADMIN_TOKEN.encode()), *extra]
        if body is None:
            return await self.fetch(method, b"/memory" + path.encode(), headers)
        headers.append((b"Content-Type", b"application/json"))
        return await self.fetch(method, b"/memory" + path.encode(), headers, json.dumps(body).encode())

    async def memories(self, user: User, *, at_least: int = 1) -> list[Memory]:
        """Wait until that many memories of the user are formed, and return all of them."""
        found: tuple[Memory, ...] = ()

        async def enough() -> bool:
            nonlocal found
            found = (await self.engine.page(user.known_as, limit=200)).memories
            return len(found) >= at_least

        await until(enough)
        return list(found)

    async def logged(self, user: User) -> list[tuple[str, str]]:
        """Wait until all that was to be remembered is logged, and return who of the user's chats said what."""
        await self.settle()
        rows = await self.rows(
            "SELECT role, content FROM recollect.messages WHERE user_id = $1 AND NOT alternate ORDER BY id",
            user.known_as,
        )
        return [(row["role"], row["content"]) for row in rows]

    async def formed(self, user: User) -> None:
        """Wait until nothing that the user said is still to be formed; what waits for more than the end of an outage is not."""
        await self.settle()

        async def none_waits() -> bool:
            return not await self.rows(
                f"SELECT FROM recollect.exchanges WHERE user_id = $1 AND {_TO_BE_FORMED}", user.known_as
            )

        await until(none_waits)

    async def all_formed(self) -> None:
        """Wait until nothing that anybody said is still to be formed."""
        await self.settle()

        async def none_waits() -> bool:
            return not await self.rows(f"SELECT FROM recollect.exchanges WHERE {_TO_BE_FORMED} LIMIT 1")

        await until(none_waits)

    async def statements(self, user: User) -> list[str]:
        """Return what the user's memories say once all they said is formed, what is kept verbatim left out."""
        await self.formed(user)
        page = await self.engine.page(user.known_as, limit=200)
        return sorted(memory.content for memory in page.memories if memory.kind in STATEMENTS)

    async def busy(self) -> None:
        """Wait until a request is under way."""
        await until(lambda: bool(self.server.server_state.tasks))

    async def settle(self) -> None:
        """Wait until no request is under way and all that was to be remembered is logged; fail if that takes too long."""
        await until(lambda: not self.server.server_state.tasks)
        async with asyncio.timeout(_PATIENCE_SECONDS):
            await self.app.engine.settle(2 * _PATIENCE_SECONDS)

    async def rows(self, query: str, *arguments: Any) -> list[asyncpg.Record]:
        """Return what the proxy's database answers."""
        assert self.database is not None
        return await self.database.fetch(query, *arguments)


@asynccontextmanager
async def running_proxy(settings: ProxySettings, *, forms: bool = True) -> AsyncIterator[RunningProxy]:
    """Serve a proxy until left; it is ready when its store was opened, or could not be, once.

    Args:
        settings: What it is told.
        forms: Whether what is said is formed in the background; else it waits in the store.
    """
    app = App(settings, admin_token=ADMIN_TOKEN)
    app._memory_api = _OnceAsked(app._memory_api)  # type: ignore[assignment]  # as much of one as the application needs
    ports: list[int] = []
    server = Server(app, settings, ready=ports.append)
    serving = asyncio.create_task(server._serve())
    try:
        with _opening(forms=forms):
            await until(lambda: bool(ports) or serving.done())
        assert ports, "the proxy did not start; its log says why"
        async with _looking_into(settings) as database:
            yield RunningProxy(ports[0], app, server, settings, database)
    finally:
        server.should_exit = True
        await serving


@contextmanager
def _opening(*, forms: bool) -> Iterator[None]:
    """What is opened meanwhile shares its local embedder with others: to load it is two thirds of a start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lifecycle, "load_embedder", _lend_embedder)
        if not forms:
            patch.setattr(FormationWorker, "run", _form_nothing)
        yield


async def _form_nothing(_worker: FormationWorker) -> None:
    await asyncio.Event().wait()


_loaded: list[Embedder] = []


async def _lend_embedder() -> Embedder:
    if not _loaded:
        _loaded.append(await load_embedder())
    lent: Embedder = _Lent(_loaded[0])
    return lent


class _Lent(Through):
    """An embedder that who is lent it does not close."""

    async def aclose(self) -> None:
        """Leave it to others."""


class _OnceAsked:
    """The memory API, that is built when it is asked for: it is half of a start, and most tests need none."""

    def __init__(self, memory_api: LazyApplication) -> None:
        self._memory_api = memory_api

    def start(self) -> None:
        """Build nothing yet."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._memory_api(scope, receive, send)


@asynccontextmanager
async def _looking_into(settings: ProxySettings) -> "AsyncIterator[asyncpg.Pool[asyncpg.Record] | None]":
    """Yield connections to a proxy's database, each made when it is first needed; None where it has its own."""
    if settings.database_url is None or settings.in_memory:
        yield None
        return
    dsn = settings.database_url.get_secret_value()
    async with asyncpg.create_pool(dsn, min_size=0, max_size=2) as database:
        yield database


CHAT = b"/v1/chat/completions"


def chat_body(said: str | Sequence[dict[str, Any]], **fields: Any) -> bytes:
    """Return the body of a chat request: of one message of the user's, or of these messages."""
    messages = [{"role": "user", "content": said}] if isinstance(said, str) else list(said)
    return json.dumps({"model": "scripted", "messages": messages} | fields).encode()


def chat_request(user: User, said: str, *, chat: str = "chat-1", **fields: Any) -> bytes:
    """Return a chat request as bytes, for a connection that a test holds itself."""
    return request_bytes(b"POST", CHAT, user.headers(chat=chat), chat_body(said, **fields))


_WORDS = re.compile(r"^Message \d+, [^\n]*:\n(=+)\n(.*?)\n\1$", re.MULTILINE | re.DOTALL)


def words_shown(request: Received) -> str:
    """Return the user's words that an extraction request shows, of the last message; "" of any other request."""
    shown: str = request.json["messages"][-1]["content"]
    found = _WORDS.findall(shown)
    return found[-1][1] if found else ""


def is_extraction(request: Received) -> bool:
    """Whether a request is for memories: no person's asks for an answer of a form."""
    return "response_format" in request.json


def extract_statements(request: Received) -> Answer:
    """Answer an extraction request: each message that is no question is a fact, word for word."""
    said: list[str] = [words for _, words in _WORDS.findall(request.json["messages"][-1]["content"])]
    found = [extracted(words) for words in said if words and not words.endswith("?")]
    return completion(json.dumps({"memories": found}))


def extracted(words: str) -> dict[str, Any]:
    """Return a fact as an extraction model tells it."""
    return {
        "evidence": words,
        "content": words,
        "kind": "fact",
        "importance": 0.7,
        "confidence": 1.0,
        "relation": "new",
        "about": None,
        "event_date": None,
        "use": "topic",
        "topics": [words],
        "questions": [],
    }


def extracting_model() -> ScriptedUpstream:
    """Return a server whose model takes every statement for a fact."""
    return ScriptedUpstream(extract_statements)
