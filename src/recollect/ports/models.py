"""What the engine needs of models. Never: an implementation."""

from collections.abc import Sequence
from typing import Protocol

from recollect.model import Candidate, Exchange, Memory, Vector


class Embedder(Protocol):
    """Turns texts into vectors that lie near each other when the texts mean alike."""

    @property
    def name(self) -> str:
        """Names the vector space: vectors are compared only under the same name."""
        ...

    @property
    def gate(self) -> float:
        """The cosine below which a query's best match means nothing."""
        ...

    def reads(self, text: str) -> bool:
        """Whether it was made for texts in that script; of others it makes vectors that mean little."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector a text, in order.

        Raises:
            EmbedderError: The model failed or can't be reached.
        """
        ...

    async def aclose(self) -> None:
        """Let go of what the embedder holds."""
        ...


class Extractor(Protocol):
    """Finds the statements worth keeping in an exchange."""

    async def extract(self, exchange: Exchange, known: Sequence[Memory]) -> list[Candidate]:
        """Return the candidates of ``exchange``; ``Candidate.about`` indexes ``known``.

        Raises:
            ExtractorUnusableError: There is no model to ask.
            InvalidExtractionError: It answered, but unreadably, also after a repair.
            ExtractorError: It failed or can't be reached; trying again may help.
        """
        ...

    async def aclose(self) -> None:
        """Let go of what the extractor holds."""
        ...
