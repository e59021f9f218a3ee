from tests.support.tables import table

from recollect.model import Statement
from recollect.text.cues.phrases import statement_features


def test_what_is_told_in_the_first_person_is_about_oneself() -> None:
    said = statement_features("I\u2019ve always avoided peanuts, they make my mouth swell up.")
    assert said == Statement(0.2, lists=False, words=10)


def test_a_list_of_advice_is_not_about_oneself() -> None:
    said = statement_features("Three stops are worth it:\n 1. The mill\n - The harbour\nShall one book?  ")
    assert said == Statement(0.0, lists=True, words=14)


def test_nothing_said_states_nothing() -> None:
    assert statement_features("") == Statement(0.0, lists=False, words=0)


@table("unit", ["\n", " ", "-", "1", "'", "\x00", "\ud800", "i "])
def test_a_monotonous_text_of_any_length_is_read(unit: str) -> None:
    assert statement_features(unit * 200_000).words >= 0
