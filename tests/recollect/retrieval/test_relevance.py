"""How likely a question needs each statement, by the weights that come with the package."""

from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recollections import NOON, memory

from recollect.model import Kind
from recollect.retrieval.relevance import (
    INTENTS,
    EmbeddedQuestion,
    contextual_vector,
    features,
    intent_logits,
    letter_runs,
    probabilities,
    shipped_model,
)
from recollect.text.dates import dates_meant

UNKNOWN = np.array([np.nan, np.nan])


def alone(text: str) -> EmbeddedQuestion:
    return EmbeddedQuestion(text, NOON, dates_meant(text, NOON))


def test_the_nearer_of_two_is_the_likelier() -> None:
    two = [memory("Lives in Lisbon"), memory("Drinks green tea")]

    likely, parts = probabilities(
        alone("Where do I live?"), two, np.array([0.6, 0.1]), UNKNOWN, shipped_model()
    )

    assert likely[0] > likely[1]
    assert all(len(each) == 2 for each in parts.values())


def test_what_each_feature_gave_makes_up_the_probability() -> None:
    two = [memory("Lives in Lisbon"), memory("Drinks green tea")]

    likely, parts = probabilities(
        alone("Where do I live?"), two, np.array([0.6, 0.1]), UNKNOWN, shipped_model()
    )

    logits = sum(parts.values()) + shipped_model().first_only.bias
    assert 1 / (1 + np.exp(-logits)) == pytest.approx(likely)


def test_where_no_embedding_came_words_alone_tell() -> None:
    two = [memory("Moved from Porto to Lisbon"), memory("Drinks green tea")]

    likely, _ = probabilities(alone("when did I move to lisbon"), two, UNKNOWN, UNKNOWN, shipped_model())

    assert likely[0] > likely[1]


def test_inflected_and_mistyped_words_share_most_of_their_letters() -> None:
    assert letter_runs("zuciłem palenie") & letter_runs("Rzucił palenie w maju")
    assert letter_runs("alergic to peanuts") & letter_runs("Allergic to peanut butter")


def test_where_words_are_not_parted_two_letters_are_compared() -> None:
    assert letter_runs("我住在上海") & letter_runs("上海人") == {"上海"}


def test_what_is_due_when_asked_for_counts_as_near_in_time() -> None:
    asked = alone("What do I have on next week?")
    [period] = asked.periods
    due = memory("Dentist", kind=Kind.TODO, event_at=period.start + timedelta(days=1))
    other = memory("Dentist", kind=Kind.TODO, event_at=period.start + timedelta(days=90))

    when = features(asked, [due, other], UNKNOWN, UNKNOWN, np.zeros(len(INTENTS)))["when"]

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
    nothing = np.full(len(statements), np.nan)

    likely, _ = probabilities(alone(text), statements, nothing, nothing, shipped_model())

    assert ((likely >= 0) & (likely <= 1)).all()
