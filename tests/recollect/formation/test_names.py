from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from recollect.formation.difference.names import named, proper, proper_names, unspaced_names


def german_names(content: str, evidence: str = "") -> set[str]:
    return {word.plain for word in proper(content, evidence, german=True)}


@table(
    ("content", "names"),
    [
        ("Wohnt in Bamberg mit Friederike", {"bamberg", "friederike"}),
        ("Der Dackel heißt Kasimir", {"kasimir"}),
        ("Ist in der Pflege auf einer Intensivstation tätig", set()),
        ("Macht eine Ausbildung als Tischler", set()),
        ("Hat große Angst vor Spinnen", set()),
        ("Lernt Geige bei Herrn Voss", {"voss"}),
        ("Spart auf ein neues iPad", set()),
        ("Benutzt täglich iPad", {"ipad"}),
    ],
)
def test_german_nouns_are_no_names_unless_they_stand_like_one(content: str, names: set[str]) -> None:
    assert german_names(content) == names


def test_what_a_person_types_without_a_capital_is_no_name() -> None:
    assert german_names("Kauft von Rewe", "bei Edeka kauf ich nie, nur von rewe") == set()
    assert german_names("Kauft von Rewe", "kauf nur von rewe") == {"rewe"}  # who never types one says nothing


def test_a_name_at_the_beginning_is_seen_by_the_evidence() -> None:
    assert german_names("Mathilda wird vier", "unsere Mathilda wird vier") == {"mathilda"}
    assert {word.plain for word in named("Tea is their drink", "some Tea")} == {"tea"}


@table(
    ("text", "names"),
    [
        ("住在青岛", {"青岛"}),
        ("家里的猫叫豆花", {"豆花"}),
        ("横浜に住んでいる", {"横浜"}),
        ("同僚の「鈴木」は辛い物が好き", {"鈴木"}),
        ("山田商事で働いている", {"山田商事"}),
        ("病院で働いている", set()),
        ("Lives in York", set()),
    ],
)
def test_names_without_capitals_are_known_by_what_stands_beside_them(text: str, names: set[str]) -> None:
    assert unspaced_names(text) == names


def test_names_of_all_scripts_are_given_together() -> None:
    assert proper_names("Works at Halvorsen", "") == {"halvorsen"}
    assert proper_names("搬到西安", "") == {"西安"}


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_survived(content: str, evidence: str) -> None:
    words = {word.plain for word in named(content, evidence)}

    assert {word.plain for word in proper(content, evidence, german=True)} <= words
