from datetime import UTC, datetime
from uuid import UUID

import pytest
from tests.tables import table

from recollect.formation.suspicion import MOST_BY_NAME, suspects
from recollect.model import Kind, Memory, Provenance, Source

SAID_AT = datetime(2026, 3, 1, 9, tzinfo=UTC)


def memory(number: int, content: str, evidence: str = "") -> Memory:
    return Memory(
        UUID(int=number),
        "anna",
        Kind.FACT,
        Source.EXTRACTED,
        content,
        0.5,
        SAID_AT,
        SAID_AT,
        provenance=Provenance(evidence=evidence),
    )


@table(
    ("old", "new", "dependent"),
    [
        ("Lives in Portsmouth", "Lives in Inverness", "Takes the ferry from Portsmouth"),
        ("Wohnt in Bremen", "Wohnt in Dresden", "Geht auf den Bremer Flohmarkt"),
        ("Живёт в Самаре", "Живёт в Томске", "Гуляет по набережной Самары"),
        ("住在青岛", "住在西安", "周末在青岛海边跑步"),
        ("横浜に住んでいる", "福岡に住んでいる", "横浜の図書館で勉強する"),
        ("Is engaged to Fergus", "Is single", "Plans a trip with Fergus"),
    ],
)
def test_what_names_the_place_or_the_person_left_is_suspect(old: str, new: str, dependent: str) -> None:
    statements = [memory(1, old), memory(3, dependent), memory(4, "Has a peanut allergy")]

    found = list(suspects(statements[0], memory(2, new), [], statements, speaker="Anna"))

    assert found == [statements[1]]


def test_the_words_a_memory_rests_on_name_it_too() -> None:
    old, dependent = memory(1, "Lives in Hull"), memory(3, "Swims in the town pool", "the pool in hull")

    assert list(suspects(old, memory(2, "Lives in York"), [], [dependent], speaker="")) == [dependent]


@pytest.mark.parametrize(
    "independent", ["Was born in Hull", "Their sister lives in Hull", "Grew up in Hull", "Likes York"]
)
def test_where_somebody_comes_from_or_others_live_depends_on_nothing(independent: str) -> None:
    found = suspects(
        memory(1, "Lives in Hull"), memory(2, "Lives in York"), [], [memory(3, independent)], speaker=""
    )

    assert not list(found)


def test_the_name_of_the_person_and_one_that_much_holds_say_nothing() -> None:
    old, new = memory(1, "Is happy in Hull, says Anna"), memory(2, "Is unhappy")
    many = [memory(number, f"Has friend {number} in Hull") for number in range(3, 4 + MOST_BY_NAME)]
    own = memory(9, "Is called Anna")

    assert not list(suspects(old, new, [], [*many, own], speaker="Anna Berg"))
    assert list(suspects(old, new, [own, old], many, speaker="")) == [own]
