"""The composition root: the only importer of adapters, for every host."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from functools import partial

import httpx
import structlog

from recollect.composition import Bounds
from recollect.embedders import parse_embedder_name
from recollect.embedders.cache import CachedEmbedder
from recollect.embedders.local import LocalEmbedder
from recollect.embedders.openai import OpenAIEmbedder
from recollect.engine import Backends, Engine, Policy, system_clock
from recollect.errors import ConfigurationError, StoreError
from recollect.extractors import OpenAIExtractor
from recollect.failures import place
from recollect.indexing import Embedded
from recollect.live_engine import LiveEngine
from recollect.model import Strategy
from recollect.ports import Clock, Embedder, Extractor
from recollect.postgres import Postgres, open_postgres, start_embedded
from recollect.retrieval import Gate, Reach, Selecting, Weights
from recollect.settings import EngineSettings, Formation

log = structlog.get_logger(__name__)


@asynccontextmanager
async def open_engine(
    settings: EngineSettings, *, upstream: str | None = None, clock: Clock = system_clock
) -> AsyncIterator[Engine]:
    """Open an engine, form memories in the background while it is open, and close it.

    Args:
        settings: What it is made of.
        upstream: Base URL of the chat's own LLM, which extracts where no other is named.
        clock: Tells the engine the time.

    Raises:
        ConfigurationError: The settings make no sense.
        StoreUnavailableError: The database can't be reached; trying again may help.
        EmbedderError: The embedder can't be loaded.
    """
    policy = make_policy(settings)
    async with open_backends(settings, upstream=upstream) as backends:
        engine = Engine(backends, policy, clock=clock)
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
        loading = asyncio.create_task(make_embedder(settings, client))  # beside the database's start
        closing.push_async_callback(_unload, loading)
        try:
            postgres = await _open_store(settings, closing)
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
        yield _backends(postgres, embedder, make_extractor(settings, client, upstream))


def _backends(postgres: Postgres, embedder: CachedEmbedder, extractor: Extractor | None) -> Backends:
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
        extractor=extractor,
        caches=(embedder,),
    )


def _tell_of_failure(forming: "asyncio.Task[None]") -> None:
    """Say at once that nothing is formed any more; only a bug ends formation while the engine is open."""
    if not forming.cancelled() and (error := forming.exception()) is not None:
        log.error("formation_stopped", error=type(error).__name__, place=place(error))


async def make_embedder(settings: EngineSettings, client: httpx.AsyncClient) -> Embedder:
    """Return the embedder that the settings name.

    Raises:
        ConfigurationError: The name or a setting it needs makes no sense.
        EmbedderError: It can't be loaded.
    """
    scheme, model = parse_embedder_name(settings.embedder)
    if scheme == "local":
        local = LocalEmbedder(
            model, cache_dir=settings.data_dir / "models", precision=settings.embedder_precision.value
        )
        await local.load()
        return local
    if settings.embedder_base_url is None:
        raise ConfigurationError(
            f"RECOLLECT_EMBEDDER={settings.embedder} needs RECOLLECT_EMBEDDER_BASE_URL, as https://host/v1."
        )
    key = settings.embedder_api_key
    return OpenAIEmbedder(
        model,
        client=client,
        base_url=settings.embedder_base_url,
        api_key=key.get_secret_value() if key else None,
    )


def make_extractor(
    settings: EngineSettings, client: httpx.AsyncClient, upstream: str | None
) -> Extractor | None:
    """Return the extractor that the settings name; None where there is no model to ask.

    A request's own credential goes to the chat's own upstream alone, never to another server.
    """
    base_url = settings.extraction_base_url or upstream
    if base_url is None or settings.formation is not Formation.EXTRACT:
        return None
    is_upstream = upstream is not None and base_url.rstrip("/") == upstream.rstrip("/")
    if not (is_upstream or settings.extraction_model):
        raise ConfigurationError(
            "RECOLLECT_EXTRACTION_BASE_URL is not the chat's own LLM, so RECOLLECT_EXTRACTION_MODEL "
            "must name a model of it."
        )
    key = settings.extraction_api_key
    return OpenAIExtractor(
        client,
        base_url=base_url,
        model=settings.extraction_model,
        api_key=key.get_secret_value() if key else None,
        is_upstream=is_upstream,
        timeout=timedelta(seconds=settings.extraction_timeout_seconds),
    )


def make_policy(settings: EngineSettings) -> Policy:
    """Return how the engine is to behave.

    Raises:
        ConfigurationError: A weight is named that there is not.
    """
    strategies = {Formation.EXTRACT: Strategy.EXTRACT, Formation.QA_TURN: Strategy.QA_TURN}
    return Policy(
        deadline=settings.recall_deadline_ms / 1000,
        reach=Reach(
            limit=settings.recall_candidates,
            lexical=settings.hybrid,
            log=settings.chunking,
            verbatim=settings.embed is not Embedded.ALL,
            embedding_seconds=settings.recall_embedding_ms / 1000,
            lexical_seconds=settings.recall_lexical_ms / 1000,
        ),
        weights=_make_weights(settings),
        gate=_make_gate(settings),
        selecting=Selecting(limit=settings.recall_limit, cliff=settings.recall_cliff),
        bounds=Bounds(
            placement=settings.placement,
            memory_tokens=settings.memory_tokens,
            later_tokens=settings.later_memory_tokens,
            chat_memory_tokens=max(settings.chat_memory_tokens, settings.memory_tokens),
            history_tokens=settings.history_tokens,
        ),
        embedded=settings.embed,
        strategy=strategies.get(settings.formation),
        minimum_importance=settings.minimum_importance,
        tries=settings.formation_tries,
        log_text=settings.log_memory_text,
    )


def _make_weights(settings: EngineSettings) -> Weights:
    known = [field.name for field in fields(Weights)]
    if unknown := sorted(settings.recall_weights.keys() - set(known)):
        raise ConfigurationError(
            f"RECOLLECT_RECALL_WEIGHTS: there is no weight {', '.join(unknown)}, only {', '.join(known)}."
        )
    return replace(Weights(), **settings.recall_weights)


def _make_gate(settings: EngineSettings) -> Gate:
    gate = Gate(cosine=settings.recall_gate)
    threshold = settings.recall_gate_threshold
    return gate if threshold is None else replace(gate, threshold=threshold)


async def _unload(loading: asyncio.Task[Embedder]) -> None:
    """Give up loading the embedder, or close it if it was loaded."""
    loading.cancel()
    await asyncio.wait({loading})
    if not loading.cancelled() and loading.exception() is None:
        await loading.result().aclose()


async def _open_store(settings: EngineSettings, closing: AsyncExitStack) -> Postgres:
    if settings.database_url is not None:
        dsn = settings.database_url.get_secret_value()
    else:
        server = await asyncio.to_thread(start_embedded, settings.data_dir)
        closing.push_async_callback(asyncio.to_thread, server.stop)
        dsn = server.dsn
    postgres = await open_postgres(
        dsn,
        pool_size=settings.pool_size,
        workers=settings.formation_workers,
        heartbeat=settings.job_heartbeat_seconds,
    )
    closing.push_async_callback(postgres.aclose)
    return postgres


@dataclass
class _Shared:
    settings: EngineSettings
    loop: asyncio.AbstractEventLoop
    engine: LiveEngine


_shared: list[_Shared] = []
_closing: set[asyncio.Task[None]] = set()


async def shared_engine(settings: EngineSettings) -> LiveEngine:
    """Return this process's engine for ``settings``, opening it in the background on first use.

    For a host that reloads its plug-ins and tells them nothing of its end: the engine outlives the
    plug-in's module, is closed when the settings change, and its database with the process.
    """
    loop = asyncio.get_running_loop()
    for shared in _shared:
        if shared.loop is loop and shared.settings == settings:
            return shared.engine
    # Nothing is awaited from here on, so that calls at the same time find this one.
    outdated = [shared.engine for shared in _shared if shared.loop is loop]
    live = LiveEngine(partial(open_engine, settings))
    _shared[:] = [_Shared(settings, loop, live)]
    live.open()
    for engine in outdated:
        closing = asyncio.create_task(engine.aclose())
        _closing.add(closing)
        closing.add_done_callback(_closing.discard)
    return live
