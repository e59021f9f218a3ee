from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from recollect.formation.difference.categories import excluding_things, things
from recollect.formation.difference.category_words import CATEGORY_WORDS
from recollect.formation.difference.compounds import excluding_compounds


@table(
    ("one", "other"),
    [
        ("Plays the oboe", "Plays the flute in a band"),
        ("Joue du hautbois", "Joue de la clarinette"),
        ("Играет на скрипке", "Играет на балалайке"),
        ("女儿在学钢琴", "女儿在学古筝"),
        ("Trinkt morgens Kakao", "Trinkt morgens Kaffee"),
        ("毎週水泳をする", "毎週テニスをする"),
        ("Estudia alemán", "Estudia inglés los lunes"),
    ],
)
def test_things_of_one_category_exclude_each_other(one: str, other: str) -> None:
    assert excluding_things(one, other)
    assert excluding_things(other, one)


@table(
    ("one", "other"),
    [
        ("Goes jogging", "Runs every day"),
        ("Plays an instrument", "Plays the viola"),
        ("Drinks tea", "Drinks tea and coffee"),
        ("Has a cat", "Plays tennis"),
        ("Mag Joghurt", "Macht Yoga"),
    ],
)
def test_the_same_thing_a_wider_word_or_another_category_excludes_nothing(one: str, other: str) -> None:
    assert excluding_things(one, other) is None


def test_every_category_has_several_things() -> None:
    assert all(len(lines.strip().splitlines()) > 1 for lines in CATEGORY_WORDS.values())


@given(st.text(max_size=300))
def test_no_text_excludes_itself(text: str) -> None:
    assert excluding_things(text, text) is None
    assert all(found for found in things(text).values())


@table(
    ("new", "known", "are_denied", "differ"),
    [
        ("wohnzimmer", "schlafzimmer", False, True),
        ("kirchenchor", "chor", False, False),
        ("schweinefleisch", "fleisch", False, False),
        ("schweinefleisch", "fleisch", True, True),
        ("freundschaft", "mitgliedschaft", False, False),
        ("wohnung", "rechnung", False, False),
        ("see", "fee", False, False),
    ],
)
def test_compounds_of_one_head_are_two_things(
    new: str, known: str, *, are_denied: bool, differ: bool
) -> None:
    found = excluding_compounds([new], [known], are_denied=are_denied)

    assert found == ((new, known) if differ else None)
