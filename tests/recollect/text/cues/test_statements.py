import pytest
from tests.support.tables import table

from recollect.model import Statement
from recollect.text.cues import seeks_advice, statement_features


def test_a_taste_told_in_the_first_person_is_read_as_one() -> None:
    said = statement_features("I\u2019ve always avoided peanuts, they make my mouth swell up.")
    assert said == Statement(0.2, states_taste=True, lists=False, words=10)


def test_a_list_of_advice_is_not_about_oneself() -> None:
    said = statement_features("Three stops are worth it:\n 1. The mill\n - The harbour\nShall one book?  ")
    assert said == Statement(0.0, states_taste=False, lists=True, words=14)


def test_what_comes_late_in_a_long_message_is_no_taste_of_it() -> None:
    assert not statement_features("word " * 100 + "I prefer tea").states_taste
    assert statement_features("word " * 500).words == 500


def test_nothing_said_states_nothing() -> None:
    assert statement_features("") == Statement(0.0, states_taste=False, lists=False, words=0)


@pytest.mark.parametrize(
    "question", ["Which bicycle would you recommend?", "What should I cook?", "Any ideas for Sunday?"]
)
def test_who_asks_what_to_choose_seeks_advice(question: str) -> None:
    assert seeks_advice(question)


@pytest.mark.parametrize("question", ["", "When did the boat arrive?", "Who sold me the lamp?"])
def test_who_asks_for_a_fact_seeks_none(question: str) -> None:
    assert not seeks_advice(question)


@table("unit", ["\n", " ", "-", "1", "'", "\x00", "\ud800", "i "])
def test_a_monotonous_text_of_any_length_is_read(unit: str) -> None:
    assert statement_features(unit * 200_000).words >= 0
    assert not seeks_advice(unit * 200_000)
