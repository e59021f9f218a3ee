"""Names of code are told from prose, counted by the turns that hold them, and asked for in three forms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.recall.dataset import SaidTurn
from bench.recall.identifiers import (
    FORMS,
    Identifier,
    parts_of,
    questions_about,
    rare_identifiers,
    sampled,
)


def said(name: str, text: str) -> SaidTurn:
    return SaidTurn(id=name, session="1", speaker="user", role="user", text=text)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("getUserName", ("get", "user", "name")),
        ("user_name", ("user", "name")),
        ("MAX_RETRIES", ("max", "retries")),
        ("parseHTTPResponse", ("parse", "http", "response")),
        ("sha256Sum", ("sha256", "sum")),
        ("__cache_size__", ("cache", "size")),
        ("Order_Total", ("order", "total")),
        ("JavaScript", ()),
        ("PostgreSQL", ()),
        ("ordinary", ()),
        ("__init__", ()),
        ("a_b", ()),
        ("_", ()),
        ("i18n", ()),
    ],
)
def test_a_name_is_split_where_its_writer_joined_it(name: str, parts: tuple[str, ...]) -> None:
    assert parts_of(name) == parts


def test_names_in_one_to_three_turns_are_kept_whatever_their_spelling() -> None:
    turns = [
        said("t1", "Call `fetchOrders()` and then everywhere_else."),
        said("t2", "fetchOrders again, fetch_orders too, everywhere_else."),
        said("t3", "everywhere_else, and prose about JavaScript."),
        said("t4", "everywhere_else; const retryCount = 3;"),
    ]

    assert rare_identifiers(turns) == [
        Identifier("fetchOrders", ("t1", "t2")),
        Identifier("retryCount", ("t4",)),
    ]


def test_a_name_is_asked_for_as_it_stands_in_small_letters_and_in_words() -> None:
    questions = questions_about(Identifier("getUserName", ("t1", "t2")))

    assert [each.category for each in questions] == list(FORMS)
    assert [each.text for each in questions] == [
        "Where did we use getUserName?",
        "Where did we use getusername?",
        "Where did we use get user name?",
    ]
    assert {each.evidence for each in questions} == {("t1", "t2")}
    assert len({each.id for each in questions}) == 3


def test_a_sample_comes_out_alike_and_keeps_the_order() -> None:
    many = [Identifier(f"name_{n:03}", (f"t{n}",)) for n in range(100)]

    drawn = sampled(many, 10)

    assert drawn == sampled(many, 10)
    assert len(drawn) == 10
    assert drawn == sorted(drawn, key=lambda each: each.name)
    assert sampled(many, 100) == many


@given(st.text())
def test_any_text_is_survived(text: str) -> None:
    for identifier in rare_identifiers([said("t1", text)]):
        assert identifier.turns == ("t1",)
        assert len(questions_about(identifier)) == 3
