"""The engine's backends: the store, and one implementation of each port."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recollect.ports import (
    ONLY_TODAYS,
    Cache,
    Embedder,
    Extractor,
    Generations,
    Hinter,
    Judge,
    Spooled,
    Summarizer,
)

if TYPE_CHECKING:  # a host starts its database before it imports a driver, or an HTTP client
    from recollect.store.postgres import Postgres
    from recollect.webhook import Webhook


@dataclass(frozen=True, slots=True)
class Backends:
    """An open store, the models, and the caches that forget an erased person.

    Attributes:
        embedder: Embeds statements, and every text that is compared with them.
        log_embedder: Embeds the messages of the log; the same embedder, unless the settings name a server's model.
    """

    store: "Postgres"
    embedder: Embedder
    log_embedder: Embedder
    extractor: Extractor | None = None
    judge: Judge | None = None
    summarizer: Summarizer | None = None
    hinter: Hinter | None = None
    caches: Sequence[Cache] = ()
    spool: Spooled | None = None
    generations: Generations = ONLY_TODAYS
    webhook: "Webhook | None" = None
