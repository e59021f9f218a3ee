"""The embedders before today's, loaded while the store has their embeddings."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

import structlog

from recollect.errors import RecollectError, described
from recollect.model import EmbedderInUse, EmbedderPlace
from recollect.models.embedders.cache import CachedEmbedder
from recollect.ports import Embedder

if TYPE_CHECKING:
    from recollect.store.log_index import EmbedderGenerations
from recollect.settings.engine_settings import EngineSettings

_LOOK_SECONDS = 15.0
"""How soon a process knows of an embedder that another one uses, and others that this one still runs."""

_MOST = 2
"""The most earlier embedders whose embeddings are searched: each costs a question an embedding and a search."""

_CACHED = timedelta(hours=1)
"""How long a question's vector by an earlier embedder is kept."""
_CACHED_QUESTIONS = 1_000

MakeEmbedder: TypeAlias = Callable[[Mapping[str, str]], Embedder | None]
"""Makes an embedder of the log by the settings of then; None for a local one, whose weights are gone."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class TodaysEmbedder:
    """An embedder of this process.

    Attributes:
        made_by: The settings by which another process makes it again, without a key.
    """

    model: str
    made_by: Mapping[str, str]


def todays(
    settings: EngineSettings, embedder: Embedder, log_embedder: Embedder
) -> dict[EmbedderPlace, TodaysEmbedder]:
    """Return this process's embedders, as they are noted in the store."""
    made_by = {"embedder": settings.embedder}
    if settings.embedder_base_url:
        made_by["base_url"] = settings.embedder_base_url
    return {
        EmbedderPlace.STATEMENTS: TodaysEmbedder(embedder.name, {}),
        EmbedderPlace.LOG: TodaysEmbedder(log_embedder.name, made_by),
    }


@dataclass(slots=True)
class LiveGenerations:
    """Keeps up with the embedders of which the store has embeddings; implements ``Generations``.

    Args:
        today: This process's own, by place.
        local: The embedder of statements, which may have been the log's, too.
        make: Makes another embedder by its settings.
    """

    store: "EmbedderGenerations"
    today: Mapping[EmbedderPlace, TodaysEmbedder]
    local: Embedder
    make: MakeEmbedder
    is_today: bool = True
    changing: bool = False
    earlier: tuple[Embedder, ...] = ()
    _made: dict[str, CachedEmbedder | None] = field(default_factory=dict)

    @property
    def entries(self) -> int:
        """How many vectors the earlier embedders remember."""
        return sum(made.entries for made in self._made.values() if made is not None)

    def clear(self) -> None:
        """Forget all of it: a ``Cache``."""
        for made in self._made.values():
            if made is not None:
                made.clear()

    async def look(self) -> None:
        """Tell the store that this process's embedders are used, and read which others there are.

        Raises:
            StoreError: The store failed.
        """
        for at, embedder in self.today.items():
            await self.store.note_in_use(at, embedder.model, embedder.made_by)
        known = await self.store.known()
        others = [each for each in known if self._is_other(each)]
        self.is_today = not any(self._is_later(each, known) for each in others)
        await self._take(others)
        # Last, so that a reader of `changing` finds `earlier` set.
        self.changing = bool(others)

    async def keep_looking(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            try:
                await self.look()
            except Exception as error:  # noqa: BLE001 -- the next look may succeed; recall goes on with the known ones
                log.warning("embedders_lookup_failed", **described(error))

    async def aclose(self) -> None:
        """Let go of the earlier embedders."""
        self.earlier = ()
        made, self._made = self._made, {}
        for each in made.values():
            if each is not None:
                await each.aclose()

    def _is_other(self, known: EmbedderInUse) -> bool:
        own = self.today.get(known.place)
        return own is not None and known.model != own.model

    def _is_later(self, other: EmbedderInUse, known: Sequence[EmbedderInUse]) -> bool:
        """Whether another one that is used was chosen after this process's own."""
        own = self.today[other.place]
        chosen = next(
            (each.chosen_at for each in known if (each.place, each.model) == (other.place, own.model)), None
        )
        return other.is_used and chosen is not None and other.chosen_at > chosen

    async def _take(self, others: Sequence[EmbedderInUse]) -> None:
        """Make the log's embedders that are needed, and close those that no longer are."""
        of_log = [each for each in others if each.place is EmbedderPlace.LOG]
        wanted = {each.model: each for each in of_log if each.model != self.local.name}
        for model, each in wanted.items():
            if model not in self._made:
                self._made[model] = self._make(each)
        gone = [self._made.pop(model) for model in list(self._made) if model not in wanted]
        usable = (self._made.get(each.model, self.local) for each in of_log)
        self.earlier = tuple(islice((each for each in usable if each is not None), _MOST))
        for embedder in gone:
            if embedder is not None:
                await embedder.aclose()

    def _make(self, wanted: EmbedderInUse) -> CachedEmbedder | None:
        """Return an earlier embedder; None if it can't be made: words find its texts until they are embedded again."""
        try:
            made = self.make(wanted.made_by)
        except RecollectError as error:
            log.warning(
                "earlier_embedder_rejected",
                model=wanted.model,
                error=type(error).__name__,
                detail=str(error),
            )
            return None
        if made is None:
            detail = "Its weights are not installed any more."
            log.warning("earlier_embedder_rejected", model=wanted.model, error="", detail=detail)
            return None
        return CachedEmbedder(made, size=_CACHED_QUESTIONS, ttl=_CACHED)
