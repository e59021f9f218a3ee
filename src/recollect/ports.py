"""The Protocols of embedders and extraction models, and the values they take and return.

The store has one implementation: it is known by its classes (``recollect.backends``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from recollect.model import (
    Candidate,
    Disclosure,
    Exchange,
    ExtractedCommand,
    Hints,
    Material,
    Memory,
    Outline,
    Scope,
    Vector,
)


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

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector a text, in order.

        Raises:
            EmbedderError: The model failed or can't be reached.
        """
        ...

    async def embed_question(self, text: str) -> Vector:
        """Return the unit vector of a question, to be compared with those of texts.

        Some models embed a question otherwise than a text that answers it; of the others both vectors are one.

        Raises:
            EmbedderError: The model failed or can't be reached.
        """
        ...

    async def aclose(self) -> None:
        """Free the embedder's resources."""
        ...


@dataclass(frozen=True, slots=True)
class Asker:
    """On whose behalf a model is called in the background.

    Attributes:
        user_id: The user of the exchange; never sent anywhere.
        model: The model the exchange was with.
        authorized: Whether its request carried a credential.
        credential: That credential, while it is known.
        share: The part of the usual length that it may answer: less after it took too long.
        upstream: Which of several LLM servers the exchange was with, by its name; "": with the default.
    """

    user_id: str
    model: str
    authorized: bool = False
    credential: str | None = field(default=None, repr=False)
    share: float = 1.0
    upstream: str = ""


@dataclass(frozen=True, slots=True)
class Extracted:
    """The findings of an extractor.

    Attributes:
        candidates: The statements.
        commands: The memory commands: the person's requests to the memory itself.
        tokens: The tokens of the call, prompt and answer.
        by: Which model, by which version of the prompt.
        is_whole: Whether all of the answer could be read; else the rest is still to be found.
    """

    candidates: tuple[Candidate, ...] = ()
    commands: tuple[ExtractedCommand, ...] = ()
    tokens: int = 0
    by: str | None = None
    is_whole: bool = True


class Extractor(Protocol):
    """Finds the statements worth keeping in exchanges."""

    async def extract(self, exchanges: Sequence[Exchange], known: Sequence[Memory]) -> Extracted:
        """Return the candidates of one chat's consecutive ``exchanges``; ``Candidate.about`` indexes ``known``.

        Candidates come only from each exchange's ``turn.text``. The history is that of the first exchange.

        Raises:
            ExtractorUnusableError: There is no model to ask.
            InvalidExtractionError: It answered, but unreadably, also after a repair.
            ExtractorError: It failed or can't be reached; trying again may help.
        """
        ...

    async def aclose(self) -> None:
        """Free the extractor's resources."""
        ...


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which of some memories a judge chose.

    Attributes:
        numbers: 0-based, in rising order.
        tokens: The tokens of the call.
    """

    numbers: tuple[int, ...] = ()
    tokens: int = 0


class Judge(Protocol):
    """Chooses among memories."""

    async def choose(self, command: str, known: Sequence[Memory], asker: Asker) -> Chosen:
        """Return which memories a person means who asks, in these words, to forget something.

        Raises:
            ExtractorError: As ``Extractor.extract``.
        """
        ...


@dataclass(frozen=True, slots=True)
class Summarized:
    """A summary of everything that was said in a chat so far.

    Attributes:
        text: At most about 200 tokens.
        outline: Its parts.
        tokens: The tokens of the call.
        by: Which model, by which version of the prompt.
    """

    text: str
    outline: Outline = field(default_factory=Outline)
    tokens: int = 0
    by: str | None = None


class Summarizer(Protocol):
    """Summarizes chats."""

    async def summarize(self, material: Material, asker: Asker) -> Summarized:
        """Return a summary of the messages that includes the last summary.

        Raises:
            ExtractorError: As ``Extractor.extract``.
        """
        ...


@dataclass(frozen=True, slots=True)
class Hinted:
    """When some statements will be needed.

    Attributes:
        hints: By the place of the statement.
        tokens: The tokens of the call.
    """

    hints: Mapping[int, Hints] = field(default_factory=dict)
    tokens: int = 0


class Hinter(Protocol):
    """Writes hints for statements that have none."""

    def told(self, asker: Asker) -> Disclosure:
        """Return which statements may be sent to the model."""
        ...

    async def hints(self, statements: Sequence[Memory], asker: Asker) -> Hinted:
        """Return the hints of statements; some may lack.

        Raises:
            ExtractorError: As ``Extractor.extract``.
        """
        ...


class Generations(Protocol):
    """The embedders that others have replaced, and whose embeddings are in the store still."""

    @property
    def is_today(self) -> bool:
        """Whether this process's embedders are the last ones chosen, which replace the vectors of others."""
        ...

    @property
    def changing(self) -> bool:
        """Whether there are embeddings of others than today's."""
        ...

    @property
    def earlier(self) -> Sequence[Embedder]:
        """The log's embedders before today's that can be asked still, the last one first."""
        ...


class _OnlyTodays:
    """Knows of no embedder before today's; a ``Generations``."""

    is_today = True
    changing = False
    earlier: Sequence[Embedder] = ()


ONLY_TODAYS: Generations = _OnlyTodays()
"""All was embedded by today's embedders."""


class Clock(Protocol):
    """Tells the time, timezone-aware."""

    def __call__(self) -> datetime:
        """Return now."""
        ...


class Cache(Protocol):
    """Something that remembers, and must forget when a person is erased."""

    @property
    def entries(self) -> int:
        """How much it remembers."""
        ...

    def clear(self) -> None:
        """Forget everything."""
        ...


class Spooled(Protocol):
    """The entries that wait to be written to the log."""

    async def erase(self, erased: Scope | str, *, at: datetime) -> int:
        """Delete the entries of a user, or of one of their chats, until then; return how many.

        Raises:
            OSError: The disk refuses.
        """
        ...
