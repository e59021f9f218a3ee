"""Numbers, days of events, names and single words speak against a repetition; small words and spellings do not."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table

from recollect.text.comparison import (
    ComparedStatement as Compared,
)
from recollect.text.comparison import (
    Veto,
    names_in,
    same_letter,
    same_letters,
    says_all_of,
    veto,
)


@table(
    ("new", "known"),
    [
        ("Enjoys cooking for large groups of friends", "Enjoys to cook for large groups of friends"),
        ("Lives in a flat in Leipzig", "Lives in the flat in Leipzig."),
        ("Trinkt den Tee am liebsten ohne Zucker", "Trinkt Tee am liebsten ohne Zucker"),
        ("Préfère les réponses courtes", "Préfère des réponses courtes"),
        ("Предпочитает короткие ответы", "Предпочитает короткий ответ"),
    ],
)
def test_small_words_forms_and_slips_make_no_other_statement(new: str, known: str) -> None:
    assert same_letter(new, known)
    assert same_letter(known, new)


@table(
    ("new", "known"),
    [
        ("Favourite colour for the kitchen is green", "Favourite colour for the kitchen is red"),
        ("Keeps a horse in the country", "Keeps a house in the country"),
        ("Works with Maria on the harbour plans", "Works with Marie on the harbour plans"),
        ("Is allergic to penicillin and latex", "Is allergic to penicillin"),
        ("Takes two tablets in the evening", "Takes tablets in the evening"),
        ("Has no pets in the new flat in Leeds", "Has pets in the new flat in Leeds"),
        ("No come marisco en los restaurantes", "Come marisco en los restaurantes"),
        ("Runs before work on every single day", "Runs after work on every single day"),
        ("Walks to the office without an umbrella", "Walks to the office with an umbrella"),
        ("Meets the band at 10:30 in the cellar", "Meets the band at 10:00 in the cellar"),
        ("Mag Erdbeeren mit Sahne", "Mag Himbeeren mit Sahne"),
        ("每天早上跑步五公里", "每天早上跑步六公里"),
        ("毎朝ジョギングをする", "毎朝ストレッチをする"),
        ("每天早上在公园跑步", "每天晚上在公园跑步"),
        ("Likes tea", "Lives in a castle by the sea"),
        ("", "Likes tea"),
        ("Owes Marcus a fair sum", "Marcus owes a fair sum"),
        ("Lebt mit Anna und Max", "Lebt ohne Anna und Max"),
        ("毎朝りんごを食べる", "毎朝みかんを食べる"),
        ("Salary is $5000", "Salary is €5000"),
        ("Max temperature is 20° for the baby room", "Max temperature is 20% for the baby room"),
    ],
)
def test_a_word_that_means_something_makes_another_statement(new: str, known: str) -> None:
    assert not same_letter(new, known)
    assert not same_letter(known, new)


def test_letters_alone_tell_only_how_it_is_spelled() -> None:
    assert same_letters("Has 2 cats at home", "Has 3 cats at home")
    assert not same_letters("Has 2 cats at home", "Plays the tuba")


SAID = datetime(2026, 3, 1, 9, tzinfo=UTC)


def between(new: str, known: str) -> Veto | None:
    return veto(Compared(new), Compared(known))


OTHER_THINGS = [
    ("Takes 75 mg of sertraline", "Takes 50 mg of sertraline"),
    ("家里有三只猫", "家里有两只猫"),
    # units and dates, by a word in place of another, or a name
    ("Läuft 30 km pro Monat", "Läuft 30 km pro Woche"),
    ("Dentist on 26 March", "Dentist on 12 March"),
    # names
    ("Works with Sean Murray on the harbour", "Works with Sean Murphy on the harbour"),
    ("Son frère Loïc vit à Québec", "Son frère Alain vit à Québec"),
    ("Живёт в Самаре", "Живёт в Казани"),
    # one word for another where all else is the same
    ("Had surgery on the right knee", "Had surgery on the left knee"),
    ("Kommt gebürtig aus der Gegend um Kassel", "Kommt gebürtig aus der Gegend um Mainz"),
    ("Plays the cello in an orchestra", "Plays the oboe in an orchestra"),
]

SAME_THINGS = [
    ("Is allergic to peanuts", "Peanut allergy, carries an EpiPen"),
    ("Doesn't eat meat", "Never eats meat"),
    ("Doesn't eat meat", "Is vegetarian"),
    ("Works at the council", "Is employed by the council"),
    ("Likes tea", "Likes tea and chess"),
    ("Dentist on 2026-03-12", "Dentist on 12.3.2026"),
    ("Prefers brief answers", "Wants answers to be short"),
    ("Не ест мясо", "Мясо не ест совсем"),
    ("不吃肉", "从不吃肉"),
    ("Arbeitet als Krankenpfleger auf einer Intensivstation", "Ist in der Pflege auf der Intensivstation"),
    ("Ist mit Friederike verheiratet", "Die Ehefrau heißt Friederike"),
    ("Convive con compañeros de piso en Granada", "Vive en un piso compartido en Granada"),
    ("Est mère célibataire de deux enfants", "Élève ses deux enfants seule"),
    ("Ist Mitglied im Bamberger Kirchenchor", "Singt im Kirchenchor in Bamberg"),
    ("在成都的医院做护士", "在成都当护士"),
    ("Is in a choir", "Meets the choir every day"),
]


@table(("new", "known"), OTHER_THINGS)
def test_another_thing_is_never_taken_for_a_repetition(new: str, known: str) -> None:
    for one, other in ((new, known), (known, new)):
        assert between(one, other)
        assert not same_letter(one, other)


@table(("new", "known"), SAME_THINGS)
def test_nothing_speaks_against_the_same_in_other_words(new: str, known: str) -> None:
    assert between(new, known) is None


@table(
    ("new", "known"),
    [
        ("Has a dog named Pepper, a 6 year old whippet", "Has a dog"),
        ("Lives in Cromer, on the coast of Norfolk", "Lives in Norfolk"),
        ("Doesn't eat meat or fish, but eats eggs and cheese", "Doesn't eat meat"),
        ("A un chat, Gribouille, un sacré de Birmanie de 11 ans", "A un chat"),
        ("Lernt seit 2024 Finnisch", "Lernt Finnisch"),
    ],
)
def test_a_statement_with_more_loses_nothing(new: str, known: str) -> None:
    assert says_all_of(Compared(new), Compared(known))
    assert not says_all_of(Compared(known), Compared(new))


TRIP = Compared("Flies to Rome", event_at=SAID + timedelta(days=10), said_at=SAID)
OF_BROTHER = Compared("Is allergic to nuts", subject="brother")


@table(
    ("new", "known", "found"),
    [
        # days of events differ, those of telling do not; a day may stand in the text of one
        (
            TRIP,
            Compared("Flies to Rome", event_at=SAID + timedelta(days=40), said_at=SAID),
            Veto.DATE,
        ),
        (TRIP, Compared("Flies to Rome", event_at=SAID, said_at=SAID), None),
        (Compared("Nach Bergen gezogen am 1.3.2026"), Compared("Nach Bergen gezogen", event_at=SAID), None),
        # a name at the beginning is one where the evidence has it within
        (Compared("Iona starts", "my Iona starts"), Compared("Isla starts", "my Isla starts"), Veto.NAME),
        # whom it tells of is a name too
        (OF_BROTHER, Compared("Has a nut allergy"), Veto.NAME),
        (OF_BROTHER, Compared("Nut allergy", "my brother can't have nuts"), None),
    ],
)
def test_days_and_names_speak_against_it(new: Compared, known: Compared, found: Veto | None) -> None:
    assert veto(new, known) is found


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_texts_are_compared_and_a_text_never_differs_from_itself(one: str, other: str) -> None:
    assert between(one, one) is None
    assert same_letter(one, other) == same_letter(other, one)
    assert same_letter(one, one) or not any(map(str.isalnum, one))
    assert all(word.stems for word in names_in(one, other))


@table("piece", ["a", "1", "1 ", "1.", "不", "十", "half ", "'", "monday to ", "d'", "word "])
def test_long_texts_are_compared_soon(piece: str) -> None:
    text = piece * (90_000 // len(piece))

    assert not same_letter(text, text)  # read by its beginning, it is never taken for another
    assert between(text, text) is between(f"{text}!", text)


@table(
    ("content", "evidence", "expected"),
    [
        ("Works at Halvorsen in Bergen", "", {"halvorsen", "bergen"}),
        ("Has an iPad", "", {"ipad"}),
        ("Wohnt mit Friederike in der Nähe von Bamberg", "", set()),
        ("住在青岛", "", set()),
        ("Mathilda turns four", "our Mathilda turns four", {"mathilda"}),
        ("Tea is their drink", "tea is what we drink", set()),
    ],
)
def test_a_capital_makes_a_name_but_not_in_german(content: str, evidence: str, expected: set[str]) -> None:
    assert {word.plain for word in names_in(content, evidence)} == expected
