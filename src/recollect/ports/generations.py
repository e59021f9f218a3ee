"""What the engine needs where an embedder was replaced by another. Never: an implementation."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from recollect.model import EmbedderInUse, EmbedderPlace, EmbeddingCounts
from recollect.ports.models import Embedder


@dataclass(frozen=True, slots=True)
class Generation:
    """Embedders that others have replaced, and whose embeddings are in the store still.

    Attributes:
        first: That of everything; None: it is today's, or can't be made again.
        second: That of statements; None likewise.
    """

    first: Embedder | None = None
    second: Embedder | None = None


class Generations(Protocol):
    """What this process knows of the embedders before today's."""

    @property
    def is_today(self) -> bool:
        """Whether this process's embedders are the last ones chosen: then what others embedded is embedded by them."""
        ...

    @property
    def changing(self) -> bool:
        """Whether there are embeddings of others than today's."""
        ...

    def of(self, user_id: str) -> Sequence[Generation]:
        """Return the generations that a user's embeddings may still be of, beside today's."""
        ...

    def none_of(self, user_id: str, generation: Generation) -> None:
        """Note that nothing of a user's is of a generation: it is not looked for again for a while."""
        ...


class _OnlyTodays:
    """Knows of no embedder before today's; a ``Generations``."""

    is_today = True
    changing = False

    def of(self, user_id: str) -> Sequence[Generation]:  # noqa: ARG002 -- the port's
        """Return none."""
        return ()

    def none_of(self, user_id: str, generation: Generation) -> None:
        """Note nothing."""


ONLY_TODAYS: Generations = _OnlyTodays()
"""All was embedded by today's embedders."""


class GenerationStore(Protocol):
    """Knows which embedders have embeddings in the store. Every method raises StoreError when the store fails.

    Processes of several replicas share it, and not all of them need use the same embedders.
    """

    async def note(self, place: EmbedderPlace, model: str, made_by: Mapping[str, str]) -> None:
        """Note that this process uses an embedder now; called again and again while it does."""
        ...

    async def known(self) -> list[EmbedderInUse]:
        """Return the embedders that are used, or were and have embeddings in the store, the last one chosen first."""
        ...

    async def hold(self, model: str, length: timedelta) -> bool:
        """Take, or renew, the right to go from user to user; False where another process has it."""
        ...

    async def users(self, since: datetime, *, without: Collection[str], limit: int) -> list[str]:
        """Return users of whom it was not seen since then that all is embedded by today's, but for some."""
        ...

    async def counts(self, since: datetime) -> EmbeddingCounts:
        """Count whose texts are all embedded by today's, as was seen since then."""
        ...

    async def mark(self, user_id: str) -> None:
        """Note that all of a user's is embedded by today's."""
        ...

    async def complete(self, place: EmbedderPlace, model: str) -> None:
        """Note that all of everybody's is embedded by an embedder; others that nobody uses are forgotten."""
        ...
