import pytest
from tests.tables import table

from recollect.formation.difference.slots import in_one_place, nouns_in_one_place
from recollect.formation.wording import wording


@table(
    ("new", "known", "nouns"),
    [
        ("Owns a kettle", "Owns a toaster", ("kettle", "toaster")),
        ("Hat einen Kurs in Töpfern", "Hat einen Kurs in Nähen", ("topfern", "nahen")),
        ("A rendez-vous chez le coiffeur", "A rendez-vous chez le dentiste", ("coiffeur", "dentiste")),
        ("女儿在学陶艺", "女儿在学书法", ("陶艺", "书法")),
        ("Is frightened of flying", "Is scared of flying", None),
        ("Owns a kettle and a pan", "Owns two old toasters", None),
        ("在成都当护士", "在成都做护士", None),
        ("Не ест мясного", "Не ест мясо", None),
        ("Owns a colour printer", "Owns a color printer", None),
        ("她喜欢猫", "公司在北京朝阳", None),
    ],
)
def test_nouns_in_one_place_are_found(new: str, known: str, nouns: tuple[str, str] | None) -> None:
    assert nouns_in_one_place(wording(new), wording(known)) == nouns


@pytest.mark.parametrize(
    ("new", "known", "word"),
    [
        ("Adores torn maps", "Collects torn maps", None),
        ("Adores torn maps", "Adores faded maps", "torn"),
        ("Mag mein neues Rad nicht", "Mag mein altes Rad nicht", None),
    ],
)
def test_a_word_in_one_place_counts_but_for_the_first_and_in_german(
    new: str, known: str, word: str | None
) -> None:
    found, _ = in_one_place(wording(new), wording(known))

    assert found == frozenset({word} if word else ())
