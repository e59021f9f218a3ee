"""Opens and closes an engine and its backends, or runs a worker with them; warms them up, so that the first chat waits for no expression, connection or model.

It does not know the settings of models. A warm-up writes nothing, asks no server of others, and never fails an opening.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import fields, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import msgspec
import structlog
from pydantic import SecretStr

from recollect.assembly.data_folder import file_of_global_memories, read_global_memories
from recollect.assembly.earlier_embedders import LiveGenerations, MakeEmbedder, todays
from recollect.assembly.models_from_settings import (
    AbsentEmbedder,
    load_embedder,
    make_earlier_embedder,
    make_log_embedder,
    make_models,
)
from recollect.assembly.policy_from_settings import make_policy
from recollect.composition.quoting import excerpt, focus_of, quoted
from recollect.engine import Backends, Engine, system_clock
from recollect.engine.background.formation_worker import AbsentWorker
from recollect.errors import ConfigurationError, EmbedderError, RecollectError, StoreError, raised_at
from recollect.formation.analyzed_turn import read_commands
from recollect.model import Kind, Memory, Recollection, Scope, Source, Turn
from recollect.models.embedders.cache import EMBEDDINGS, CachedEmbedder
from recollect.ports import Clock, Spooled
from recollect.recall import PromptTexts, SelectionContext, SelectionLimits, select
from recollect.recall.question import read_query
from recollect.runtime.deadline import within
from recollect.runtime.logs import configured_level
from recollect.settings.engine_settings import NOWHERE, EngineSettings, WorkerPlace
from recollect.settings.upstream_policies import UpstreamSettings, plain_upstream
from recollect.store import (
    EmbeddedServer,
    Postgres,
    TemporaryFolder,
    is_used,
    open_postgres,
    start_embedded,
)
from recollect.store.jobs import HEARTBEAT_SECONDS, WORKERS
from recollect.text.attribution.thoughts import without_thoughts
from recollect.text.memory_requests import read_memory_request
from recollect.text.tokens import estimate_tokens
from recollect.webhook import Webhook
from recollect.worker.supervisor import Start, WorkerProcess

log = structlog.get_logger(__name__)

_REQUEST_SECONDS = 120.0  # for an embedder behind HTTP; models have their own
_MIB = 1024 * 1024
_ALONE = (
    "No proxy uses this embedded database now. Give the worker the proxies' RECOLLECT_DATABASE_URL; "
    "if they have none, the RECOLLECT_DATA_DIR of the one on this machine."
)

_PATIENCE_SECONDS = 10.0
"""An empty database takes a second; a migration of much, another process's too, may take an hour."""

_LOOK_SECONDS = 1.0
_AGAIN_SECONDS = 10.0  # a full disk does not empty within a second


@asynccontextmanager
async def open_engine(
    settings: EngineSettings,
    *,
    upstream: str | None = None,
    clock: Clock = system_clock,
    spool: Spooled | None = None,
    goes_on: asyncio.Event | None = None,
    server: Awaitable[EmbeddedServer] | None = None,
) -> AsyncIterator[Engine]:
    """Open an engine, form memories in the background while it is open, and close it.

    ``upstream`` is the base URL of the chat's own LLM, which extracts where no other is named. The entries in the ``spool``
    are erased with their user. ``goes_on`` is set when the store has been waited for too long for a start to wait with it. If the
    embedded ``server`` is being started already, this stops it.

    Raises:
        ConfigurationError: The settings make no sense.
        StoreUnavailableError: The database can't be reached; trying again may help.
        EmbedderError: The embedder can't be loaded.
    """
    policy, patience = make_policy(settings, upstream=upstream), _StorePatience(goes_on)
    async with _open(settings, upstream, patience=patience, server=server) as (backends, start):
        await asyncio.gather(asyncio.to_thread(_warm_up), warm_up_search(backends))
        worker = _worker(settings, start, yields=policy.yields.to_chats)
        engine = Engine(replace(backends, spool=spool), policy, clock=clock, worker=worker)
        with patience.waiting():
            path = file_of_global_memories(settings)
            await engine.keep_globals(None if path is None else read_global_memories(path))
        working = asyncio.create_task(engine.run())
        working.add_done_callback(_tell_of_failure)
        try:
            yield engine
        finally:
            working.cancel()
            with suppress(asyncio.CancelledError):  # ours; its store is closed only after it
                await working


async def run_worker(settings: EngineSettings, *, upstream: str | None = None) -> None:
    """Keep a worker process running until cancelled; this process answers no chats.

    Args and errors are those of ``open_engine``.
    """
    if settings.database_url is None and not await asyncio.to_thread(_is_shared, settings.data_dir):
        log.warning("worker_started_without_proxy", folder=str(settings.data_dir), remedy=_ALONE)
    async with _open(settings, upstream) as (_, start):
        await WorkerProcess(msgspec.structs.replace(start, is_sent_chats=False)).run()


def _is_shared(folder: Path) -> bool:
    """Return whether another process uses the embedded database."""
    try:
        return is_used(folder)
    except OSError:
        return True  # opening the folder reports the fault


def _worker(settings: EngineSettings, start: Start, *, yields: bool) -> WorkerProcess | AbsentWorker | None:
    """Return the worker that forms memories in the background; None: this process does."""
    if settings.worker is WorkerPlace.WITHIN:
        return None
    return AbsentWorker() if settings.worker is WorkerPlace.ELSEWHERE else WorkerProcess(start, yields=yields)


@asynccontextmanager
async def open_backends(
    settings: EngineSettings, *, upstream: str | None = None, lives: bool = False
) -> AsyncIterator[Backends]:
    """Open the backends of an engine, and close them; nothing is formed in the background meanwhile.

    Args and errors are those of ``open_engine``; ``lives`` says whether others are to know which embedders it uses: a server
    tells them, a command does not.
    """
    async with _open(settings, upstream, lives=lives) as (backends, _):
        yield backends


@asynccontextmanager
async def open_unembedded_backends(settings: EngineSettings) -> AsyncIterator[Backends]:
    """Open the backends without any model, and close them. Errors are those of ``open_engine``."""
    async with AsyncExitStack() as closing:
        database, _ = await _folders(settings, closing)
        dsn = await open_server(settings, database, closing)
        postgres = await _open_store(settings, dsn, closing)
        yield _backends(postgres, 2 * [CachedEmbedder(AbsentEmbedder(), size=1)])


@asynccontextmanager
async def _open(
    settings: EngineSettings,
    upstream: str | None,
    *,
    lives: bool = True,
    patience: "_StorePatience | None" = None,
    server: Awaitable[EmbeddedServer] | None = None,
) -> AsyncIterator[tuple[Backends, Start]]:
    """Open the backends of an engine; also yield the first message to its worker process."""
    patience = patience or _StorePatience()
    async with AsyncExitStack() as closing:
        client = await closing.enter_async_context(
            httpx.AsyncClient(transport=LazyTransport(), timeout=_REQUEST_SECONDS, trust_env=False)
        )
        database, data = await _folders(settings, closing)
        # It goes on during the database's start.
        loading = asyncio.create_task(_load_embedders(settings, client))
        closing.push_async_callback(_unload, loading)
        try:
            dsn = await open_server(settings, database, closing, server)
            with patience.waiting():
                postgres = await _open_store(settings, dsn, closing)
        except StoreError:
            await asyncio.wait({loading})
            if isinstance(error := loading.exception(), ConfigurationError):
                raise error from None  # at once, for the database's return would not mend it
            raise
        backends = replace(_backends(postgres, await loading), webhook=_webhook(settings, client))
        if lives:
            make = partial(make_earlier_embedder, settings, client)
            with patience.waiting():
                backends = await _with_generations(backends, settings, make, closing)
        models = make_models(settings, client, upstream)
        if models is not None:
            closing.push_async_callback(models.extractor.aclose)
            backends = replace(backends, **{each.name: getattr(models, each.name) for each in fields(models)})
        yield backends, _start(settings, data, dsn, upstream)


async def _with_generations(
    backends: Backends, settings: EngineSettings, make: MakeEmbedder, closing: AsyncExitStack
) -> Backends:
    """Return backends that know the embedders before today's, and keep up with them until they are closed."""
    own = todays(settings, backends.embedder, backends.log_embedder)
    generations = LiveGenerations(backends.store.generations, own, backends.embedder, make)
    closing.push_async_callback(generations.aclose)
    await generations.look()
    looking = asyncio.create_task(generations.keep_looking())
    closing.callback(looking.cancel)
    return replace(backends, generations=generations, caches=(*backends.caches, generations))


def _webhook(settings: EngineSettings, client: httpx.AsyncClient) -> Webhook | None:
    if settings.webhook_url is None:
        return None
    secret = "" if settings.webhook_secret is None else settings.webhook_secret.get_secret_value()
    return Webhook(settings.webhook_url, secret, client, with_text=settings.webhook_text)


def _backends(postgres: Postgres, embedders: Sequence[CachedEmbedder]) -> Backends:
    embedder, log_embedder = embedders
    return Backends(
        postgres,
        embedder=embedder,
        log_embedder=log_embedder,
        caches=tuple(dict.fromkeys(embedders)),
    )


def _start(settings: EngineSettings, data: Path, dsn: str, upstream: str | None) -> Start:
    """Return a worker's first message: the same settings over the same database, which it does not start again."""
    given = {name: _as_json(getattr(settings, name)) for name in EngineSettings.model_fields}
    return Start(given | {"database_url": dsn, "data_dir": str(data)}, upstream, configured_level())


def _as_json(value: object) -> object:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, tuple):
        return [plain_upstream(each) if isinstance(each, UpstreamSettings) else each for each in value]
    return str(value) if isinstance(value, Path) else value


def _tell_of_failure(forming: "asyncio.Task[None]") -> None:
    """Log at once that formation stopped; only a bug ends it while the engine is open."""
    if not forming.cancelled() and (error := forming.exception()) is not None:
        log.error("formation_stopped", error=type(error).__name__, raised_at=raised_at(error))


async def _load_embedders(settings: EngineSettings, client: httpx.AsyncClient) -> Sequence[CachedEmbedder]:
    """Return the embedders of statements and of the log, with a cache each; twice the same if they are one."""
    of_log = make_log_embedder(settings, client)
    try:
        loaded = await load_embedder()
    except BaseException:
        if of_log is not None:
            await of_log.aclose()
        raise
    size = EMBEDDINGS if settings.embedder_cache_size is None else settings.embedder_cache_size
    embedder = CachedEmbedder(loaded, size=size)
    if of_log is None:
        return [embedder, embedder]
    return [embedder, CachedEmbedder(of_log, size=size)]


async def _unload(loading: asyncio.Task[Sequence[CachedEmbedder]]) -> None:
    """Cancel the loading of the embedders, or close them if they are loaded."""
    loading.cancel()
    await asyncio.wait({loading})
    if not loading.cancelled() and loading.exception() is None:
        for embedder in dict.fromkeys(loading.result()):
            await embedder.aclose()


async def _folders(settings: EngineSettings, closing: AsyncExitStack) -> tuple[Path, Path]:
    """Return the folders of the database and of a worker: the data folder, or a temporary one for a database in memory."""
    kept = settings.data_dir
    if not settings.in_memory:
        return kept, kept
    try:
        temporary = await asyncio.to_thread(TemporaryFolder)
    except OSError as error:
        raise ConfigurationError(
            f"The database in memory has no temporary folder: {error.strerror}. TMPDIR names another place."
        ) from error
    closing.push_async_callback(asyncio.to_thread, temporary.remove)
    return temporary.path, temporary.path if kept == NOWHERE else kept


async def open_server(
    settings: EngineSettings,
    folder: Path,
    closing: AsyncExitStack,
    starting: Awaitable[EmbeddedServer] | None = None,
) -> str:
    """Return how to connect to the database; the embedded one is started, unless it is being started already."""
    if settings.database_url is not None and not settings.in_memory:
        return settings.database_url.get_secret_value()
    if starting is None:
        starting = asyncio.to_thread(start_embedded, folder, durable=not settings.in_memory)
    server = await starting
    closing.push_async_callback(asyncio.to_thread, server.stop)
    reviving = asyncio.create_task(_keep_running(server))
    closing.callback(reviving.cancel)
    return server.dsn


async def _open_store(settings: EngineSettings, dsn: str, closing: AsyncExitStack) -> Postgres:
    postgres = await open_postgres(
        dsn,
        workers=settings.formation_workers or WORKERS,
        heartbeat=settings.job_heartbeat_seconds or HEARTBEAT_SECONDS,
        cache_bytes=settings.memory_cache_mb * _MIB,
    )
    closing.push_async_callback(postgres.aclose)
    return postgres


async def _keep_running(server: EmbeddedServer) -> None:
    """Restart the embedded server whenever it dies; nothing else would."""
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        try:
            if await asyncio.to_thread(server.revive):
                log.warning("embedded_database_restarted")
        except (RecollectError, OSError) as error:
            log.warning("embedded_database_failed", error=type(error).__name__, detail=str(error))
            await asyncio.sleep(_AGAIN_SECONDS)


class _StorePatience:
    """Warns that the store is late, while its caller keeps waiting. All waits of a start share one time limit.

    With the warning it sets ``goes_on``, so that the start continues without the store.
    """

    def __init__(self, goes_on: asyncio.Event | None = None) -> None:
        self._goes_on = goes_on
        self._left = _PATIENCE_SECONDS

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Wait for the store in the body."""
        loop = asyncio.get_running_loop()
        began, late = loop.time(), loop.call_later(self._left, self._warn)
        try:
            yield
        finally:
            late.cancel()
            self._left = max(0.0, self._left - (loop.time() - began))

    def _warn(self) -> None:
        if self._goes_on is None or not self._goes_on.is_set():
            why = "it is slow, or its schema is being changed"
            log.warning("store_delayed", waited_seconds=_PATIENCE_SECONDS, reason=why)
        if self._goes_on is not None:
            self._goes_on.set()


class LazyTransport(httpx.AsyncBaseTransport):
    """Sends requests as httpx's own transport does, which is made with the first."""

    def __init__(self) -> None:
        # To read the trusted authorities takes 40 ms of a start.
        self._made: httpx.AsyncHTTPTransport | None = None

    async def send(self, request: httpx.Request) -> httpx.Response:
        """Send a request; raise httpx's own errors."""
        if self._made is None:
            self._made = httpx.AsyncHTTPTransport(trust_env=False)
        return await self._made.handle_async_request(request)

    handle_async_request = send  # httpx's name of it

    async def aclose(self) -> None:
        """Close its connections."""
        if self._made is not None:
            await self._made.aclose()


_ASKED = "Where did I live in May 2024, when my sister Anna moved to the river? I don't remember the address."
_ASKED_AT = datetime(2026, 1, 1, tzinfo=UTC)
_SEARCHED = "What is my dog called?"
_SEARCHES_AT_ONCE = 5
"""Connections in use at a time: a recall's for the words, the chat, the standing part and the note of the turn before, and that
of the look for earlier embeddings."""

_WARM_UP_SECONDS = 5.0
"""How long an opening waits for it at most."""


def _warm_up() -> None:
    """Read a turn, select a memory and compose a block; this takes some tenths of a second of processor time."""
    read_query(Turn(Scope("", ""), _ASKED, "", _ASKED_AT, ""))
    for text in (_ASKED, "Forget number 2."):
        read_memory_request(text)
        read_commands(text)
    without_thoughts("<think>It is by the river.</think> You lived by the river.")
    memory = Memory(UUID(int=0), "", Kind.FACT, Source.EXTRACTED, _ASKED, 0.5, _ASKED_AT, _ASKED_AT)
    around = SelectionContext("", asks_for_chats=False, prompt=PromptTexts([_ASKED]))
    select([Recollection(memory, 0.5)], around, SelectionLimits(), relevant=True)
    quoted(excerpt(_ASKED, limit=10, count=estimate_tokens, focus=focus_of(_ASKED)))


async def warm_up_search(backends: Backends) -> None:
    """Search for a user who does not exist, over several connections at once; never raises."""
    # A connection to Postgres takes 10 to 50 milliseconds to open, and several times that where the machine is busy. The log's
    # embedder is not asked: it may be a server that takes money.
    try:
        await within(_WARM_UP_SECONDS, _search_at_once(backends, Scope(str(uuid4()), str(uuid4()))))
    except (TimeoutError, StoreError, EmbedderError) as error:
        log.info("search_warm_up_failed", error=type(error).__name__, detail=str(error))


async def _search_at_once(backends: Backends, nobody: Scope) -> None:
    async def search() -> None:
        turn = Turn(nobody, _SEARCHED, "", datetime.now(UTC), "")
        await backends.store.chats.chat(nobody, exchanges=1, turn=turn)
        await backends.store.snapshots.get(nobody.user_id)
        backends.store.snapshots.forget(nobody.user_id)

    question = backends.embedder.embed_question(_SEARCHED)
    await asyncio.gather(question, *(search() for _ in range(_SEARCHES_AT_ONCE)))
