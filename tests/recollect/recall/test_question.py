"""Which vectors a question is compared by, and what is read for them."""

from typing import cast

import numpy as np
from tests.support.recollections import turn

from recollect.errors import EmbedderError
from recollect.model import Message, Role, Vector
from recollect.ports import Embedder
from recollect.recall import MessageVectors, Watch, read_query, statement_vectors
from recollect.recall.relevance import contextual_vector


class Embedding:
    """Embeds a text as a vector that differs by its length, and notes the texts."""

    name, gate = "counted", 0.5

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed_question(self, text: str) -> Vector:
        self.asked.append(text)
        if text == "fails":
            raise EmbedderError("no")
        vector: Vector = np.eye(300, dtype=np.float32)[len(text)]
        return vector


async def vector_of(embedder: Embedding, known: MessageVectors, said: str, before: str = "") -> Vector | None:
    history = (Message(Role.USER, before), Message(Role.ASSISTANT, "Yes.")) if before else ()
    query = read_query(turn(said, history=history))
    watch = Watch()
    found = await statement_vectors(query, cast("Embedder", embedder), watch, known=known, seconds=5)
    return None if found.near is None else found.near.vector


async def test_the_message_before_shifts_a_question_and_is_embedded_once() -> None:
    embedder, known = Embedding(), MessageVectors()

    first = await vector_of(embedder, known, "Where does my sister live?")
    second = await vector_of(embedder, known, "And my brother, where is he?", "Where does my sister live?")

    assert embedder.asked == ["Where does my sister live?", "And my brother, where is he?"]
    assert first is not None
    assert second is not None
    alone = np.eye(300, dtype=np.float32)[len("And my brother, where is he?")]
    assert second.tolist() == contextual_vector(alone, first).tolist()


async def test_of_a_message_before_only_the_persons_own_words_are_embedded() -> None:
    embedder = Embedding()

    await vector_of(
        embedder, MessageVectors(), "And now?", "Look:\n> They live in Porto, I heard.\n\nIs it true?"
    )

    assert embedder.asked == ["And now?", "Look:\n\nIs it true?"]


async def test_a_failure_is_not_kept() -> None:
    embedder, known = Embedding(), MessageVectors()

    assert [await vector_of(embedder, known, "fails") for _ in range(2)] == [None, None]
    assert embedder.asked == ["fails", "fails"]
