"""The ports of models. Never: an implementation."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol
from uuid import UUID

from recollect.model import Candidate, Exchange, ExtractedCommand, Memory, Message, Outline, Vector


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
        credential: That one, while it is at hand.
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
        tokens: What the call took, prompt and answer.
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

        ``turn.text`` of each exchange is what may be learned from; its history is that of the first.

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
        tokens: What the call took.
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
class Material:
    """The material of a summary.

    Attributes:
        messages: The messages since the last summary, oldest first.
        before: The last summary's text; "" if there is none.
        outline: Its parts.
        at: When the last message was said, by its person's clock; None: it is not known.
    """

    messages: tuple[Message, ...]
    before: str = ""
    outline: Outline = field(default_factory=Outline)
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Summarized:
    """A summary of everything that was said in a chat so far.

    Attributes:
        text: At most about 200 tokens.
        outline: Its parts.
        tokens: What the call took.
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
class Conversation:
    """The part of a chat that is to be summarized.

    Attributes:
        session_id: Which chat.
        material: What was said.
        message_ids: The ids of these messages, and of those that the last summary rests on.
        last_turn: The highest turn index among them.
        summary: The last summary, if there is one.
        model: The model its last exchange was with.
        authorized: Whether that one's request carried a credential.
        exchange_id: Which that one was.
        upstream: With which of several LLM servers that one was; "": with the default.
    """

    session_id: str
    material: Material
    message_ids: tuple[UUID, ...]
    last_turn: int
    summary: Memory | None
    model: str
    authorized: bool
    exchange_id: UUID
    upstream: str = ""
