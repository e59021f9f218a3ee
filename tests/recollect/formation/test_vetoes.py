from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from recollect.formation.difference.likeness import same_letter
from recollect.formation.difference.vetoes import Statement, differs

SAID = datetime(2026, 3, 1, 9, tzinfo=UTC)

OTHER_THINGS = [
    # things of one category, relatives, places of other scripts
    ("Wants the kitchen walls painted teal", "Wants the kitchen ceiling painted beige"),
    ("Hat am Donnerstag Geigenunterricht", "Hat am Donnerstag Klavierunterricht"),
    ("Su suegra vive en Huelva", "Su cuñada vive en Huelva"),
    ("住在苏州，开了一家店", "住在杭州，也有店"),
    # numbers
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
    ("Kommt aus Kassel", "Kommt aus Köln"),
    ("Живёт в Самаре", "Живёт в Казани"),
    ("住在成都高新区", "住在杭州高新区"),
    ("トヨタで働いている", "ホンダで働いている"),
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
    # what excludes each other
    ("Had surgery on the right knee", "Had surgery on the left knee"),
    ("Läuft vor der Arbeit", "Läuft nach der Arbeit"),
    ("Sa sœur est infirmière", "Son frère est infirmier"),
    ("Loves flying", "Hates flying"),
    ("Was a teacher", "Is a teacher"),
    ("Has a cat", "Has a dog"),
    # one word for another
    ("Favourite colour for the kitchen is teal", "Favourite colour for the kitchen is ochre"),
    ("Plays the cello in an orchestra", "Plays the oboe in an orchestra"),
    # other people
    ("Sister plays chess", "Plays chess"),
    ("Sa mère joue au bridge", "Joue au bridge"),
    ("小姨住在西安雁塔区", "大姨住在西安碑林区"),
]

SAME_THINGS = [
    ("Is allergic to nuts", "Can't eat anything with nuts in it"),
    ("Doesn't eat meat", "Never eats meat"),
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
    ("Hates coriander and wants recipes without it", "Dislikes coriander"),
    ("讨厌香菜的味道", "不喜欢吃香菜"),
    ("Arbeitet als Krankenpfleger auf einer Intensivstation", "Ist in der Pflege auf der Intensivstation"),
    ("Ist mit Friederike verheiratet", "Die Ehefrau heißt Friederike"),
    ("Convive con compañeros de piso en Granada", "Vive en un piso compartido en Granada"),
    ("Est mère célibataire de deux enfants", "Élève ses deux enfants seule"),
    ("Ist Mitglied im Bamberger Kirchenchor", "Singt im Kirchenchor in Bamberg"),
    ("Pendelt täglich mit dem Rad ins Büro", "Fährt mit dem Rad ins Büro"),
    ("在成都的医院做护士", "在成都当护士"),
]


@table(("new", "known"), OTHER_THINGS)
def test_another_thing_is_never_taken_for_a_repetition(new: str, known: str) -> None:
    for one, other in ((new, known), (known, new)):
        difference = differs(Statement(one), Statement(other))
        assert difference.forbids_repeating
        assert not same_letter(Statement(one), Statement(other))


@table(("new", "known"), SAME_THINGS)
def test_nothing_speaks_against_the_same_in_other_words(new: str, known: str) -> None:
    assert not differs(Statement(new), Statement(known)).forbids_repeating


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
    assert differs(Statement(new), Statement(known)).only_says_more
    assert not differs(Statement(known), Statement(new)).only_says_more


def test_days_of_events_differ_but_not_the_days_of_telling() -> None:
    trip = Statement("Flies to Rome", event_at=SAID + timedelta(days=10), said_at=SAID)
    other = Statement("Flies to Rome", event_at=SAID + timedelta(days=40), said_at=SAID)
    told = Statement("Flies to Rome", event_at=SAID, said_at=SAID)

    assert differs(trip, other).dates.are_both
    assert differs(trip, other).forbids_repeating
    assert not differs(trip, told).forbids_repeating


def test_a_day_may_stand_in_the_text_of_one_and_be_the_event_of_the_other() -> None:
    written = Statement("Moved to Bergen on 4 May 2026")
    dated = Statement("Moved to Bergen", event_at=datetime(2026, 5, 4, tzinfo=UTC))

    assert not differs(written, dated).forbids_repeating
    assert not differs(dated, written).numbers.known


def test_a_name_at_the_beginning_is_one_where_the_evidence_has_it_within() -> None:
    iona = Statement("Iona starts school", "my daughter Iona starts school")
    isla = Statement("Isla starts school", "my daughter Isla starts school")

    assert differs(iona, isla).names.are_both


def test_a_german_compound_is_another_thing_but_says_what_its_last_part_says() -> None:
    pork, meat = (
        Statement("Isst in der Mensa kein Schweinefleisch"),
        Statement("Isst in der Mensa kein Fleisch"),
    )

    assert differs(meat, pork).forbids_repeating
    assert differs(pork, meat).covered == 1.0


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_texts_are_compared_and_a_text_never_differs_from_itself(one: str, other: str) -> None:
    there, back = differs(Statement(one), Statement(other)), differs(Statement(other), Statement(one))

    assert (there.numbers.new, there.names.new) == (back.numbers.known, back.names.known)
    assert there.denied == back.denied
    assert not differs(Statement(one), Statement(one)).forbids_repeating


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
    assert not differs(Statement(text), Statement(text)).forbids_repeating
