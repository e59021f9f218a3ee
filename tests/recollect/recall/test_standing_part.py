"""The standing part of every chat: the most important statements that hold and fit."""

import random
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st
from tests.support.recollections import NOON, memory, passage, recollection
from tests.support.tables import table

from recollect.model import Doubt, Hints, Kind, Memory, Provenance, Recollection, Use
from recollect.recall import PromptTexts, SelectionContext, worth
from recollect.recall.selection import choose_standing, standing_part
from recollect.text.tokens import estimate_tokens

DAY = timedelta(days=1)
PLENTY = 1000
AROUND = SelectionContext("chat-1", asks_for_chats=False)


def chosen(*memories: Memory, budget: int = PLENTY) -> list[str]:
    found = choose_standing(memories, budget=budget, count=estimate_tokens, now=NOON)
    return [each.content for each in found]


def part(
    *memories: Memory, found: tuple[Recollection, ...] = (), around: SelectionContext = AROUND
) -> list[Recollection]:
    return list(standing_part(memories, found, around, budget=PLENTY, count=estimate_tokens, now=NOON))


def test_where_all_fit_all_stand() -> None:
    all_of_them = [memory(f"Fact {number}", importance=number / 10) for number in range(9)]

    assert chosen(*all_of_them) == [f"Fact {number}" for number in reversed(range(9))]


def test_how_to_answer_comes_before_what_matters_as_much() -> None:
    fact, preference = memory("Has a cat"), memory("Wants short answers", kind=Kind.PREFERENCE)

    assert worth(preference, NOON) > worth(fact, NOON)
    assert chosen(fact, preference) == ["Wants short answers", "Has a cat"]


def test_health_and_what_is_for_every_answer_come_first_and_what_is_only_asked_for_stays_out() -> None:
    pinned = memory("Metric units", importance=0.1, hints=Hints(Use.ALWAYS))
    vital = memory("Allergic to nuts", importance=0.9)
    asked = memory("Passport number", importance=0.95, hints=Hints(Use.ASKED))
    home = memory("Lives in Lisbon", importance=0.8)

    assert chosen(vital, asked, home, pinned) == ["Allergic to nuts", "Metric units", "Lives in Lisbon"]


def test_of_more_than_fit_those_that_the_question_likely_needs_go_first() -> None:
    metric, nuts = memory("Metric units", hints=Hints(Use.ALWAYS)), memory("Allergic to nuts", importance=0.9)
    home, one_line = memory("Lives in Lisbon", importance=0.8), estimate_tokens("\u2022 Allergic to nuts\n")

    def fits(likely: dict[UUID, float], budget: int) -> list[str]:
        found = choose_standing(
            (home, metric, nuts), budget=budget, count=estimate_tokens, now=NOON, likely=likely
        )
        return [each.content for each in found]

    assert fits({metric.id: 0.2, nuts.id: 0.1}, one_line) == ["Metric units"]
    assert fits({metric.id: 0.1, nuts.id: 0.2}, one_line) == ["Allergic to nuts"]
    assert fits({metric.id: 0.2, nuts.id: 0.1}, PLENTY) == fits({}, PLENTY)  # in one order in each chat
    metric = replace(metric, doubt=Doubt.SUSPECT)
    assert fits({metric.id: 0.2, nuts.id: 0.1}, one_line) == ["Allergic to nuts"]


def test_the_profile_goes_before_all_that_the_question_may_need() -> None:
    name = memory("Called Anna", kind=Kind.PROFILE, importance=1.0)
    nuts = memory("Allergic to nuts", importance=0.9)

    found = choose_standing([nuts, name], budget=8, count=estimate_tokens, now=NOON, likely={nuts.id: 0.9})

    assert [each.content for each in found] == ["Called Anna"]


def test_what_only_some_requests_need_pushes_out_neither_wishes_for_every_answer_nor_health() -> None:
    lesson = memory("Unload at ramp 3", kind=Kind.INSIGHT, importance=0.9, hints=Hints(Use.TOPIC))
    wish = memory("Metric units", kind=Kind.PREFERENCE, importance=0.8, hints=Hints(Use.ALWAYS))
    vital = memory("Allergic to nuts", importance=0.9, hints=Hints(Use.TOPIC))

    assert chosen(lesson, wish, vital) == ["Metric units", "Allergic to nuts", "Unload at ramp 3"]


def test_of_what_matters_as_much_the_newest_comes_first() -> None:
    old, new = memory("Has a cat", observed_at=NOON - 90 * DAY), memory("Has a dog")

    assert chosen(old, new) == ["Has a dog", "Has a cat"]


def test_what_does_not_fit_is_passed_over_for_a_smaller_one_behind_it() -> None:
    assert chosen(memory("long " * 200, importance=0.9), memory("Has a cat"), budget=50) == ["Has a cat"]


def test_what_is_in_doubt_comes_behind_all_that_is_sure() -> None:
    doubted = memory("Commutes by train", importance=0.9, doubt=Doubt.SUSPECT)
    assert chosen(doubted, memory("Has a cat", importance=0.3)) == ["Has a cat", "Commutes by train"]


@table(
    ("changed", "stands"),
    [
        ({"holds_until": NOON - DAY}, False),
        ({"holds_until": NOON + DAY}, True),
        ({"kind": Kind.TODO, "event_at": NOON - DAY}, False),
        ({"kind": Kind.TODO, "event_at": NOON.replace(hour=0)}, True),
        ({"kind": Kind.TODO, "event_at": NOON + DAY}, True),
        ({"kind": Kind.FACT, "event_at": NOON - DAY}, True),
    ],
)
def test_what_is_over_does_not_stand(changed: dict[str, Any], *, stands: bool) -> None:
    assert bool(chosen(memory("Rents a flat", **changed))) is stands


@given(st.integers(0, 300), st.randoms(use_true_random=False))
def test_any_order_comes_to_the_same_within_the_budget(budget: int, order: random.Random) -> None:
    memories = [memory(f"Fact {n} " * (n % 5 + 1), importance=n % 4 / 4) for n in range(20)]
    shuffled = order.sample(memories, len(memories))

    found = chosen(*shuffled, budget=budget)

    assert found == chosen(*memories, budget=budget)
    assert sum(estimate_tokens(f"- {each}\n") for each in found) <= budget


# -- beside what was recalled ----------------------------------------------------------------------


def test_what_was_recalled_too_stands_with_its_score() -> None:
    cat, dog = memory("Has a cat"), memory("Keeps bees in Kassel")

    assert part(cat, dog, found=(Recollection(dog, 0.7, (("dense", 0.7),)),)) == [
        Recollection(dog, 0.7, standing=True),
        Recollection(cat, 0.0, standing=True),
    ]


def test_what_was_recalled_in_other_words_does_not_stand_again() -> None:
    said = recollection("Keeps three hives of bees in Kassel")

    assert part(memory("Keeps three hives of bees, in Kassel"), found=(said,)) == []


def test_what_earlier_blocks_or_the_request_say_does_not_stand_again() -> None:
    cat, bees = memory("Has a cat"), memory("Keeps bees")
    around = SelectionContext(
        "chat-1", asks_for_chats=False, given={cat.id}, prompt=PromptTexts(["You know: keeps bees."])
    )

    assert part(cat, bees, around=around) == []


def test_what_was_learned_from_an_edited_message_alone_does_not_stand() -> None:
    said = passage("I keep bees")
    bees = memory("Keeps bees", provenance=Provenance("chat-1", (said.message_id,)))
    around = SelectionContext("chat-1", asks_for_chats=False, abandoned=frozenset({said.message_id}))

    assert part(bees, around=around) == []
