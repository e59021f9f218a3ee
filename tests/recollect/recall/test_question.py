"""Which vectors a question is compared by, and what is read for them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import product
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.recollections import NOON, turn
from tests.support.tables import table

from recollect.errors import EmbedderError
from recollect.model import Message, Role, Vector
from recollect.ports import Embedder
from recollect.recall import MessageVectors, Watch, read_query, statement_vectors
from recollect.recall.question import RecallQuery, read_of
from recollect.recall.relevance_model import contextual_vector
from recollect.text.lexical import query_terms


class Embedding:
    """Embeds a text as a vector that differs by its length, and notes the texts."""

    name, gate = "counted", 0.5

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed_question(self, text: str) -> Vector:
        self.asked.append(text)
        if "fails" in text:
            raise EmbedderError("no")
        vector: Vector = np.eye(300, dtype=np.float32)[len(text)]
        return vector


async def vector_of(embedder: Embedding, known: MessageVectors, said: str, before: str = "") -> Vector | None:
    watch = Watch()
    found = await statement_vectors(said, before, cast("Embedder", embedder), watch, known=known, seconds=5)
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


async def test_a_pasted_text_that_cannot_be_embedded_leaves_the_question_its_vector() -> None:
    embedder = Embedding()

    vector = await vector_of(
        embedder, MessageVectors(), "What should I answer?\n\n> The lift fails again, and nobody knows why."
    )

    assert vector is not None
    assert embedder.asked == ["What should I answer?", "> The lift fails again, and nobody knows why."]


MARATHON = Message(Role.USER, "I ran two marathons last year, in Graz and in Linz.")
WELL_DONE = Message(Role.ASSISTANT, "Well done! Which one did you like better?")


def test_a_longer_question_is_asked_as_it_is() -> None:
    query = read_query(turn("  Which tea is my favourite? ", history=(MARATHON, WELL_DONE)))

    assert query.text == query.asked == "Which tea is my favourite?"
    assert query.in_context is None
    assert (query.terms, query.now) == (query_terms("Which tea is my favourite?"), NOON)


@table(
    ("history", "before"),
    [
        ((MARATHON, WELL_DONE), f"{MARATHON.text}\n{WELL_DONE.text}\n"),
        ((WELL_DONE, MARATHON), f"{MARATHON.text}\n"),  # an answer is left out where the user spoke last
        ((Message(Role.USER, "x" * 5000),), "x" * 200 + "\n"),
    ],
)
def test_a_few_words_are_also_asked_with_what_they_may_refer_to(
    history: tuple[Message, ...], before: str
) -> None:
    query = read_query(turn("And the second one?", history=history))

    assert query.in_context is not None
    assert (query.text, query.in_context.text) == ("And the second one?", f"{before}And the second one?")
    assert set(query.in_context.terms) == {*query.terms, *query_terms(before)}


@pytest.mark.parametrize(
    ("said", "are_few"),
    [
        (
            "\u0914\u0930 \u0926\u0942\u0938\u0930\u093e \u0935\u093e\u0932\u093e?",
            True,
        ),  # Hindi, with combining marks
        ("\u90a3\u7b2c\u4e8c\u4e2a\u5462\uff1f", True),
        ("Where does my sister live?", False),
        ("\u6211\u59b9\u59b9\u73b0\u5728\u4f4f\u5728\u54ea\u91cc\u5440\uff1f", False),
    ],
)
def test_words_are_few_by_spaces_or_by_letters_where_there_are_none(said: str, *, are_few: bool) -> None:
    assert (read_query(turn(said, history=(MARATHON, WELL_DONE))).in_context is not None) == are_few


def test_of_a_long_text_beginning_and_end_are_read() -> None:
    query = read_query(turn("Have a look at this. " + "filler " * 100_000 + "Which tea is my favourite?"))

    assert query.text.startswith("Have a look at this.")
    assert query.text.endswith("Which tea is my favourite?")
    assert len(query.text) <= 1201


def test_identifiers_and_dates_are_found() -> None:
    query = read_query(turn("Why did parse_frame() fail on 2025-12-24?"))

    assert "parse_frame" in query.identifiers
    assert [(each.start, each.end) for each in query.periods] == [
        (datetime(2025, 12, 24, tzinfo=UTC), datetime(2025, 12, 25, tzinfo=UTC))
    ]


@pytest.mark.parametrize(
    ("said", "cue"),
    [
        ("I think I like my own tea best.", "is_about_oneself"),
        ("Thank you!", "is_small_talk"),
    ],
)
def test_what_the_words_ask_for_is_noticed(said: str, cue: str) -> None:
    assert getattr(read_query(turn(said)), cue) is True
    assert getattr(read_query(turn("How high is Mount Fuji?")), cue) is False


@given(st.text(), st.lists(st.builds(Message, st.sampled_from([Role.USER, Role.ASSISTANT]), st.text())))
def test_whatever_is_said_is_read(said: str, before: list[Message]) -> None:
    query = read_query(turn(said, history=tuple(before)))

    assert len(query.asked) <= 1201
    assert query.text.endswith(query.asked)


def test_turns_that_are_taken_for_alike_have_one_query() -> None:
    texts = ("And the second one?", "Where did I run last year?")
    both = ((MARATHON, WELL_DONE), (WELL_DONE, MARATHON), (MARATHON, replace(WELL_DONE, text="Not bad.")))
    histories = ((), (Message(Role.USER, ""),), (MARATHON,), (WELL_DONE,), *both)
    times = (NOON, NOON.replace(hour=13), NOON.astimezone(timezone(timedelta(hours=5))))
    others: tuple[dict[str, Any], ...] = (
        {"key": "a"},
        {"model": "a"},
        {"speaker": "Anna"},
        {"begun_answer": "In Graz"},
        {"prompt": ("You help.",)},
        {"follows": "a"},
        {"is_whole": True},
        {"has_document": True},
    )
    alike: dict[object, RecallQuery] = {}

    for text, history, at, other in product(texts, histories, times, others):
        each = turn(text, history=history, at=at, **other)
        query = read_query(each)
        assert alike.setdefault(read_of(each), query) == query
