"""A quote is found where the person's words have it, in whatever form a model writes it; never where they say something else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table, texts

from recollect.formation.quote_search import plain_quote, searchable, weight

SAID = "Hi! We've moved from Antwerp to Ghent in Febuary, and I dont eat meat, only fish. Is 3 o'clock fine?"


def found(quote: str, text: str = SAID) -> str | None:
    return searchable(text).nearest(plain_quote(quote))


@table(
    ("said", "quote"),
    [
        ("أَنَا أَسْكُنُ فِي حَلَب", "أنا أسكن في حلب"),
        ("انا اسكـــن في الإسكندريه", "أنا أسكن في الإسكندرية"),
        ("من در شيراز زندگي مي‌کنم", "من در شیراز زندگی می کنم"),
        ("אֲנִי גָּר בְּחֵיפָה", "אני גר בחיפה"),
        ("ΕΙΜΑΙ ΓΙΑΤΡΟΣ ΣΤΗΝ ΠΑΤΡΑ", "είμαι γιατρός στην Πάτρα"),
        ("मेरी उम्र ६१ साल है", "मेरी उम्र 61 साल है"),
        ("मुझे क़हवा पसंद है", "मुझे कहवा पसंद है"),
        ("আমার বয়স ৬১ বছর", "আমার বয়স 61 বছর"),
        ("عمري ٦١ سنة", "عمري 61 سنة"),
        ("ｍｙ　ｃａｔ　ｉｓ　１２", "my cat is 12"),
        ("Mo n gbe ni Ìbàdàn", "mo n gbe ni Ibadan"),
        ("I'm vegetarian 🎉 since May", "I'm vegetarian since May"),
        ("\u110e\u116e\u11ab\u110e\u1165\u11ab\u110b\u1166 \u1109\u1161\u11af\u110b\u1161", "춘천에 살아"),
        ("मैं दर्जी हूँ", "मैं दर्जी हूं"),
        ("ﾊﾞｲﾄはｺﾝﾋﾞﾆ", "バイトはコンビニ"),
        ("I have 1,000 books and 61,5 m2", "I have 1000 books and 61.5 m2"),
        ("저는 채식을 해요", "채식을 해요"),
        ("J'habite au Brésil", "habite au Brésil"),
        ("I can not swim", "I cannot swim"),
    ],
)
def test_a_quote_is_found_without_points_and_accents_and_in_any_digits(said: str, quote: str) -> None:
    assert searchable(said).has(plain_quote(quote))


@table(
    ("said", "quote"),
    [
        ("I like teachers", "I like tea"),
        ("room 1 2", "room 12"),
        ("61.5 kg", "61"),
        ("I have 15 hens", "I have 1"),
        ("Диабета нет", "Диабет"),
        ("يسكن في حلب", "أسكن في حل"),
    ],
)
def test_half_a_word_or_number_is_not_found(said: str, quote: str) -> None:
    assert not searchable(said).has(plain_quote(quote))


@table(
    ("said", "quote"),
    [
        ("Mia", "Mia"),
        ("Mia!! 😍", "mia"),
        ("Уфа", "уфа"),
        ("دبي", "دبي"),
        ("दिल्ली।", "दिल्ली"),
        ("42", "42"),
        ("٤٢", "42"),
        ("蝦", "蝦"),
        ("Mia, of course", "Mia"),
        ("Her name?\nMia\nand she is 7", "Mia"),
        ("👍", "👍"),
    ],
)
def test_a_quote_may_be_as_short_as_the_clause_that_it_is(said: str, quote: str) -> None:
    assert searchable(said).is_clause(plain_quote(quote))


@table(("said", "quote"), [("I do", "I"), ("Mia is ill", "Mia"), ("👍", "👎"), ("", ""), ("4 2", "42")])
def test_a_part_of_a_clause_is_none(said: str, quote: str) -> None:
    assert not searchable(said).is_clause(plain_quote(quote))


@table(
    "quote",
    [
        "We've moved from Antwerp … I dont eat meat",
        "We've moved from Antwerp ... [...] only fish",
        "moved from Antwerp […] in Febuary",
        "moved from Antwerp \u22ef in Febuary",
    ],
)
def test_a_quote_may_leave_something_out(quote: str) -> None:
    assert searchable(SAID).has_parts(plain_quote(quote))


@table(
    "quote",
    texts("""
        only fish ... moved from Antwerp | moved from Antwerp ... to Bruges | moved from Antwerp ... | ...
        fish … ish
    """),
)
def test_each_part_of_it_has_to_stand_there_in_order(quote: str) -> None:
    assert not searchable(SAID).has_parts(plain_quote(quote))


@table(
    ("said", "quote", "span"),
    [
        ("so I live in Utrecht now", "lives in Utrecht", "live in Utrecht"),
        ("ich wohne in Kassel", "wohnt in Kassel", "wohne in Kassel"),
        ("Ich habe zwei Kinder", "hat zwei Kinder", "zwei Kinder"),
        ("vivo en Sevilla", "vive en Sevilla", "vivo en Sevilla"),
        ("я живу в Томске", "живет в Томске", "живу в Томске"),
        ("mieszkam w Krakowie", "mieszka w Krakowie", "mieszkam w Krakowie"),
        ("Antalya'da oturuyorum", "Antalya'da oturuyor", "Antalya'da oturuyorum"),
        ("我住在杭州", "他住在杭州", "住在杭州"),
        ("আমি ঢাকায় থাকি", "ঢাকায় থাকে", "ঢাকায় থাকি"),
        ("I've been working at the Aldi in Ulm", "works at Aldi in Ulm", "working at the Aldi in Ulm"),
        ("i livv in bergn with tom", "I live in Bergen with Tom", "i livv in bergn with tom"),
        (
            SAID,
            "We've moved from Antwerp to Ghent in February",
            "We've moved from Antwerp to Ghent in Febuary",
        ),
        ("ok.  I   REALLY love the “Straße” in\nMünster", "realy love the Straße", "REALLY love the “Straße"),
    ],
)
def test_the_nearest_span_of_the_persons_words_is_the_quote(said: str, quote: str, span: str) -> None:
    assert found(quote, said) == span


OTHER_QUOTES = texts("""
    We've moved from Antwerp to Bruges in Febuary | and I do eat meat, only fish. Is 3 o'clock fine
    eat meat, only fish. Is 4 o'clock fine | and I dont eat meat, only fish and eggs and cheese | meat
    The user has a boat | moved to Antwerp from Ghent in Febuary
""")


@table(
    ("said", "quote"),
    [
        *((SAID, quote) for quote in (*OTHER_QUOTES, "")),
        ("ich habe keinen eigenen Wagen zu Hause", "ich habe einen eigenen Wagen zu Hause"),
        ("I do not eat any meat these days", "I do eat any meat these days"),
        ("I could never live in Berlin again", "I could ever live in Berlin again"),
        ("we are unhappy with the new school", "we are happy with the new school"),
        ("I can't eat nuts or shellfish at all", "I can eat nuts or shellfish at all"),
        ("the dose went up to 50 mg in the morning", "the dose went up to 60 mg in the morning"),
        ("我现在不喜欢在家里喝咖啡了", "我现在喜欢在家里喝咖啡了"),
        ("I don't live in Utrecht", "lives in Utrecht"),
        ("no vivo en Sevilla", "vive en Sevilla"),
        ("私は京都に住んでいません", "京都に住んでいる"),
        ("Nem lakom Pécsett", "lakik Pécsett"),
        ("I drink 3 coffees a day", "drinks 2 coffees a day"),
        ("my brother lives in Leeds", "my mother lives in Leeds"),
        ("my left knee hurts after every lesson", "my right knee hurts after every lesson"),
        ("my left knee hurts after every lesson", "my left knee hurts before every lesson"),
        ("since May she lives with Tom in Bern", "since May she lives with Tom in Basel"),
    ],
)
def test_a_quote_that_says_denies_counts_or_names_otherwise_is_not_found(said: str, quote: str) -> None:
    assert found(quote, said) is None


def test_of_a_long_quote_every_word_that_tells_something_has_to_stand_there() -> None:
    text = "when I fell off the ladder last autumn they operated on my left knee in the hospital of Aalst and it took ages"

    assert found(text.replace("hospital", "hospitall"), text) == text
    assert found(text.replace("the hospital", "hospital"), text) == text
    assert found(text.replace("left", "right"), text) is None
    assert found(text.replace("they", "they never"), text) is None
    assert found(text.replace("my left", "my 2 left"), text) is None
    assert found(text.replace("the hospital", "the old hospital"), text) is None
    assert found(text.replace("when", "before"), text.replace("when", "after")) is None


def test_letters_of_scripts_without_spaces_weigh_twice() -> None:
    assert weight(plain_quote("abc 1!")) == 4
    assert weight(plain_quote("吃素")) == 4


def test_the_source_of_a_quote_is_given_as_it_was_typed() -> None:
    text = "ok.  We   LIVE in\nMünster now"

    assert searchable(text).source_of(plain_quote("we live in munster")) == "We   LIVE in\nMünster"
    assert searchable(text).source_of(plain_quote("lives in Münster")) == "LIVE in\nMünster"
    assert searchable(text).source_of(plain_quote("lives in Rome")) is None


@given(st.text(), st.text())
def test_any_quote_is_looked_for_in_any_text(quote: str, text: str) -> None:
    part = found(quote, text)

    assert part is None or part in text


@given(st.text(min_size=1))
def test_a_text_holds_itself(text: str) -> None:
    quote = plain_quote(text)

    assert not quote.letters or searchable(text).has(quote)
    assert searchable(text).source_of(quote) is not None or not quote.letters


@pytest.mark.parametrize("letters", ["a", "ab ", "不", "\u0301", "1 ", "a\u0301", "1."])
def test_a_megabyte_is_searched_soon(letters: str) -> None:
    text = letters * (1_000_000 // len(letters))

    assert found("something else altogether, in so many words", text) is None
    assert not searchable(text).has(plain_quote(f"{text[:1_000]}z"))
    assert len(searchable(text).letters) <= 12_000 * 2
