"""Embedders and extractors without a model, for tests. Never: a network, a file."""

import asyncio
import hashlib
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from recollect.errors import EmbedderError
from recollect.model import Candidate, Exchange, Memory, Relation, Vector
from recollect.ports import (
    Asker,
    Chosen,
    Embedder,
    Extracted,
    Judged,
    Material,
    Pair,
    Summarized,
)

_DIMENSIONS = 256
_TOKENS = 100
"""What each scripted call says it took."""


class WordEmbedder:
    """Embeds a text by its words: texts that share words are near each other.

    Attributes:
        embedded: Every text it was given.
    """

    name = "words"
    gate = 0.2

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def reads(self, text: str) -> bool:  # noqa: ARG002 -- the port's
        """Whether it was made for texts in that script: words are words."""
        return True

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector a text, in order."""
        self.embedded += texts
        return [_vector(text) for text in texts]

    async def aclose(self) -> None:
        """Let go of nothing."""


class BrokenEmbedder(WordEmbedder):
    """Fails at every text."""

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Raise EmbedderError."""
        await super().embed(texts)
        raise EmbedderError


class SlowEmbedder:
    """Embeds as another one does, later."""

    def __init__(self, embedder: Embedder, seconds: float) -> None:
        self._embedder = embedder
        self._seconds = seconds
        self.name, self.gate = embedder.name, embedder.gate

    def reads(self, text: str) -> bool:
        """Whether the other embedder was made for texts in that script."""
        return self._embedder.reads(text)

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Wait, then embed."""
        await asyncio.sleep(self._seconds)
        return await self._embedder.embed(texts)

    async def aclose(self) -> None:
        """Let go of what the other embedder holds."""
        await self._embedder.aclose()


class ScriptedExtractor:
    """Answers what it is told to, one answer a call; afterwards it finds nothing.

    Args:
        answers: Candidates to return, all that was extracted, or errors to raise.

    Attributes:
        asked: The exchanges of each call, with the memories beside them.
        closed: Whether it was closed.
    """

    def __init__(self, *answers: Sequence[Candidate] | Extracted | Exception) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[tuple[Exchange, ...], tuple[Memory, ...]]] = []
        self.closed = False

    async def extract(self, exchanges: Sequence[Exchange], known: Sequence[Memory]) -> Extracted:
        """Return or raise the next answer."""
        self.asked.append((tuple(exchanges), tuple(known)))
        answer = self._answers.pop(0) if self._answers else ()
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Extracted):
            return answer
        return Extracted(tuple(answer), tokens=_TOKENS, by="scripted extraction-0")

    async def aclose(self) -> None:
        """Note that it was closed."""
        self.closed = True


class ScriptedJudge:
    """Says of each pair what it is told to, and chooses what it is told to.

    Args:
        relations: By the new statement's content and the known one's; of other pairs it says nothing.
        chosen: Contents of memories that are meant by any wish.
        failure: What it raises instead, if anything.

    Attributes:
        compared: The contents of each pair it was asked about.
        wishes: What it was to choose for.
    """

    def __init__(
        self,
        relations: Mapping[tuple[str, str], Relation] | None = None,
        *,
        chosen: Collection[str] = (),
        failure: Exception | None = None,
    ) -> None:
        self._relations = dict(relations or {})
        self._chosen = frozenset(chosen)
        self._failure = failure
        self.compared: list[tuple[str, str]] = []
        self.wishes: list[str] = []

    async def compare(self, pairs: Sequence[Pair], asker: Asker) -> Judged:  # noqa: ARG002 -- the port's
        """Return what it was told of each pair."""
        asked = [(pair.new.content, pair.known.content) for pair in pairs]
        self.compared += asked
        if self._failure is not None:
            raise self._failure
        return Judged(tuple(self._relations.get(each) for each in asked), _TOKENS)

    async def choose(self, wish: str, known: Sequence[Memory], asker: Asker) -> Chosen:  # noqa: ARG002 -- the port's
        """Return which of the memories it was told to choose."""
        self.wishes.append(wish)
        if self._failure is not None:
            raise self._failure
        numbers = (number for number, memory in enumerate(known) if memory.content in self._chosen)
        return Chosen(tuple(numbers), _TOKENS)


class ScriptedSummarizer:
    """Answers what it is told to, one answer a call; afterwards the first words of each message.

    Args:
        answers: Summaries to return, or errors to raise.

    Attributes:
        asked: What it was to summarize.
    """

    def __init__(self, *answers: Summarized | Exception) -> None:
        self._answers = list(answers)
        self.asked: list[Material] = []

    async def summarize(self, material: Material, asker: Asker) -> Summarized:  # noqa: ARG002 -- the port's
        """Return or raise the next answer."""
        self.asked.append(material)
        if not self._answers:
            first = [" ".join(message.text.split()[:6]) for message in material.messages]
            return Summarized(" / ".join(filter(None, [material.before, *first]))[:600], tokens=_TOKENS)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def _vector(text: str) -> Vector:
    vector = np.full(_DIMENSIONS, 1e-3, dtype=np.float32)  # the empty text, too, has a direction
    for word in text.casefold().split():
        digest = hashlib.sha256(word.strip(".,;:!?\"'()").encode()).digest()
        vector[digest[0]] += 1
    unit: Vector = vector / np.linalg.norm(vector)
    return unit
