"""Numbers, units, dates, names and denials speak against a repetition."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table

from recollect.text.comparison.vetoes import ComparedStatement, Veto, names_in, same_letter, says_all_of, veto

SAID = datetime(2026, 3, 1, 9, tzinfo=UTC)


def between(new: str, known: str) -> Veto | None:
    return veto(ComparedStatement(new), ComparedStatement(known))


OTHER_THINGS = [
    ("Takes 75 mg of sertraline", "Takes 50 mg of sertraline"),
    ("Rents a flat for 1,060 pounds", "Rents a flat for 940 pounds"),
    ("Hat drei Katzen", "Hat zwei Katzen"),
    ("Se lève à 6 h 15", "Se lève à 5 h 45"),
    ("Tiene cuatro nietos", "Tiene tres nietos"),
    ("家里有三只猫", "家里有两只猫"),
    ("猫を3匹飼っている", "猫を2匹飼っている"),
    ("고양이 세 마리를 키운다", "고양이 두 마리를 키운다"),
    ("У него 2 кота", "У него 3 кота"),
    ("Lives on floor -1", "Lives on floor 1"),
    # units
    ("Runs 40 miles a week", "Runs 40 km a week"),
    ("Pays €900 of rent", "Pays $900 of rent"),
    ("Läuft 30 km pro Monat", "Läuft 30 km pro Woche"),
    # dates
    ("Dentist on 26 March", "Dentist on 12 March"),
    ("Dentist in April", "Dentist in March"),
    ("Geht freitags zum Chor", "Geht dienstags zum Chor"),
    ("Cours de yoga le mardi", "Cours de yoga le jeudi"),
    ("周五去健身房", "周三去健身房"),
    # names
    ("Works with Sean Murray on the harbour", "Works with Sean Murphy on the harbour"),
    ("Son frère Loïc vit à Québec", "Son frère Alain vit à Québec"),
    ("Живёт в Самаре", "Живёт в Казани"),
    # denials
    ("Doesn't like blue cheese", "Likes blue cheese"),
    ("Isst Fleisch", "Isst kein Fleisch"),
    ("Raucht nicht mehr", "Raucht"),
    ("N'aime pas le fromage de chèvre", "Aime le fromage de chèvre"),
    ("No come marisco", "Come marisco"),
    ("Non mangia carne", "Mangia carne"),
    ("Não come carne", "Come carne"),
    ("Не ест мясо", "Ест мясо"),
    ("不吃肉", "吃肉"),
    ("肉を食べない", "肉を食べる"),
    ("고기를 먹지 않는다", "고기를 먹는다"),
    ("Likes coffee, not tea", "Likes tea, not coffee"),
    # one word for another where all else is the same
    ("Had surgery on the right knee", "Had surgery on the left knee"),
    ("Kommt gebürtig aus der Gegend um Kassel", "Kommt gebürtig aus der Gegend um Mainz"),
    ("Plays the cello in an orchestra", "Plays the oboe in an orchestra"),
]

SAME_THINGS = [
    ("Is allergic to peanuts", "Peanut allergy, carries an EpiPen"),
    ("Doesn't eat meat", "Never eats meat"),
    ("Doesn't eat meat", "Is vegetarian"),
    ("Gets up at 5:30 Monday to Friday", "Gets up at half past five on weekdays"),
    ("Has 3 children", "Has three kids"),
    ("Steht um 6:30 auf", "Steht um halb sieben auf"),
    ("Die Schicht beginnt um 7:45", "Die Schicht fängt um Viertel vor acht an"),
    ("Works at the council", "Is employed by the council"),
    ("Se lève à 5h30", "Se lève à cinq heures et demie"),
    ("Come a las dos y cuarto", "Come a las 2:15"),
    ("Likes tea", "Likes tea and chess"),
    ("Dentist on 2026-03-12", "Dentist on 12.3.2026"),
    ("Meets at 3 pm", "Meets at 15:00"),
    ("Earns 1.500 euros", "Earns 1500 €"),
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
    assert says_all_of(ComparedStatement(new), ComparedStatement(known))
    assert not says_all_of(ComparedStatement(known), ComparedStatement(new))


def test_what_denies_it_does_not_say_it() -> None:
    assert not says_all_of(ComparedStatement("Doesn't eat meat or fish"), ComparedStatement("Eats meat"))


def test_days_of_events_differ_but_not_the_days_of_telling() -> None:
    trip = ComparedStatement("Flies to Rome", event_at=SAID + timedelta(days=10), said_at=SAID)
    other = ComparedStatement("Flies to Rome", event_at=SAID + timedelta(days=40), said_at=SAID)
    told = ComparedStatement("Flies to Rome", event_at=SAID, said_at=SAID)

    assert veto(trip, other) is Veto.DATE
    assert veto(trip, told) is None


def test_a_day_may_stand_in_the_text_of_one_and_be_the_event_of_the_other() -> None:
    written = ComparedStatement("Moved to Bergen on 4 May 2026")
    dated = ComparedStatement("Moved to Bergen", event_at=datetime(2026, 5, 4, tzinfo=UTC))

    assert veto(written, dated) is None


def test_a_name_at_the_beginning_is_one_where_the_evidence_has_it_within() -> None:
    iona = ComparedStatement("Iona starts school", "my daughter Iona starts school")
    isla = ComparedStatement("Isla starts school", "my daughter Isla starts school")

    assert veto(iona, isla) is Veto.NAME


def test_whom_it_tells_of_is_a_name_too() -> None:
    of_brother = ComparedStatement("Is allergic to nuts", subject="brother")

    assert veto(of_brother, ComparedStatement("Has a nut allergy")) is Veto.NAME
    assert veto(of_brother, ComparedStatement("Nut allergy", "my brother can't have nuts")) is None


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_texts_are_compared_and_a_text_never_differs_from_itself(one: str, other: str) -> None:
    assert between(one, one) is None
    assert (between(one, other) is Veto.DENIAL) <= (between(other, one) is not None)


@table(
    "text",
    [
        "a" * 100_000,
        "1 " * 50_000,
        "不" * 50_000,
        "half " * 20_000,
        "'" * 90_000,
        "monday to " * 9_000,
        "d'" * 9_000,
    ],
)
def test_long_texts_are_compared_soon(text: str) -> None:
    assert not same_letter(text, text)  # read by its beginning, it is never taken for another
    assert between(text, text) is between(f"{text}!", text)


def told(content: str, month: int) -> ComparedStatement:
    return ComparedStatement(content, said_at=datetime(2026, month, 9, tzinfo=UTC))


@table(
    ("new", "known"),
    [
        ("Weighs 61 kg (November 2026)", "Weighs 61 kg (October 2026)"),
        ("Weighs 61 kg in November", "Weighs 61 kg"),
        ("Ist 8 Jahre alt, im November 2026", "Ist 8 Jahre alt, im Oktober 2026"),
        ("2026年11月体重61公斤", "2026年10月体重61公斤"),
    ],
)
def test_the_month_in_which_something_was_told_is_no_difference(new: str, known: str) -> None:
    assert veto(told(new, 11), told(known, 10)) is None


@table(
    ("new", "known"),
    [
        ("Weighs 62 kg (November 2026)", "Weighs 61 kg (October 2026)"),
        ("Dentist in December", "Dentist in October"),
        ("Dentist in November", "Dentist in July"),
    ],
)
def test_another_month_is(new: str, known: str) -> None:
    assert veto(told(new, 11), told(known, 10)) is not None


def names(content: str, evidence: str = "") -> set[str]:
    return {word.plain for word in names_in(content, evidence)}


@table(
    ("content", "expected"),
    [
        ("Works at Halvorsen in Bergen", {"halvorsen", "bergen"}),
        ("Has an iPad", {"ipad"}),
        ("Swims on Mondays in May", set()),
        ("Wohnt mit Friederike in der Nähe von Bamberg", set()),
        ("住在青岛", set()),
    ],
)
def test_a_capital_within_a_sentence_makes_a_name_but_not_in_german(content: str, expected: set[str]) -> None:
    assert names(content) == expected


def test_a_name_at_the_beginning_is_seen_by_the_evidence() -> None:
    assert names("Mathilda turns four", "our Mathilda turns four") == {"mathilda"}
    assert names("Tea is their drink", "tea is what we drink") == set()


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_survived(content: str, evidence: str) -> None:
    assert all(word.stems for word in names_in(content, evidence))
