"""How likely a question needs each statement, by the weights that come with the package."""

from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recollections import NOON, memory

from recollect.index import LetterRuns, StatementColumns
from recollect.model import Kind, Memory
from recollect.recall.relevance import (
    INTENTS,
    EmbeddedQuestion,
    Floats,
    contextual_vector,
    features,
    intent_logits,
    probabilities,
    proximities,
    shipped_model,
)
from recollect.text.dates import dates_meant, proximity

UNKNOWN = np.array([np.nan, np.nan])


def alone(text: str) -> EmbeddedQuestion:
    return EmbeddedQuestion(text, NOON, dates_meant(text, NOON))


def judged(text: str, statements: list[Memory], near: Floats = UNKNOWN) -> tuple[Floats, dict[str, Floats]]:
    columns, letters = StatementColumns.of(statements), LetterRuns.of([each.content for each in statements])
    return probabilities(alone(text), columns, near, letters.shared(text), shipped_model())


def test_the_nearer_of_two_is_the_likelier() -> None:
    two = [memory("Lives in Lisbon"), memory("Drinks green tea")]

    likely, parts = judged("Where do I live?", two, np.array([0.6, 0.1]))

    assert likely[0] > likely[1]
    assert all(len(each) == 2 for each in parts.values())


def test_what_each_feature_gave_makes_up_the_probability() -> None:
    two = [memory("Lives in Lisbon"), memory("Drinks green tea")]

    likely, parts = judged("Where do I live?", two, np.array([0.6, 0.1]))

    logits = sum(parts.values()) + shipped_model().regression.bias
    assert 1 / (1 + np.exp(-logits)) == pytest.approx(likely)


def test_where_no_embedding_came_words_alone_tell() -> None:
    two = [memory("Moved from Porto to Lisbon"), memory("Drinks green tea")]

    likely, _ = judged("when did I move to lisbon", two)

    assert likely[0] > likely[1]


def test_what_is_due_when_asked_for_counts_as_near_in_time() -> None:
    asked = alone("What do I have on next week?")
    [period] = asked.periods
    due = memory("Dentist", kind=Kind.TODO, event_at=period.start + timedelta(days=1))
    other = memory("Dentist", kind=Kind.TODO, event_at=period.start + timedelta(days=90))

    columns = StatementColumns.of([due, other])
    when = features(asked, columns, UNKNOWN, np.zeros(2), np.zeros(len(INTENTS)))["when"]

    assert when.tolist() == [1.0, 0.0]


def test_without_a_vector_nothing_is_known_of_what_is_asked() -> None:
    assert intent_logits(alone("What do you know about me?"), shipped_model()).tolist() == [0.0] * len(
        INTENTS
    )


def test_what_was_said_before_draws_a_question_towards_it() -> None:
    across, along = np.eye(2, dtype=np.float32)

    drawn = contextual_vector(across, along)

    assert np.linalg.norm(drawn) == pytest.approx(1)
    assert drawn @ across > drawn @ along > 0


@given(st.lists(st.text(max_size=50), min_size=1, max_size=5), st.text(max_size=200))
def test_whatever_is_asked_of_whatever_is_known_a_probability_comes(contents: list[str], text: str) -> None:
    statements = [memory(content) for content in contents]

    likely, _ = judged(text, statements, np.full(len(statements), np.nan))

    assert ((likely >= 0) & (likely <= 1)).all()


@given(
    st.lists(st.integers(-40_000, 40_000).map(lambda hours: NOON + timedelta(hours=hours)), min_size=1),
    st.sampled_from(["what is due next week?", "in May 2026 or on 2026-03-16", "before 2020"]),
)
def test_columns_of_moments_are_as_near_to_dates_as_each_moment(moments: list[datetime], text: str) -> None:
    periods = dates_meant(text, NOON)

    near = proximities(np.array([each.timestamp() for each in moments]), periods)

    assert near.tolist() == pytest.approx([proximity(each, periods) for each in moments])
