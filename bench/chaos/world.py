"""The LLM, the extraction model and the embeddings server of a run, which misbehave when told to."""

import asyncio
import hashlib
import json
import math
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.scripted.answers import (
    EVENT_STREAM,
    JSON,
    Answer,
    End,
    Step,
    completion,
    completion_body,
    events,
    failure,
    streamed,
    whole,
)
from tests.scripted.extraction import Pupil, messages_shown, statement
from tests.support.received import Received

MARK = re.compile(r"number \d+ of talker-\d+-[0-9a-f]{4}")
"""The mark that tells a chat's words, and the memory formed of them, from any other's."""

REMEMBERED = "Bergen"
"""The word by which the LLM sees that the probing user was given their memory."""

SEED = 19
"""Of everything that is drawn in a run."""

_PIECES = ("I see: ", "you said ", "that one. ")
_DIMENSIONS = 64


def expected(mark: str, *, is_streamed: bool) -> bytes:
    """Return the body that the LLM answers to a chat."""
    if is_streamed:
        return b"".join(events(*_PIECES, mark))
    return completion_body(f"I see: {mark}")


@dataclass
class World:
    """The models of a run.

    Attributes:
        chance: Decides how long an answer takes, and which breaks off.
        breaks: The share of streamed chats whose LLM dies in the middle of its answer.
        extraction: Answers extraction requests; replaced while the model fails.
        embedding_hangs: Whether the embeddings server says nothing.
        embedding_seconds: How long an embedding takes.
        broken: The marks whose answer broke off.
        remembered: The numbers of the probes that were given the memory.
    """

    chance: random.Random
    breaks: float = 0.0
    extraction: Callable[[Received], Answer] = field(default_factory=lambda: Pupil(extracts=_each_statement))
    embedding_hangs: bool = False
    embedding_seconds: float = 0.0
    broken: set[str] = field(default_factory=set)
    remembered: set[int] = field(default_factory=set)

    def chat(self, request: Received) -> Answer:
        """Answer a chat as an LLM does that takes its time."""
        said = str(request.json["messages"][-1]["content"])
        if probe := re.search(r"asked (\d+)", said):
            if REMEMBERED.encode() in request.body:
                self.remembered.add(int(probe[1]))
            return completion("I can't say.")
        mark = next(reversed(MARK.findall(said)), "")
        if not request.json.get("stream"):
            body = expected(mark, is_streamed=False)
            return (self.chance.uniform(0.02, 0.2), *whole(body, headers=JSON))
        pieces: list[Step] = []
        for piece in events(*_PIECES, mark):
            pieces += [self.chance.uniform(0, 0.06), piece]
        if self.chance.random() < self.breaks:
            self.broken.add(mark)
            return streamed(*pieces[: len(pieces) // 2], End.RESET, headers=EVENT_STREAM)
        return streamed(*pieces, headers=EVENT_STREAM)

    def extract(self, request: Received) -> Answer:
        """Answer a request of the background."""
        return self.extraction(request)

    def embed(self, request: Received) -> Answer:
        """Answer an embeddings request: by one model, texts with the same words are near each other."""
        if self.embedding_hangs:
            return (End.SILENCE,)
        texts, model = request.json["input"], request.json["model"]
        vectors = [
            {"index": number, "embedding": _embedded(text, model)} for number, text in enumerate(texts)
        ]
        return (self.embedding_seconds * len(texts), *whole(json.dumps({"data": vectors}).encode()))


def _each_statement(request: Received) -> list[dict[str, object]]:
    """Return each message that is no question as one statement, word for word."""
    return [statement(said) for said in messages_shown(request) if said and not said.endswith("?")]


def _embedded(text: str, model: str) -> list[float]:
    vector = [0.01] * _DIMENSIONS
    for word in re.findall(r"\w+", text.lower()):
        hashed = hashlib.blake2s(word.encode(), digest_size=4, key=model.encode()).digest()
        number = int.from_bytes(hashed, "big")
        vector[number % _DIMENSIONS] += 1.0
    length = math.hypot(*vector)
    return [each / length for each in vector]


# -- an extraction model that fails ----------------------------------------------------------------


def too_many(_: Received) -> Answer:
    """Answer 429."""
    return failure(429, headers=[(b"Retry-After", b"1")])


def broken_down(_: Received) -> Answer:
    """Answer 500."""
    return failure(500)


def garbage(_: Received) -> Answer:
    """Answer with broken JSON."""
    return completion('{"memories": [{"content": 17, "evid')


def never(_: Received) -> Answer:
    """Take the request, and say nothing for ever."""
    return (asyncio.Event(),)
