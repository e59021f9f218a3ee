from collections import Counter

from bench.lives.general import Answered, Unrelated, dealt, table, unrelated
from bench.speed.recall_latency import questions, statements


def test_every_question_is_in_the_file_once() -> None:
    asked = unrelated()
    groups = Counter(each.group for each in asked)

    assert groups == {"general": 200, "requests of others": 60}
    assert len({each.text for each in asked}) == len(asked)
    assert len({each.language for each in asked if each.group == "general"}) == 12


def test_each_question_is_asked_of_as_many_stores_as_are_wanted() -> None:
    asked = Counter(each.text for hand in dealt(7, asked=3) for each in hand)

    assert set(asked.values()) == {3}
    assert len(asked) == len(unrelated())
    assert [len(hand) for hand in dealt(2, asked=5)] == [len(unrelated())] * 2


def test_the_table_tells_what_was_given_anything() -> None:
    chat, trip = Unrelated("chat", "en", "hi"), Unrelated("request", "de", "Hilf mir")
    answered = [
        Answered(chat, "lives", "jo", (), None),
        Answered(chat, "beam", "b", ("[SAID] noise",), 0.9),
        Answered(trip, "lives", "jo", ("[FACT] noise",), 0.9),
    ]

    rows = [line.split(" | ")[:2] for line in table(answered).splitlines()]

    assert ["| general", "1/2"] in rows
    assert ["| general, beam", "1/1"] in rows
    assert ["| general, lives", "0/1"] in rows
    assert ["| requests of others, language de", "1/1"] in rows


def test_what_recalls_are_timed_with_is_made_alike_each_time_and_never_twice() -> None:
    assert statements(50) == statements(60)[:50]
    assert len(set(statements(500))) == 500
    assert set(questions(1, 30)).isdisjoint(questions(2, 30))
