from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from recollect.formation.dating import dated
from recollect.model import Candidate, Kind

SAID_AT = datetime(2025, 6, 12, 18, tzinfo=UTC)  # a Thursday


def event(words: str, told: str | None) -> str | None:
    """Return the day a candidate of these words is given, where the model told that one."""
    told_at = None if told is None else datetime.fromisoformat(told).replace(tzinfo=UTC)
    candidate = Candidate("Something happened", Kind.FACT, 0.5, words, event_at=told_at)
    found = dated(candidate, SAID_AT).event_at
    return None if found is None else f"{found:%Y-%m-%d}"


@table(
    ("words", "told", "right"),
    [
        ("I moved to Leipzig yesterday", "2026-11-21", "2025-06-11"),  # told from the day the job ran
        ("I moved to Leipzig yesterday", "2025-06-11", "2025-06-11"),
        ("wir sind gestern umgezogen", "2023-06-11", "2025-06-11"),
        ("j'ai déménagé hier", "2026-11-21", "2025-06-11"),
        ("ayer me mudé a Vigo", "2026-11-21", "2025-06-11"),
        ("я переехал вчера", "2026-11-21", "2025-06-11"),
        ("我昨天搬家了", "2026-11-21", "2025-06-11"),
        ("we married in March 2019", "2018-05-01", "2019-03-01"),
        ("we married in March 2019", "2019-03-20", "2019-03-20"),
        ("I was born in 1987", "1987-09-03", "1987-09-03"),
    ],
)
def test_a_date_is_the_one_the_words_name(words: str, told: str, right: str) -> None:
    assert event(words, told) == right


def test_a_day_that_is_named_is_given_to_what_has_none() -> None:
    assert event("I moved to Leipzig yesterday", None) == "2025-06-11"


@pytest.mark.parametrize("words", ["we married in March 2019", "I like tea", ""])
def test_nothing_less_exact_is(words: str) -> None:
    assert event(words, None) is None


@pytest.mark.parametrize("words", ["I like tea", "from 2025-01-02 and again on 2025-03-04", "on 03/04/2024"])
def test_words_that_name_no_time_or_several_leave_the_models(words: str) -> None:
    assert event(words, "2020-02-02") == "2020-02-02"


def test_a_time_zone_is_no_error() -> None:
    assert event("I moved yesterday", "2025-06-12") == "2025-06-12"


@given(st.text(), st.none() | st.datetimes(timezones=st.just(UTC)))
def test_any_words_are_read(words: str, told: datetime | None) -> None:
    candidate = Candidate("x", Kind.FACT, 0.5, words, event_at=told)

    assert replace(dated(candidate, SAID_AT), event_at=told) == candidate
