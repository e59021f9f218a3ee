import pytest
from tests.tables import table

from recollect.formation.difference.spelling import is_inhabitant, is_of_one_family, is_slip, is_spelled_alike


@pytest.mark.parametrize(
    ("one", "other"), [("recieve", "receive"), ("adress", "address"), ("tommorow", "tomorow")]
)
def test_swapped_and_doubled_letters_are_slips(one: str, other: str) -> None:
    assert is_slip(one, other)
    assert is_slip(other, one)


@table(
    ("one", "other"),
    [
        ("horse", "house"),
        ("beer", "bear"),
        ("contact", "contract"),
        ("kitchen", "kitten"),
        ("b12345", "b12354"),
        ("marathon", "triathlon"),
    ],
)
def test_other_letters_make_other_words(one: str, other: str) -> None:
    assert not is_slip(one, other)


@pytest.mark.parametrize(
    ("one", "other"), [("colour", "color"), ("organise", "organize"), ("adress", "address")]
)
def test_two_countries_spell_one_word(one: str, other: str) -> None:
    assert is_spelled_alike(one, other)


def test_another_word_is_not_spelled_alike() -> None:
    assert not is_spelled_alike("four", "fire")


def test_words_of_one_family_begin_alike() -> None:
    assert is_of_one_family("boulangere", "boulangerie")
    assert not is_of_one_family("violin", "viola player")
    assert not is_of_one_family("wand", "wald")


@table(
    ("place", "of_it", "expected"),
    [
        ("bremen", "bremer", True),
        ("bamberg", "bamberger", True),
        ("dresden", "dresdner", True),
        ("jonas", "jonathan", False),
        ("martin", "martina", False),
        ("ulm", "ulmer", False),
        ("bremer", "bremer", False),
        ("essen", "hessen", False),
    ],
)
def test_a_place_and_what_is_of_it_are_told(place: str, of_it: str, *, expected: bool) -> None:
    assert is_inhabitant(place, of_it) is is_inhabitant(of_it, place) is expected
