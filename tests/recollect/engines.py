"""An engine over a store, with stand-ins for its models. Never: a test."""

from dataclasses import replace

from tests.scripted.models import WordEmbedder
from tests.support.recollections import NOON
from tests.support.stores import PARTS

from recollect.engine import Backends, Engine, Policy
from recollect.model import Strategy
from recollect.ports import Cache, Embedder, Extractor, Hinter, Judge, Summarizer
from recollect.recall import Reach
from recollect.store.postgres import Postgres

QUICK = Policy(strategy=Strategy.QA_TURN, stands=False)
"""Forms without a model, and recalls what is asked for alone: what stands in every chat has tests of its own."""

PATIENT = replace(QUICK, deadline=30.0, reach=Reach(embedding_seconds=30.0, log_embedding_seconds=30.0))
"""The same, where nothing is late, however busy the machine."""


def engine_over(
    store: Postgres,
    policy: Policy = QUICK,
    *,
    embedder: Embedder | None = None,
    log_embedder: Embedder | None = None,
    extractor: Extractor | None = None,
    judge: Judge | None = None,
    summarizer: Summarizer | None = None,
    hinter: Hinter | None = None,
    cache: Cache | None = None,
) -> Engine:
    """Return an engine over ``store``; it is always noon."""
    embedder = embedder or WordEmbedder()
    backends = Backends(
        **{name: getattr(store, name) for name in PARTS},
        embedder=embedder,
        log_embedder=log_embedder or embedder,
        extractor=extractor,
        judge=judge,
        summarizer=summarizer,
        hinter=hinter,
        caches=[cache] if cache else [],
    )
    return Engine(backends, policy, clock=lambda: NOON)
