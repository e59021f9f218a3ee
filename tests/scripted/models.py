"""Embedders and extractors without a model, for tests."""

import asyncio
import hashlib
from collections.abc import Collection, Sequence

import numpy as np

from recollect.errors import EmbedderError
from recollect.model import ALL_TOLD, Candidate, Disclosure, Exchange, Hints, Material, Memory, Vector
from recollect.ports import Asker, Chosen, Embedder, Extracted, Hinted, Summarized

_DIMENSIONS = 256
_TOKENS = 100
"""What each scripted call says it took."""


class WordEmbedder:
    """Embeds a text by its words: texts that share words are near each other."""

    name = "words"
    gate = 0.2

    def __init__(self) -> None:
        self.embedded: list[str] = []

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.embedded += texts
        return [_vector(text) for text in texts]

    async def embed_question(self, text: str) -> Vector:
        [vector] = await self.embed([text])
        return vector

    async def aclose(self) -> None:
        """Let go of nothing."""


class BrokenEmbedder(WordEmbedder):
    """Fails at every text."""

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        await super().embed(texts)
        raise EmbedderError


class SlowEmbedder:
    """Embeds as another one does, later."""

    def __init__(self, embedder: Embedder, seconds: float) -> None:
        self._embedder = embedder
        self._seconds = seconds
        self.name, self.gate = embedder.name, embedder.gate

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        await asyncio.sleep(self._seconds)
        return await self._embedder.embed(texts)

    async def embed_question(self, text: str) -> Vector:
        await asyncio.sleep(self._seconds)
        return await self._embedder.embed_question(text)

    async def aclose(self) -> None:
        """Let go of what the other embedder holds."""
        await self._embedder.aclose()


class ScriptedExtractor:
    """Answers what it is told to, one answer a call; afterwards it finds nothing."""

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
    """Chooses what it is told to."""

    def __init__(self, *, chosen: Collection[str] = (), failure: Exception | None = None) -> None:
        self._chosen = frozenset(chosen)
        self._failure = failure
        self.commands: list[str] = []

    async def choose(self, command: str, known: Sequence[Memory], asker: Asker) -> Chosen:  # noqa: ARG002 -- the port's
        """Return which of the memories it was told to choose."""
        self.commands.append(command)
        if self._failure is not None:
            raise self._failure
        numbers = (number for number, memory in enumerate(known) if memory.content in self._chosen)
        return Chosen(tuple(numbers), _TOKENS)


class ScriptedSummarizer:
    """Answers what it is told to, one answer a call; afterwards the first words of each message."""

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


class ScriptedHinter:
    """Names each statement's own words as its topic."""

    def __init__(self, *answers: Hinted | Exception, disclosure: Disclosure = ALL_TOLD) -> None:
        self._answers = list(answers)
        self._disclosure = disclosure
        self.asked: list[tuple[list[str], Asker]] = []

    def told(self, asker: Asker) -> Disclosure:  # noqa: ARG002 -- the port's
        """Return what may be sent to it."""
        return self._disclosure

    async def hints(self, statements: Sequence[Memory], asker: Asker) -> Hinted:
        """Return or raise the next answer."""
        self.asked.append(([each.content for each in statements], asker))
        answer = self._answers.pop(0) if self._answers else None
        if isinstance(answer, Exception):
            raise answer
        every = {place: Hints(topics=(each.content,)) for place, each in enumerate(statements)}
        return answer or Hinted(every, _TOKENS)


def _vector(text: str) -> Vector:
    vector = np.full(_DIMENSIONS, 1e-3, dtype=np.float32)  # the empty text, too, has a direction
    for word in text.casefold().split():
        digest = hashlib.sha256(word.strip(".,;:!?\"'()").encode()).digest()
        vector[digest[0]] += 1
    unit: Vector = vector / np.linalg.norm(vector)
    return unit
