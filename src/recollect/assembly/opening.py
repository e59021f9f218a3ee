"""Opens what an engine works with, and the engine over it. Never: what a setting means to a model."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import httpx
import structlog

from recollect.assembly.globals import keep_global_memories
from recollect.assembly.models import Models, make_embedder, make_models
from recollect.assembly.policy import make_policy
from recollect.embedders.cache import CachedEmbedder
from recollect.engine import Backends, Engine, system_clock
from recollect.errors import ConfigurationError, RecollectError, StoreError
from recollect.failures import place
from recollect.ports import Clock, Embedder, Spooled
from recollect.postgres import EmbeddedServer, Postgres, TemporaryFolder, open_postgres, start_embedded
from recollect.settings import NOWHERE, EngineSettings

log = structlog.get_logger(__name__)

_LOOK_SECONDS = 1.0
_AGAIN_SECONDS = 10.0


@asynccontextmanager
async def open_engine(
    settings: EngineSettings,
    *,
    upstream: str | None = None,
    clock: Clock = system_clock,
    spool: Spooled | None = None,
) -> AsyncIterator[Engine]:
    """Open an engine, form memories in the background while it is open, and close it.

    Args:
        settings: What it is made of.
        upstream: Base URL of the chat's own LLM, which extracts where no other is named.
        clock: Tells the engine the time.
        spool: What waits to be logged: it is erased with its users.

    Raises:
        ConfigurationError: The settings make no sense.
        StoreUnavailableError: The database can't be reached; trying again may help.
        EmbedderError: The embedder can't be loaded.
    """
    policy = make_policy(settings)
    async with open_backends(settings, upstream=upstream) as backends:
        engine = Engine(replace(backends, spool=spool), policy, clock=clock)
        await keep_global_memories(engine, settings.global_memories)
        forming = asyncio.create_task(engine.run())
        forming.add_done_callback(_tell_of_failure)
        try:
            yield engine
        finally:
            forming.cancel()
            with suppress(asyncio.CancelledError):
                await forming


@asynccontextmanager
async def open_backends(settings: EngineSettings, *, upstream: str | None = None) -> AsyncIterator[Backends]:
    """Open what an engine works with, and close it; nothing happens in the background meanwhile.

    Args and errors are those of ``open_engine``.
    """
    async with AsyncExitStack() as closing:
        client = await closing.enter_async_context(
            httpx.AsyncClient(timeout=settings.extraction_timeout_seconds, trust_env=False)
        )
        folders = await _folders(settings, closing)
        loading = asyncio.create_task(
            make_embedder(settings, client, cache_dir=folders.caches)
        )  # beside the database's start
        closing.push_async_callback(_unload, loading)
        try:
            postgres = await _open_store(settings, folders.database, closing)
        except StoreError:
            await asyncio.wait({loading})
            if isinstance(error := loading.exception(), ConfigurationError):
                raise error from None  # told at once, for the database's return would not mend it
            raise
        embedder = CachedEmbedder(
            await loading,
            size=settings.embedder_cache_size,
            ttl=timedelta(seconds=settings.embedder_cache_seconds),
        )
        closing.push_async_callback(embedder.aclose)
        models = make_models(settings, client, upstream)
        if models is not None:
            closing.push_async_callback(models.extractor.aclose)
        yield _backends(postgres, embedder, models)


def _backends(postgres: Postgres, embedder: CachedEmbedder, models: Models | None) -> Backends:
    return Backends(
        memories=postgres.memories,
        log=postgres.log,
        index=postgres.index,
        chats=postgres.chats,
        requests=postgres.requests,
        inbox=postgres.inbox,
        jobs=postgres.jobs,
        flags=postgres.flags,
        usage=postgres.usage,
        embedder=embedder,
        extractor=models.extractor if models else None,
        judge=models.judge if models else None,
        summarizer=models.summarizer if models else None,
        caches=(embedder,),
    )


def _tell_of_failure(forming: "asyncio.Task[None]") -> None:
    """Say at once that nothing is formed any more; only a bug ends formation while the engine is open."""
    if not forming.cancelled() and (error := forming.exception()) is not None:
        log.error("formation_stopped", error=type(error).__name__, place=place(error))


async def _unload(loading: asyncio.Task[Embedder]) -> None:
    """Give up loading the embedder, or close it if it was loaded."""
    loading.cancel()
    await asyncio.wait({loading})
    if not loading.cancelled() and loading.exception() is None:
        await loading.result().aclose()


@dataclass(frozen=True, slots=True)
class _Folders:
    """Where the embedded database is, and where what can be made again."""

    database: Path
    caches: Path


async def _folders(settings: EngineSettings, closing: AsyncExitStack) -> _Folders:
    """Return the data folder for both; in place of it, where nothing is to be kept, one that is removed in the end."""
    kept = settings.data_dir
    if not settings.in_memory:
        return _Folders(kept, kept)
    try:
        temporary = await asyncio.to_thread(TemporaryFolder)
    except OSError as error:
        raise ConfigurationError(
            f"The database in memory has no temporary folder: {error.strerror}. TMPDIR names another place."
        ) from error
    closing.push_async_callback(asyncio.to_thread, temporary.remove)
    return _Folders(temporary.path, temporary.path if kept == NOWHERE else kept)


async def _open_store(settings: EngineSettings, folder: Path, closing: AsyncExitStack) -> Postgres:
    if settings.database_url is not None and not settings.in_memory:
        dsn = settings.database_url.get_secret_value()
    else:
        server = await asyncio.to_thread(start_embedded, folder, durable=not settings.in_memory)
        closing.push_async_callback(asyncio.to_thread, server.stop)
        reviving = asyncio.create_task(_keep_running(server))
        closing.callback(reviving.cancel)
        dsn = server.dsn
    postgres = await open_postgres(
        dsn,
        pool_size=settings.pool_size,
        workers=settings.formation_workers,
        heartbeat=settings.job_heartbeat_seconds,
    )
    closing.push_async_callback(postgres.aclose)
    return postgres


async def _keep_running(server: EmbeddedServer) -> None:
    """Start the embedded server again whenever it dies: nobody else would."""
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        try:
            if await asyncio.to_thread(server.revive):
                log.warning("embedded_database_restarted")
        except (RecollectError, OSError) as error:
            log.warning("embedded_database_down", error=type(error).__name__, detail=str(error))
            await asyncio.sleep(_AGAIN_SECONDS)
