"""A key is its person's only once an LLM server has answered with it: a request may name anybody."""

from functools import partial
from uuid import uuid4

import pytest
from cachetools import TTLCache
from tests.support.tables import table

from recollect.engine import credentials
from recollect.engine.credentials import Credentials, Lent


def test_a_key_that_nothing_was_answered_with_is_its_exchanges_alone() -> None:
    kept, answered, asked = Credentials(), uuid4(), uuid4()
    kept.lend(Lent(answered, "anna", "", "own", is_answered=True))
    kept.lend(Lent(asked, "anna", "", "foreign"))
    kept.lend(Lent(answered, "anna", "", "foreign"))

    assert kept.find(uuid4(), "anna", "") == "own"
    assert kept.find(answered, "anna", "") == "own"
    assert kept.find(asked, "anna", "") == "foreign"

    kept.lend(Lent(asked, "anna", "", None))
    assert kept.find(asked, "anna", "") == "own"


@table(
    "answered, expected",
    [
        (["own", "foreign"], "own"),
        (["own", "foreign", "foreign", "own"], "own"),
        (["own", "own"], "own"),
    ],
)
def test_a_key_that_names_a_person_takes_no_place_of_the_one_that_they_use(
    answered: list[str], expected: str
) -> None:
    kept, exchanges = Credentials(), [uuid4() for _ in answered]
    for exchange, key in zip(exchanges, answered, strict=True):
        kept.lend(Lent(exchange, "anna", "", key, is_answered=True))

    assert kept.find(uuid4(), "anna", "") == expected
    assert [kept.find(exchange, "anna", "") for exchange in exchanges] == answered
    assert kept.find(uuid4(), "ben", "") is None
    assert kept.find(uuid4(), "anna", "other") is None


def test_a_key_that_is_not_used_any_more_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(credentials, "TTLCache", partial(TTLCache, timer=lambda: now))
    kept = Credentials()
    for minutes, key in ((0, "old"), (40, "old"), (80, "new")):
        now = minutes * 60.0
        kept.lend(Lent(uuid4(), "anna", "", key, is_answered=True))
    assert kept.find(uuid4(), "anna", "") == "old"

    now = 101 * 60.0
    kept.lend(Lent(uuid4(), "anna", "", "new", is_answered=True))

    assert kept.find(uuid4(), "anna", "") == "new"
