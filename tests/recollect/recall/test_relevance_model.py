"""How likely a question needs each statement, by the weights that come with the package."""

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.recollections import NOON, memory
from tests.support.tables import table

from recollect.index import LetterRuns, StatementColumns, letter_runs, with_hints
from recollect.model import Hints, Kind, Memory
from recollect.recall.relevance_model import (
    INTENTS,
    EmbeddedQuestion,
    Floats,
    QuadraticHead,
    Relevance,
    Statements,
    contextual_vector,
    features,
    general_score,
    intent_logits,
    judge,
    proximities,
    shipped_model,
)
from recollect.text.dates.date_finder import Period, dates_meant

UNKNOWN = np.array([np.nan, np.nan])


def alone(text: str) -> EmbeddedQuestion:
    return EmbeddedQuestion(text, NOON, dates_meant(text, NOON))


def judged(
    text: str, statements: list[Memory], near: Floats = UNKNOWN, asked: Floats | None = None
) -> Relevance:
    letters = LetterRuns.from_texts([with_hints(each) for each in statements]).shared(text)
    near_by_hints = near if asked is None else asked
    compared = Statements(StatementColumns.from_statements(statements), near, near_by_hints, letters)
    return judge(alone(text), compared, shipped_model())


def test_the_nearer_of_two_is_the_likelier() -> None:
    two = [memory("Lives in Lisbon"), memory("Drinks green tea")]

    likely, parts, _ = judged("Where do I live?", two, np.array([0.6, 0.1]))

    assert likely[0] > likely[1]
    assert {np.size(each) for each in parts.values()} == {1, 2}


def test_what_each_feature_gave_makes_up_the_probability() -> None:
    two = [memory("Lives in Lisbon"), memory("Drinks green tea")]

    likely, parts, _ = judged("Where do I live?", two, np.array([0.6, 0.1]))

    logits = sum(parts.values()) + shipped_model().regression.bias
    assert 1 / (1 + np.exp(-logits)) == pytest.approx(likely)


def test_of_two_alike_the_one_whose_hints_are_nearer_is_the_likelier_and_the_question_needs_it_more() -> None:
    two = [memory("Is allergic to nuts", hints=Hints(topics=("birthday cakes",))), memory("Drinks green tea")]
    near = np.array([0.1, 0.1])

    likely, _, need = judged("A cake for the office?", two, near, np.array([0.5, 0.1]))
    _, _, without = judged("A cake for the office?", two, near)

    assert likely[0] > likely[1]
    assert need > without


def test_where_no_embedding_came_words_alone_tell() -> None:
    two = [memory("Moved from Porto to Lisbon"), memory("Drinks green tea")]

    likely, _, _ = judged("when did I move to lisbon", two)

    assert likely[0] > likely[1]


def test_what_is_due_when_asked_for_counts_as_near_in_time() -> None:
    asked = alone("What do I have on next week?")
    [period] = asked.periods
    due = memory("Dentist", kind=Kind.TODO, event_at=period.start + timedelta(days=1))
    other = memory("Dentist", kind=Kind.TODO, event_at=period.start + timedelta(days=90))

    columns = StatementColumns.from_statements([due, other])
    compared = Statements(columns, UNKNOWN, UNKNOWN, np.zeros(2))
    assert np.asarray(features(asked, compared, np.zeros(len(INTENTS)))["when"]).tolist() == [1.0, 0.0]


@table(
    ("at", "near"),
    [
        (NOON.replace(hour=0), True),  # the day alone is known
        (NOON + timedelta(hours=1), True),
        (NOON - timedelta(hours=1), False),
        (NOON.replace(hour=0) - timedelta(days=1), False),
    ],
)
def test_an_event_of_today_without_an_hour_is_near_until_the_day_is_over(at: datetime, *, near: bool) -> None:
    columns = StatementColumns.from_statements([memory("Sees the dentist", event_at=at)])
    compared = Statements(columns, UNKNOWN[:1], UNKNOWN[:1], np.zeros(1))

    [when] = np.asarray(features(alone("Can we meet?"), compared, np.zeros(len(INTENTS)))["when"]).tolist()

    assert (when > 0.29) is near


def test_without_a_vector_nothing_is_known_of_what_is_asked() -> None:
    asked, model = alone("What do you know about me?"), shipped_model()

    assert intent_logits(asked, model.heads).tolist() == [0.0] * len(INTENTS)
    assert general_score(asked, model.general) == 0


def test_a_question_known_to_ask_about_the_person_never_sounds_general() -> None:
    head = QuadraticHead(np.eye(2), np.array([1.0, -1.0]), np.zeros(2), 0.0)
    asked = replace(alone("Where live?"), vector=np.array([1.0, 0.0], np.float32))

    assert general_score(asked, head) > 0
    assert general_score(replace(asked, is_personal=True), head) == 0


def test_what_was_said_before_draws_a_question_towards_it() -> None:
    across, along = np.eye(2, dtype=np.float32)

    drawn = contextual_vector(across, along)

    assert np.linalg.norm(drawn) == pytest.approx(1)
    assert drawn @ across > drawn @ along > 0


@given(st.lists(st.text(max_size=50), min_size=1, max_size=5), st.text(max_size=200))
def test_whatever_is_asked_of_whatever_is_known_a_probability_comes(contents: list[str], text: str) -> None:
    statements = [memory(content) for content in contents]

    likely, _, _ = judged(text, statements, np.full(len(statements), np.nan))

    assert ((likely >= 0) & (likely <= 1)).all()


DAY = Period(datetime(2024, 3, 15, tzinfo=UTC), datetime(2024, 3, 16, tzinfo=UTC))
MONTH = Period(datetime(2024, 3, 1, tzinfo=UTC), datetime(2024, 4, 1, tzinfo=UTC))


@table(
    ("moment", "periods", "expected"),
    [
        (DAY.start, [DAY], 1.0),
        (DAY.end, [DAY], 0.5),
        (DAY.end + timedelta(hours=12), [DAY], 0.25),
        (DAY.start - timedelta(hours=12), [DAY], 0.25),
        (DAY.end + timedelta(days=2), [DAY], 0.0),
        (DAY.end + timedelta(days=2), [DAY, MONTH], 1.0),
        (MONTH.end + timedelta(days=15, hours=12), [MONTH], 0.25),
    ],
)
def test_nearness_to_dates_falls_outside(moment: datetime, periods: list[Period], expected: float) -> None:
    assert proximities(np.array([moment.timestamp(), np.nan]), periods).tolist() == pytest.approx(
        [expected, np.nan], nan_ok=True
    )


ANY_TEXTS = st.lists(st.text(max_size=30) | st.text(alphabet="ab 漢字é", max_size=30), max_size=6)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("zuciłem palenie", "Rzucił palenie w maju"),
        ("alergic to peanuts", "Allergic to peanut butter"),
        ("我住在上海", "上海人"),
        ("iPhoneを買う", "New iPhone"),
    ],
)
def test_inflected_mistyped_and_joined_words_share_letters(one: str, other: str) -> None:
    assert letter_runs(one) & letter_runs(other)
    assert LetterRuns.from_texts([other, "xyz"]).shared(one)[0] > 0


def test_a_rare_run_counts_for_more_than_one_that_all_texts_hold() -> None:
    shared = LetterRuns.from_texts(["the cat", "the dog", "the"]).shared("the cat")

    everywhere, rare = math.log(4 / 3.5), math.log(4 / 1.5)
    # " the", "the " and " cat", "cat ".
    assert shared.tolist() == pytest.approx([1.0, *2 * [2 * everywhere / (2 * everywhere + 2 * rare)]])


@given(ANY_TEXTS, st.text(max_size=30) | st.text(alphabet="ab 漢字é", max_size=30))
def test_the_index_finds_the_texts_that_hold_each_run(texts: list[str], question: str) -> None:
    asked = letter_runs(question)
    # A question's single ideogram counts wherever it stands in a text.
    held = [letter_runs(text) | set(text.casefold()) for text in texts]
    rarity = {run: math.log((len(texts) + 1) / (sum(run in each for each in held) + 0.5)) for run in asked}
    expected = [sum(rarity[run] for run in asked & each) / sum(rarity.values() or [1]) for each in held]

    assert LetterRuns.from_texts(texts).shared(question).tolist() == pytest.approx(expected)


@given(ANY_TEXTS, ANY_TEXTS)
def test_joined_and_thinned_indexes_equal_those_made_at_once(one: list[str], other: list[str]) -> None:
    whole = LetterRuns.from_texts([*one, *other])
    is_kept = np.array([bool(len(each) % 2) for each in [*one, *other]], np.bool_)
    some = [text for text, kept in zip([*one, *other], is_kept, strict=True) if kept]

    assert (
        LetterRuns.from_texts(one).joined(LetterRuns.from_texts(other)).keys.tolist() == whole.keys.tolist()
    )
    assert whole.taken(np.flatnonzero(is_kept)).keys.tolist() == LetterRuns.from_texts(some).keys.tolist()
