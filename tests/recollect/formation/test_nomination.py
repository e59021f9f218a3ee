from datetime import UTC, datetime
from uuid import UUID

import pytest

from recollect.formation.reconciliation import Weighed, nominate
from recollect.formation.verification import Believed
from recollect.model import Candidate, Judging, Kind, Memory, Relation, Source

AT = datetime(2026, 5, 1, tzinfo=UTC)


def memory(number: int, content: str = "Plays the oboe", kind: Kind = Kind.FACT) -> Memory:
    return Memory(UUID(int=number), "anna", kind, Source.EXTRACTED, content, 0.5, AT, AT)


def weighed(
    near: dict[int, float],
    content: str = "Is learning an instrument",
    relation: Relation = Relation.NEW,
    turn: int = 0,
) -> Weighed:
    candidate = Candidate(content, Kind.FACT, 0.5, "words", relation=relation, about=(0,))
    return Weighed(
        Believed(candidate, turn), None, {UUID(int=number): cosine for number, cosine in near.items()}
    )


def nominated(
    *candidates: Weighed,
    shown: tuple[Memory, ...] = (),
    nearby: tuple[Memory, ...] = (),
    corrects: frozenset[int] = frozenset(),
) -> list[tuple[int, int]]:
    pairs = nominate(candidates, shown, nearby, corrects=corrects, threshold=0.5)
    return [(index, found.id.int) for index, found in pairs]


def test_what_is_near_and_was_not_shown_is_asked_about() -> None:
    assert nominated(weighed({1: 0.5, 2: 0.49}), nearby=(memory(1), memory(2))) == [(0, 1)]


def test_what_was_shown_is_not_asked_about_again() -> None:
    assert nominated(weighed({1: 0.9}), shown=(memory(1),)) == []


@pytest.mark.parametrize(("relation", "pairs"), [(Relation.NEW, [(0, 1)]), (Relation.REPEATS, [])])
def test_but_where_a_correction_was_taken_for_new(relation: Relation, pairs: list[tuple[int, int]]) -> None:
    asked = weighed({1: 0.9}, relation=relation)

    assert nominated(asked, shown=(memory(1),), corrects=frozenset({0})) == pairs
    assert nominated(asked, shown=(memory(1),), corrects=frozenset({1})) == []


def test_what_was_shown_and_taken_for_new_is_asked_about_where_that_is_wanted() -> None:
    shown, asked = (memory(1),), weighed({1: 0.9})
    tied = weighed({1: 0.9}, relation=Relation.REPEATS)

    def pairs(each: Weighed, judging: Judging) -> list[tuple[int, Memory]]:
        return nominate([each], shown, (), corrects=frozenset(), threshold=0.5, judging=judging)

    assert pairs(asked, Judging.NEAR) == [(0, shown[0])]
    assert pairs(tied, Judging.NEAR) == []
    assert pairs(asked, Judging.UNSEEN) == []


def test_nothing_is_where_nobody_is_to_be_asked() -> None:
    near = weighed({1: 0.9})

    assert nominate([near], (), [memory(1)], corrects=frozenset(), threshold=0.5, judging=Judging.OFF) == []


@pytest.mark.parametrize("content", ["plays the oboe in Bergen.", "Plays an oboe in Bergen"])
def test_what_letters_decide_is_not_asked(content: str) -> None:
    stored = memory(1, "Plays the oboe in Bergen")

    assert nominated(weighed({1: 0.9, 2: 0.8}, content), nearby=(stored, memory(2, "Likes opera"))) == []


def test_only_statements_that_are_known_are_asked_about() -> None:
    assert nominated(weighed({1: 0.9, 3: 0.9}), nearby=(memory(1, kind=Kind.SUMMARY),)) == []


def test_two_of_a_candidate_and_ten_in_all_are_asked_about_the_nearest_first() -> None:
    nearby = tuple(memory(number, f"Thing of number {number}") for number in range(1, 30))
    candidates = [
        weighed({number: 0.5 + number / 100 for number in range(1, 30, 3)}, f"What {n}") for n in range(8)
    ]

    pairs = nominated(*candidates, nearby=nearby)

    assert pairs == [(index, 28) for index in range(8)] + [(0, 25), (1, 25)]
