"""An engine over stand-ins. Never: a test."""

from dataclasses import replace

from tests.recollections import NOON

from recollect.engine import Backends, Engine, Policy
from recollect.model import Strategy
from recollect.ports import Cache, Embedder, Extractor, Judge, Summarizer
from recollect.retrieval import Reach
from recollect.testing import InMemoryStore, WordEmbedder

QUICK = Policy(strategy=Strategy.QA_TURN)
"""Forms without a model."""

PATIENT = replace(QUICK, deadline=30.0, reach=Reach(embedding_seconds=30.0, lexical_seconds=30.0))
"""The same, where nothing is late, however busy the machine."""


def engine_over(
    store: InMemoryStore | None = None,
    policy: Policy = QUICK,
    *,
    embedder: Embedder | None = None,
    extractor: Extractor | None = None,
    judge: Judge | None = None,
    summarizer: Summarizer | None = None,
    cache: Cache | None = None,
) -> Engine:
    """Return an engine over ``store``, or over one of its own; it is always noon."""
    store = store or InMemoryStore()
    backends = Backends(
        memories=store,
        log=store,
        index=store,
        chats=store,
        requests=store,
        inbox=store,
        jobs=store,
        flags=store.settings,
        usage=store.settings,
        embedder=embedder or WordEmbedder(),
        extractor=extractor,
        judge=judge,
        summarizer=summarizer,
        caches=[cache] if cache else [],
    )
    return Engine(backends, policy, clock=lambda: NOON)
