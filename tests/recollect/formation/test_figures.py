from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table

from recollect.text.comparison.figures import figures


@table(
    ("text", "numbers"),
    [
        ("1,060 pounds", {"1060"}),
        ("1.060 Euro", {"1060"}),
        ("1 060 euros", {"1060"}),
        ("6,8 litres, 6.80 litres", {"6.8"}),
        ("version 3.12.1", {"3.12.1"}),
        ("floor -1, not 1", {"-1", "1"}),
        ("RAL7016 and B12", set()),
        ("code 007, day 07", {"007", "7"}),
        ("at 5:30, 5h30, 5 h 30, half past five, halb sechs, 5時30分", {"5:30"}),
        ("um 17 Uhr 30, 5:30 pm", {"17:30"}),
        ("3 pm and 15:00", {"15"}),
        ("12 am", {"0"}),
        ("half vijf", {"4:30"}),
        ("half five", {"5:30"}),
        ("half the people", set()),
        ("quarter to eight, dreiviertel acht", {"7:45"}),
        ("quarter past eight, huit heures et quart", {"8:15"}),
        ("huit heures moins le quart", {"7:45"}),
        ("quarter to nowhere", set()),
        ("half past one hundred", {"100"}),
        ("three kids", {"3"}),
        ("trois enfants et deux chats", {"3", "2"}),
        ("Tiene dos hijos y once nietos", {"2", "11"}),
        ("once I went to two shops", {"2"}),
        ("三十五岁，二百人，十二个", {"35", "200", "12"}),
        ("一下，一起", set()),
        ("قطتان و ٣ كلاب", {"3"}),
        ("猫を3匹", {"3"}),
    ],
)
def test_numbers_have_one_spelling(text: str, numbers: set[str]) -> None:
    assert figures(text).numbers == numbers


@table(
    ("text", "units"),
    [
        ("40 km", {("40", "kilometre")}),
        ("40 Kilometern", {("40", "kilometre")}),
        ("$5 and 5 €", {("5", "dollar"), ("5", "euro")}),
        ("three miles", {("3", "mile")}),
        ("five people", set()),
        ("50 apples", set()),
    ],
)
def test_units_belong_to_numbers(text: str, units: set[tuple[str, str]]) -> None:
    assert set(figures(text).units) == units


@table(
    ("text", "dates"),
    [
        ("on 12 March 2026", {"month 3"}),
        ("2026-03-12", {"month 3"}),
        ("am 12.3.2026", {"month 3"}),
        ("zum 30.6.", {"month 6"}),
        ("3月12日", {"month 3"}),
        ("in May I may march", {"month 5"}),
        ("le 12 mai, en mars", {"month 5", "month 3"}),
        ("Jan 5, sept 9", {"month 1", "month 9"}),
        ("the jan sept", set()),
        ("on Mondays and Fridays", {"weekday 1", "weekday 5"}),
        ("Monday to Friday", {"workdays"}),
        ("Monday to Thursday", {"weekday 1", "weekday 4"}),
        ("on weekdays", {"workdays"}),
        ("jeudi", {"weekday 4"}),
        ("周三和星期五，土曜日", {"weekday 3", "weekday 5", "weekday 6"}),
        ("40 km a week, pro Monat", {"per week", "per month"}),
        ("täglich", {"per day"}),
    ],
)
def test_dates_have_one_spelling(text: str, dates: set[str]) -> None:
    assert figures(text).dates == dates


def test_the_parts_of_a_date_are_numbers() -> None:
    assert figures("2026-03-09").numbers == figures("9.3.2026").numbers == {"2026", "9"}


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert figures(text) == figures(text)


@table("text", ["1" * 5_000, "1 " * 5_000, "1." * 5_000, "half " * 2_000, "a " * 4_000, "十" * 5_000])
def test_a_long_row_is_read_soon(text: str) -> None:
    assert figures(text)
