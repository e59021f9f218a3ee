"""There are five hundred unrelated questions, each asked once, however many memories there are."""

from collections import Counter

import pytest

from recollect_proxy.calibrate.unrelated import deal, unrelated_questions


def test_there_are_as_many_of_each_category_as_there_should_be_and_none_twice() -> None:
    questions = unrelated_questions()

    counted = Counter(each.category for each in questions)
    assert counted == {"coding": 150, "knowledge": 150, "chat": 100, "foreign": 100}
    assert len({each.text.casefold() for each in questions}) == 500
    assert all(each.text == each.text.strip() != "" for each in questions)


def test_several_languages_and_scripts_are_asked_in() -> None:
    foreign = "".join(each.text for each in unrelated_questions() if each.category == "foreign")

    for letter in "ßç¿ã你のжم":
        assert letter in foreign


@pytest.mark.parametrize("stores", [1, 3, 10, 30, 600])
def test_all_are_dealt_out_evenly_and_once(stores: int) -> None:
    hands = deal(stores)

    assert len(hands) == stores
    assert len({question.number for hand in hands for question in hand}) == 500
    assert max(map(len, hands)) - min(map(len, hands)) <= 1


def test_the_draw_comes_out_alike_and_is_mixed() -> None:
    first, second = deal(10), deal(10)

    assert first == second
    assert all(len({question.category for question in hand}) > 1 for hand in first)


def test_a_store_gets_no_more_than_wanted() -> None:
    hands = deal(4, at_most=7)

    assert [len(hand) for hand in hands] == [7] * 4
    assert deal(2, at_most=0) == [(), ()]
