from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model import (
    COMMONS,
    STATEMENTS,
    Add,
    Candidate,
    Change,
    Exchange,
    Ignore,
    Kind,
    Memory,
    Provenance,
    Reason,
    Reinforce,
    Relation,
    Replace,
    Scope,
    Source,
    Turn,
    Vector,
)
from recollect.normalization import content_hash
from recollect.formation.reconciliation import may_repeat, reconcile

SAID_AT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
EARLIER = SAID_AT - timedelta(days=30)
NOW = SAID_AT + timedelta(seconds=5)
TURN = Turn(Scope("anna", "chat-1"), "words", "m1", SAID_AT, "a-model")
EXCHANGE = Exchange(UUID(int=1), TURN, "reply", UUID(int=2), UUID(int=3))


def known(
    number: int,
    content: str = "Lives in Kassel",
    *,
    kind: Kind = Kind.FACT,
    observed_at: datetime = EARLIER,
    owner: str = "anna",
) -> Memory:
    return Memory(UUID(int=number), owner, kind, Source.EXTRACTED, content, 0.5, observed_at, observed_at)


def candidate(
    content: str = "Lives in Leipzig", relation: Relation = Relation.NEW, about: int | None = None
) -> Candidate:
    return Candidate(content, Kind.FACT, 0.7, "I moved", 0.9, relation, about, EARLIER)


def reconciled(candidates: list[Candidate], *memories: Memory) -> list[Change]:
    ids: Iterator[int] = count(100)
    vectors: list[Vector] = [np.full(2, index, np.float32) for index, _ in enumerate(candidates)]
    return reconcile(
        list(zip(candidates, vectors, strict=True)),
        memories,
        exchange=EXCHANGE,
        embedding_model="tiny",
        at=NOW,
        new_id=lambda: UUID(int=next(ids)),
    )


def outline(changes: list[Change]) -> list[tuple[type[Change], int | None]]:
    """What kind of change each is, and which memory it touches."""
    targets = (getattr(change, "old", getattr(change, "target", None)) for change in changes)
    return [
        (type(change), target.int if target else None)
        for change, target in zip(changes, targets, strict=True)
    ]


def test_a_new_statement_is_added_with_all_that_is_known_of_it() -> None:
    [change] = reconciled([candidate()])

    memory = Memory(
        id=UUID(int=100),
        owner="anna",
        kind=Kind.FACT,
        source=Source.EXTRACTED,
        content="Lives in Leipzig",
        importance=0.7,
        confidence=0.9,
        observed_at=SAID_AT,
        created_at=NOW,
        event_at=EARLIER,
        provenance=Provenance("chat-1", (UUID(int=2),), "I moved"),
        embedding_model="tiny",
    )
    assert change == Add(memory, Reason.NEW)
    assert isinstance(change, Add)
    assert change.memory.embedding is not None
    assert change.memory.embedding.tolist() == [0, 0]


class TestEqualContent:
    @pytest.mark.parametrize("content", ["Lives in Kassel", "lives  in KASSEL.", "Lives in Ｋassel!"])
    @pytest.mark.parametrize("relation", list(Relation))
    def test_of_a_known_memory_is_ignored(self, content: str, relation: Relation) -> None:
        asked = candidate(content, relation, 0)

        assert reconciled([asked], known(7)) == [
            Ignore(Reason.EQUAL_CONTENT, asked, UUID(int=7), (EXCHANGE.message_id,))
        ]

    def test_within_one_exchange_is_ignored(self) -> None:
        first, second, _ = changes = reconciled(
            [candidate(), candidate("lives in leipzig"), candidate("Plays chess")]
        )

        assert outline(changes) == [(Add, None), (Ignore, 100), (Add, None)]
        assert isinstance(first, Add)
        assert second == Ignore(
            Reason.EQUAL_CONTENT, candidate("lives in leipzig"), first.memory.id, (EXCHANGE.message_id,)
        )

    def test_counts_also_after_a_replacement_and_a_repetition(self) -> None:
        changes = reconciled(
            [
                candidate("Lives in Leipzig", Relation.CONTRADICTS, 0),
                candidate("Lives in Leipzig!"),
                candidate("Likes tea a lot", Relation.REPEATS, 1),
                candidate("likes tea a lot"),
            ],
            known(7),
            known(8, "Likes tea"),
        )

        assert outline(changes) == [(Replace, 7), (Ignore, 100), (Reinforce, 8), (Ignore, 8)]


class TestRepeats:
    def test_a_known_memory_is_reinforced_once_an_exchange(self) -> None:
        first = candidate("Has moved to Kassel", Relation.REPEATS, 0)
        second = candidate("Is at home in Kassel", Relation.REPEATS, 0)

        assert reconciled([first, second], known(7)) == [
            Reinforce(UUID(int=7), messages=(EXCHANGE.message_id,)),
            Ignore(Reason.REPEATS, second, UUID(int=7), (EXCHANGE.message_id,)),
        ]

    def test_what_was_just_replaced_is_ignored(self) -> None:
        changes = reconciled(
            [
                candidate("Lives in Kassel-Mitte", Relation.REFINES, 0),
                candidate("Is at home in Kassel", Relation.REPEATS, 0),
            ],
            known(7),
        )

        assert outline(changes) == [(Replace, 7), (Ignore, 7)]

    @pytest.mark.parametrize("content", ["Does not live in Kassel", "Lives in Kassel since 2024"])
    def test_another_number_or_negation_makes_it_a_refinement(self, content: str) -> None:
        [change] = reconciled([candidate(content, Relation.REPEATS, 0)], known(7))

        assert isinstance(change, Replace)
        assert (change.old, change.reason, change.memory.content) == (UUID(int=7), Reason.REFINES, content)

    def test_a_memory_that_several_share_is_reinforced(self) -> None:
        [change] = reconciled(
            [candidate("Is at home in Kassel", Relation.REPEATS, 0)], known(7, owner=COMMONS)
        )

        assert change == Reinforce(UUID(int=7), messages=(EXCHANGE.message_id,))


class TestRefinesAndContradicts:
    @pytest.mark.parametrize(
        ("relation", "reason"),
        [(Relation.REFINES, Reason.REFINES), (Relation.CONTRADICTS, Reason.CONTRADICTS)],
    )
    def test_the_newer_replaces_the_older(self, relation: Relation, reason: Reason) -> None:
        [change] = reconciled([candidate(relation=relation, about=1)], known(6, "Likes tea"), known(7))

        assert isinstance(change, Replace)
        assert (change.old, change.reason, change.memory.content) == (
            UUID(int=7),
            reason,
            "Lives in Leipzig",
        )

    @pytest.mark.parametrize("observed_at", [SAID_AT, SAID_AT + timedelta(seconds=1)])
    def test_what_is_not_newer_replaces_nothing(self, observed_at: datetime) -> None:
        asked = candidate(relation=Relation.CONTRADICTS, about=0)

        [change] = reconciled([asked], known(7, observed_at=observed_at))

        assert change == Ignore(Reason.NOT_NEWER, asked, UUID(int=7), (EXCHANGE.message_id,))

    def test_only_the_first_replaces_and_the_second_is_added(self) -> None:
        changes = reconciled(
            [
                candidate("Lives in Leipzig", Relation.CONTRADICTS, 0),
                candidate("Works from home", Relation.CONTRADICTS, 0),
            ],
            known(7),
        )

        assert outline(changes) == [(Replace, 7), (Add, None)]

    def test_a_memory_that_several_share_is_not_replaced(self) -> None:
        changes = reconciled([candidate(relation=Relation.CONTRADICTS, about=0)], known(7, owner=COMMONS))

        assert outline(changes) == [(Add, None)]


@pytest.mark.parametrize("relation", [Relation.REPEATS, Relation.REFINES, Relation.CONTRADICTS])
class TestWhatCannotBeTouched:
    @pytest.mark.parametrize("about", [None, 1, 99, -1])
    def test_a_number_that_was_not_shown_makes_it_new(self, relation: Relation, about: int | None) -> None:
        assert outline(reconciled([candidate("Has moved", relation, about)], known(7))) == [(Add, None)]

    @pytest.mark.parametrize("kind", [Kind.QA_TURN, Kind.SUMMARY, Kind.PROFILE])
    def test_turns_summaries_and_profiles_stay(self, relation: Relation, kind: Kind) -> None:
        changes = reconciled([candidate("Has moved", relation, 0)], known(7, kind=kind))

        assert outline(changes) == [(Add, None)]


contents = st.sampled_from(["Lives in Kassel", "lives in kassel.", "Has 2 cats", "Has 3 cats", "Has no cats"])
candidates = st.builds(
    candidate, contents, st.sampled_from(Relation), st.none() | st.integers(min_value=-1, max_value=4)
)
memories = st.builds(
    lambda content, kind, days, owner: (content, kind, SAID_AT + timedelta(days=days), owner),
    contents,
    st.sampled_from(Kind),
    st.integers(-1, 1),
    st.sampled_from(["anna", COMMONS]),
)


@given(st.lists(candidates, max_size=8), st.lists(memories, max_size=4))
def test_no_memory_is_replaced_twice_or_by_anything_older(
    asked: list[Candidate], had: list[tuple[str, Kind, datetime, str]]
) -> None:
    shown = [
        known(number, content, kind=kind, observed_at=observed_at, owner=owner)
        for number, (content, kind, observed_at, owner) in enumerate(had, start=1)
    ]

    changes = reconciled(asked, *shown)

    assert len(changes) == len(asked)
    replaced = [change.old for change in changes if isinstance(change, Replace)]
    assert len(replaced) == len(set(replaced))
    for memory in shown:
        if memory.id in replaced:
            assert (memory.owner, memory.observed_at) == ("anna", SAID_AT - timedelta(days=1))
            assert memory.kind in STATEMENTS
    written = [change.memory.content for change in changes if isinstance(change, Add | Replace)]
    hashes = [content_hash(content) for content in [*written, *{memory.content for memory in shown}]]
    assert all(hashes.count(content_hash(content)) == 1 for content in written)


@pytest.mark.parametrize(
    ("content", "said_before"),
    [
        ("Likes tea", "Prefers tea over coffee"),
        ("Carries an EpiPen", "Carries 2 EpiPens"),
        ("Doesn’t eat meat", "Never eats meat"),
        ("Isst kein Fleisch", "Isst nie Fleisch"),
        ("不吃肉", "从不吃肉"),
    ],
)
def test_nothing_speaks_against_a_repetition(content: str, said_before: str) -> None:
    assert may_repeat(content, said_before)


@pytest.mark.parametrize(
    ("content", "said_before"),
    [
        ("Carries 3 EpiPens", "Carries 2 EpiPens"),
        ("Meets Tom at 10:30", "Meets Tom at 10:00"),
        ("Has 2 cats", "Has cats"),
        ("Likes tea", "Does not like tea"),
        ("Can’t swim", "Can swim"),
        ("Raucht nicht", "Raucht"),
        ("吃肉", "不吃肉"),
        ("Ест мясо", "Не ест мясо"),
        ("肉を食べない", "肉を食べる"),
    ],
)
def test_a_number_or_a_negation_speaks_against_it(content: str, said_before: str) -> None:
    assert not may_repeat(content, said_before)
