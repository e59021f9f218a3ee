from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table, texts

from recollect.text.dates.date_finder import Period, dates_meant, dates_of_both

NOW = datetime(2024, 5, 15, 12, 30, tzinfo=UTC)
"""A Wednesday."""


def read(text: str, now: datetime = NOW) -> list[str]:
    return [
        f"{period.start:%Y-%m-%d} {period.end:%Y-%m-%d}" for period in dates_meant(text, now, reaches=True)
    ]


MARCH_15 = "2024-03-15 2024-03-16"
MARCH = "2024-03-01 2024-04-01"
MAY = "2024-05-01 2024-06-01"
YESTERDAY = "2024-05-14 2024-05-15"
TOMORROW = "2024-05-16 2024-05-17"
LAST_WEEK = "2024-05-06 2024-05-13"
TWO_WEEKS_AGO = "2024-04-29 2024-05-06"
THREE_DAYS_AGO = "2024-05-12 2024-05-13"
LAST_MONTH = "2024-04-01 2024-05-01"
LAST_YEAR = "2023-01-01 2024-01-01"
LAST_FRIDAY = "2024-05-10 2024-05-11"
MAY_AND_JUNE = "2023-05-01 2023-07-01"
MARCH_3_TO_5 = "2023-03-03 2023-03-06"
UNTIL_FRIDAY = "1924-05-10 2024-05-11"
NEXT_FRIDAY = "2024-05-17 2024-05-18"
TWO_WEEKS_ON = "2024-05-27 2024-06-03"
EASTERN_RANGES = (
    "3月3日到5日 | 2024年3月3日至5日 | 3月3-5日 | 3月3日から5日まで | 3월 3일부터 5일까지 | 3월 3-5일"
)


@table(
    ("text", "expected"),
    [
        ("2024-03-15", MARCH_15),
        ("March 15 to 20 people", MARCH_15),
        ("on 2024-03-15T10:30 sharp", MARCH_15),
        ("2024-03-15T23:30:00-05:00", "2024-03-16 2024-03-17"),
        ("2024-03-15T99:30:00Z", MARCH_15),
        ("2024/03/15", MARCH_15),
        ("15.03.2024", MARCH_15),
        ("15/03/2024", MARCH_15),
        ("3/15/2024", MARCH_15),
        ("2024-03", MARCH),
        ("15 March 2024", MARCH_15),
        ("March 15th, 2024", MARCH_15),
        ("on Mar 15", MARCH_15),
        ("march 15?", MARCH_15),
        ("March 2024", MARCH),
        ("what was in March", MARCH),
        ("in May", MAY),
        ("in 2023", LAST_YEAR),
        ("2023?", LAST_YEAR),
        ("the year 2023", LAST_YEAR),
        ("29 February", "2024-02-29 2024-03-01"),
        ("20 June", "2023-06-20 2023-06-21"),
        ("We will be there on 20 June", "2024-06-20 2024-06-21"),
        ("March 3-5", "2024-03-03 2024-03-06"),
        ("from 3 to 5 March 2023", "2023-03-03 2023-03-06"),
        ("between 3 and 5 March", "2024-03-03 2024-03-06"),
        ("today", "2024-05-15 2024-05-16"),
        ("yesterday", YESTERDAY),
        ("the day before yesterday", "2024-05-13 2024-05-14"),
        ("tomorrow", TOMORROW),
        ("this week", "2024-05-13 2024-05-20"),
        ("next month", "2024-06-01 2024-07-01"),
        ("last weekend", "2024-05-11 2024-05-13"),
        ("last quarter", "2024-01-01 2024-04-01"),
        ("Q1 2024", "2024-01-01 2024-04-01"),
        ("in Q1", "2024-01-01 2024-04-01"),
        ("last summer", "2023-06-01 2023-09-01"),
        ("in the spring", "2024-03-01 2024-06-01"),
        ("summer of 2023", "2023-06-01 2023-09-01"),
        ("last winter", "2023-12-01 2024-03-01"),
        ("last Friday", LAST_FRIDAY),
        ("last Wednesday", "2024-05-08 2024-05-09"),
        ("on Wednesday", "2024-05-15 2024-05-16"),
        ("next Friday", "2024-05-17 2024-05-18"),
        ("this Monday", "2024-05-13 2024-05-14"),
        ("Monday last week", "2024-05-06 2024-05-07"),
        ("Monday last month", LAST_MONTH),
        ("March last year", "2023-03-01 2023-04-01"),
        ("15 March last year", "2023-03-15 2023-03-16"),
        ("summer of last year", "2023-06-01 2023-09-01"),
        ("last year in the summer", "2023-06-01 2023-09-01"),
        ("last year on 3 March", "2023-03-03 2023-03-04"),
        ("last summer, in July", "2023-07-01 2023-08-01"),
        ("last week on Monday", "2024-05-06 2024-05-07"),
        ("March last month", LAST_MONTH),
        ("last May", "2023-05-01 2023-06-01"),
        ("next January", "2025-01-01 2025-02-01"),
        ("3 days ago", THREE_DAYS_AGO),
        ("a week ago", LAST_WEEK),
        ("a couple of weeks ago", "2024-04-22 2024-05-06"),
        ("two months ago", MARCH),
        ("ten years ago", "2014-01-01 2015-01-01"),
        ("in 3 days", "2024-05-18 2024-05-19"),
        ("the past two weeks", "2024-05-01 2024-05-16"),
        ("the past month", "2024-04-15 2024-05-16"),
        ("the last two quarters", "2023-11-15 2024-05-16"),
        ("the next 10 days", "2024-05-15 2024-05-26"),
        ("since March", "2024-03-01 2024-05-16"),
        ("since next January", "2025-01-01 2125-01-01"),
        ("before March 2024", "1924-03-01 2024-03-01"),
        ("after 2020", "2021-01-01 2121-01-01"),
        ("until yesterday", "1924-05-14 2024-05-15"),
        ("by Friday", UNTIL_FRIDAY),
        ("by April in 2019", "1919-04-01 2019-05-01"),
        ("the end of May, in 2020", "2020-05-21 2020-06-01"),
        ("from May to June 2023", "2023-05-01 2023-07-01"),
        ("between Monday and Friday of last week", "2024-05-06 2024-05-11"),
        ("before the end of March 2024", "1924-03-01 2024-04-01"),
        ("vor Mitte März 2024", "1924-03-01 2024-03-11"),
        ("until the end of March 2024", "1924-03-21 2024-04-01"),
        ("two weeks before the end of March 2024", "2024-03-04 2024-03-11"),
        ("between January and March", "2024-01-01 2024-04-01"),
        ("from 2020 to 2022", "2020-01-01 2023-01-01"),
        ("from 3 May to 5 May", "2024-05-03 2024-05-06"),
        ("last year between May and June", MAY_AND_JUNE),
        ("last year, from May to June", MAY_AND_JUNE),
        ("between May and June of last year", MAY_AND_JUNE),
        ("in 2023 between May and June", MAY_AND_JUNE),
        ("between May and June next year", "2025-05-01 2025-07-01"),
        ("last year between 3 and 5 March", MARCH_3_TO_5),
        ("between 3 and 5 March last year", MARCH_3_TO_5),
        ("March 3-5 last year", MARCH_3_TO_5),
        ("3 to 5 March last month", LAST_MONTH),
        ("last summer between 5 June and 2 August", "2023-06-05 2023-08-03"),
        ("in summer 2022, between 5 and 12 July", "2022-07-05 2022-07-13"),
        ("in the winter of 2022 between December and January", "2022-12-01 2023-02-01"),
        ("last week between Monday and Wednesday", "2024-05-06 2024-05-09"),
        ("from March 2022 to June", "2022-03-01 2022-07-01"),
        ("from yesterday to Friday", "2024-05-14 2024-05-18"),
        ("two weeks before 15 March 2024", "2024-02-26 2024-03-04"),
        ("3 days after 15 March 2024", "2024-03-18 2024-03-19"),
        ("the week of March 15", "2024-03-11 2024-03-18"),
        ("early March", "2024-03-01 2024-03-11"),
        ("mid-March", "2024-03-11 2024-03-21"),
        ("late 2023", "2023-09-01 2024-01-01"),
        ("at Christmas", "2023-12-25 2023-12-26"),
        ("next Christmas", "2024-12-25 2024-12-26"),
        ("Christmas last year", "2023-12-25 2023-12-26"),
        ("in Q3 last year", "2023-07-01 2023-10-01"),
        ("Halloween 2020", "2020-10-31 2020-11-01"),
        ("on New Year's Eve", "2023-12-31 2024-01-01"),
        ("on Valentine's Day", "2024-02-14 2024-02-15"),
    ],
)
def test_english_dates_are_read(text: str, expected: str) -> None:
    assert read(text) == [expected]


@table(
    ("text", "expected"),
    [
        ("am 15. März", MARCH_15),
        ("am 15.3. waren wir dort", MARCH_15),
        ("Was haben wir gestern gemacht?", YESTERDAY),
        ("Was mache ich morgen?", TOMORROW),
        ("letzte Woche", LAST_WEEK),
        ("vorletzte Woche", TWO_WEEKS_AGO),
        ("vor drei Tagen", THREE_DAYS_AGO),
        ("vor dem 15. März", "1924-03-15 2024-03-15"),
        ("im Mai", MAY),
        ("Anfang März", "2024-03-01 2024-03-11"),
        ("vom 3. bis 5. März", "2024-03-03 2024-03-06"),
        ("letztes Jahr im Sommer", "2023-06-01 2023-09-01"),
        ("letztes Jahr zwischen Mai und Juni", MAY_AND_JUNE),
        ("zwischen dem 3. und dem 5. März letzten Jahres", MARCH_3_TO_5),
        ("im Sommer 2022 zwischen dem 5. und 12. Juli", "2022-07-05 2022-07-13"),
        ("bis Freitag", UNTIL_FRIDAY),
        ("le 15 mars 2024", MARCH_15),
        ("l'été dernier, en juillet", "2023-07-01 2023-08-01"),
        ("d'ici vendredi", UNTIL_FRIDAY),
        ("Noël prochain", "2024-12-25 2024-12-26"),
        ("qu'est-ce que j'ai dit hier ?", YESTERDAY),
        ("la semaine dernière", LAST_WEEK),
        ("il y a deux semaines", TWO_WEEKS_AGO),
        ("avant-hier", "2024-05-13 2024-05-14"),
        ("depuis mars", "2024-03-01 2024-05-16"),
        ("de 2020 à 2022", "2020-01-01 2023-01-01"),
        ("l'an dernier, de mai à juin", MAY_AND_JUNE),
        ("l'année dernière entre mai et juin", MAY_AND_JUNE),
        ("entre le 3 et le 5 mars de l'année dernière", MARCH_3_TO_5),
        ("en été 2022, entre le 5 et le 12 juillet", "2022-07-05 2022-07-13"),
        ("el 15 de marzo de 2024", MARCH_15),
        ("¿qué hice ayer?", YESTERDAY),
        ("la semana pasada", LAST_WEEK),
        ("hace tres días", THREE_DAYS_AGO),
        ("el verano de 2023", "2023-06-01 2023-09-01"),
        ("el año pasado entre mayo y junio", MAY_AND_JUNE),
        ("entre el 3 y el 5 de marzo del año pasado", MARCH_3_TO_5),
        ("en el verano de 2022, entre el 5 y el 12 de julio", "2022-07-05 2022-07-13"),
        ("la semana pasada entre el lunes y el miércoles", "2024-05-06 2024-05-09"),
        ("15 de março de 2024", MARCH_15),
        ("o que eu disse ontem", YESTERDAY),
        ("no ano passado, em setembro", "2023-09-01 2023-10-01"),
        ("no mês passado", LAST_MONTH),
        ("há duas semanas", TWO_WEEKS_AGO),
        ("sexta-feira passada", LAST_FRIDAY),
        ("il 15 marzo 2024", MARCH_15),
        ("cosa ho fatto ieri", YESTERDAY),
        ("entro venerdì", UNTIL_FRIDAY),
        ("la settimana scorsa", LAST_WEEK),
        ("due settimane fa", TWO_WEEKS_AGO),
        ("tra due settimane", "2024-05-27 2024-06-03"),
        ("l'anno scorso tra maggio e giugno", MAY_AND_JUNE),
        ("op 15 maart 2024", MARCH_15),
        ("wat deed ik gisteren", YESTERDAY),
        ("twee weken geleden", TWO_WEEKS_AGO),
        ("vorige maand", LAST_MONTH),
        ("2024年3月15日我们说了什么", MARCH_15),
        ("3月15日", MARCH_15),
        ("2024年3月", MARCH),
        ("2023年", LAST_YEAR),
        ("昨天我们聊了什么", YESTERDAY),
        ("上周", LAST_WEEK),
        ("上周五", LAST_FRIDAY),
        ("上个月", LAST_MONTH),
        ("去年", LAST_YEAR),
        ("去年夏天", "2023-06-01 2023-09-01"),
        ("去年3月15日", "2023-03-15 2023-03-16"),
        ("去年3月到5月", "2023-03-01 2023-06-01"),
        ("3天前", THREE_DAYS_AGO),
        ("两周前", TWO_WEEKS_AGO),
        ("3天后", "2024-05-18 2024-05-19"),
        ("2024年以前", "1924-01-01 2024-01-01"),
        ("昨日の話", YESTERDAY),
        ("金曜までに", UNTIL_FRIDAY),
        ("3月から5月まで", "2024-03-01 2024-06-01"),
        ("先週の金曜日", LAST_FRIDAY),
        ("先月", LAST_MONTH),
        ("3日前に", THREE_DAYS_AGO),
        ("어제 뭐 했지", YESTERDAY),
        ("지난 주에", LAST_WEEK),
        ("금요일까지", UNTIL_FRIDAY),
        ("지난주부터 어제까지", "2024-05-06 2024-05-15"),
        ("3일 전", THREE_DAYS_AGO),
        ("15 марта 2024", MARCH_15),
        ("что я делал вчера", YESTERDAY),
        ("на прошлой неделе", LAST_WEEK),
        ("три дня назад", THREE_DAYS_AGO),
        ("в прошлом году", LAST_YEAR),
        ("в прошлом году летом", "2023-06-01 2023-09-01"),
        ("к пятнице", UNTIL_FRIDAY),
        ("между маем и июнем прошлого года", MAY_AND_JUNE),
        ("неделю назад", LAST_WEEK),
        ("15 marca 2024 r.", MARCH_15),
        ("co robiłem wczoraj?", YESTERDAY),
        ("w zeszłym tygodniu", LAST_WEEK),
        ("przed dwoma tygodniami", TWO_WEEKS_AGO),
        ("trzy dni temu", THREE_DAYS_AGO),
        ("tydzień temu", LAST_WEEK),
        ("dwa lata temu", "2022-01-01 2023-01-01"),
        ("w zeszłym roku latem", "2023-06-01 2023-09-01"),
        ("w marcu 2024 roku", MARCH),
        ("od marca", "2024-03-01 2024-05-16"),
        ("do piątku", UNTIL_FRIDAY),
        ("od 2020 do 2022", "2020-01-01 2023-01-01"),
        ("w 2022 roku od 3 do 5 marca", "2022-03-03 2022-03-06"),
        ("w zeszłym roku między majem a czerwcem", MAY_AND_JUNE),
        ("pod koniec marca", "2024-03-21 2024-04-01"),
        ("będę tam 20 czerwca", "2024-06-20 2024-06-21"),
        ("ماذا فعلت أمس", YESTERDAY),
        ("الأسبوع الماضي", LAST_WEEK),
        ("قبل 3 أيام", THREE_DAYS_AGO),
        ("منذ ٣ أيام", THREE_DAYS_AGO),
        ("السنة الماضية", LAST_YEAR),
        ("الجمعة الماضية", LAST_FRIDAY),
        ("حتى الجمعة", UNTIL_FRIDAY),
        *((text, NEXT_FRIDAY) for text in ("aanstaande vrijdag", "الجمعة القادمة")),
        *((text, TWO_WEEKS_ON) for text in ("dentro de dos semanas", "بعد أسبوعين", "二週間後", "2주 후")),
        *((text, LAST_WEEK) for text in ("一周前", "一週間前", "일주일 전")),
        *((text, MARCH) for text in ("قبل شهرين", "两个月前", "二か月前", "두 달 전")),
        *(
            (text, "2024-05-11 2024-05-13")
            for text in ("no fim de semana passado", "上周末", "先週末", "지난 주말")
        ),
        *((text, "2024-05-25 2024-05-27") for text in ("下周末", "来週末", "다음 주말")),
        *((text, "2023-06-01 2023-09-01") for text in ("去年の夏", "작년 여름")),
        *((text, "2024-05-01 2024-05-16") for text in ("最近两周", "過去二週間", "지난 2주")),
        *((text, "2024-01-01 2024-04-01") for text in ("上个季度", "前四半期", "지난 분기")),
        *((text, "2021-01-01 2121-01-01") for text in ("2020年以后", "2020年以降", "2020년 이후")),
        *((text, "2023-12-25 2023-12-26") for text in ("圣诞节", "クリスマス", "크리스마스")),
        *(
            (text, "2023-12-31 2024-01-01")
            for text in ("no réveillon", "la notte di San Silvestro", "w sylwestra")
        ),
        *((text, "2024-03-03 2024-03-06") for text in texts(EASTERN_RANGES)),
        ("في مارس 2024", MARCH),
    ],
)
def test_the_dates_of_other_languages_are_read(text: str, expected: str) -> None:
    assert read(text) == [expected]


@table(
    "text",
    [
        *texts("""
        I may go, and we march on. May I? | This may work | let's march 15 miles | the 5 may differ
        port 2023 | 2023 users | write it in 2000 words | $2023 and 2023% | 1.2.3.4 and 10:30
        30 February 2024 | 2024-13-45 | 2024-15 | 0001-01-01 | 1000年 | 2024年13月 | 13月 | 13月3日和5日 | am 15.13. gesehen
        99999 years ago | before dinner, the day before | last one, last time, this day
        how many days are in a year, how many hours in one day | Give me a second | Guten Morgen
        was ist hier los | Life on Mars | no 2023 | call 2024-0315 | March 85 | 30 to 31 February | 天气怎么样
        between 2010 and 2020 people | from 1950 to 2000 words
        最近天气很好 | 最近日本很冷 | 过去年代 | ここ年 | 지난 일은 잊자 | Mój brat Sylwester | nella via San Silvestro
        Maja lubi koty | que marca compré | this is done 2023 times | zeszłego lata
    """),
        "",
    ],
)
def test_what_is_not_certain_is_not_a_date(text: str) -> None:
    assert read(text) == []


@table(
    ("text", "periods"),
    [
        # what may be either is both
        ("03/04/2024", ["2024-03-04 2024-03-05", "2024-04-03 2024-04-04"]),
        ("since 03/04/2024", ["2024-03-04 2024-05-16"]),
        # in the order of appearance, five at most
        ("yesterday, 2020-01-01", [YESTERDAY, "2020-01-01 2020-01-02"]),
        (
            ", ".join(f"{y}-01-01" for y in range(2001, 2007)),
            [f"{y}-01-01 {y}-01-02" for y in range(2001, 2006)],
        ),
        # those that overlap are one
        ("2024-03-15 and the 15 March 2024", [MARCH_15]),
        ("yesterday, 2020-01-01, this week", ["2024-05-13 2024-05-20", "2020-01-01 2020-01-02"]),
        # one that can't be within its neighbour is one of its own
        ("last month on Monday", [LAST_MONTH, "2024-05-13 2024-05-14"]),
        ("in the summer of 2022, in March 2024", ["2022-06-01 2022-09-01", MARCH]),
        ("last year, on 03/04/2024", [LAST_YEAR, "2024-03-04 2024-03-05", "2024-04-03 2024-04-04"]),
        # two months are both of the year that is named
        ("in March and April last year", ["2023-03-01 2023-04-01", "2023-04-01 2023-05-01"]),
        ("en mars et avril 2023", ["2023-03-01 2023-04-01", "2023-04-01 2023-05-01"]),
        ("between March and April last year", ["2023-03-01 2023-05-01"]),
        # a range whose ends are not in order is two
        ("from June 2023 to May 2023", ["2023-06-01 2023-07-01", "2023-05-01 2023-06-01"]),
        # the beginning of a long text alone is read
        ("word " * 400 + "yesterday", []),
    ],
)
def test_dates_are_parted_joined_and_ordered(text: str, periods: list[str]) -> None:
    assert read(text) == periods


def test_a_day_until_which_something_is_to_be_done_is_that_day_beside_others() -> None:
    periods = dates_meant("on 2 May I promised the report by 10 May", NOW)

    assert [each.start.day for each in periods] == [2, 10]


APRIL = "2024-04-01 2024-05-01"
MARCH_3, MARCH_5 = "2024-03-03 2024-03-04", "2024-03-05 2024-03-06"


@table(
    "text",
    texts("""
        in March and April | in March or April | im März und April | in maart en april | en mars et avril | en marzo y abril
        em março e abril | a marzo e aprile | в марте и апреле | w marcu i kwietniu | في مارس و أبريل | في مارس وأبريل | ik ga in maart of april | 3月和4月 | 3月と4月 | 3월과 4월
    """),
)
def test_months_that_share_a_preposition_are_each_read(text: str) -> None:
    assert read(text) == [MARCH, APRIL]


@table(
    "text",
    texts("""
        on 3 and 5 March | 3 or 5 March | on March 3 and 5 | on the 3rd and 5th of March | am 3. und 5. März | op 3 en 5 maart
        les 3 et 5 mars | le 3 et le 5 mars | el 3 y el 5 de marzo | em 3 e 5 de março | il 3 e il 5 marzo | 3 и 5 марта | 3 i 5 marca
        3 و 5 مارس | 3 و5 مارس | 3月3日和5日 | 2024年3月3日和5日 | 3月3日と5日 | 3월 3일과 5일
        am 3. oder 5. März | op 3 of 5 maart | le 3 ou le 5 mars | el 3 o el 5 de marzo | em 3 ou 5 de março | il 3 o il 5 marzo
        3 или 5 марта | 3 lub 5 marca | 3 أو 5 مارس | 3月3日或5日 | 3月3日か5日 | 3월 3일이나 5일
    """),
)
def test_days_that_share_a_month_are_each_read(text: str) -> None:
    assert read(text) == [MARCH_3, MARCH_5]


@table(
    "text",
    texts("""
        from March to now | from March until now | from March to today | since March until now | between March and now
        von März bis jetzt | van maart tot nu | de mars à maintenant | de mars à aujourd'hui | de mars jusqu'à maintenant
        desde marzo hasta ahora | de março até agora | da marzo ad adesso | с марта по сегодня | с марта до сих пор | od marca do teraz
        من مارس إلى الآن | 从3月到现在 | 3月至今 | 3月から今まで | 3월부터 지금까지
    """),
)
def test_what_goes_on_until_now_reaches_up_to_today(text: str) -> None:
    assert read(text) == ["2024-03-01 2024-05-16"]


@table(
    ("text", "expected"),
    [
        ("in March, April and May", [MARCH, APRIL, MAY]),
        ("3, 5 and 7 March", [MARCH_3, MARCH_5, "2024-03-07 2024-03-08"]),
        ("in May and June", [MAY, "2024-06-01 2024-07-01"]),
        ("in June and July", ["2023-06-01 2023-07-01", "2023-07-01 2023-08-01"]),
        ("in December and January", ["2023-12-01 2024-01-01", "2024-01-01 2024-02-01"]),
        ("on 14 and 16 May", ["2024-05-14 2024-05-15", "2024-05-16 2024-05-17"]),
        ("I will be there on 14 and 16 May", ["2024-05-14 2024-05-15", "2024-05-16 2024-05-17"]),
        ("I will go in May and June", [MAY, "2024-06-01 2024-07-01"]),
        ("last year, on 3 and 5 March", ["2023-03-03 2023-03-04", "2023-03-05 2023-03-06"]),
        ("3 and 5 March last month", [LAST_MONTH]),
        ("March 3 and 5 April", [MARCH_3, "2024-04-05 2024-04-06"]),
        ("in March and April 5", [MARCH, "2024-04-05 2024-04-06"]),
        ("March 3 and 5 people", [MARCH_3]),
        ("early March, and April", ["2024-03-01 2024-03-11"]),
        ("from 2020 to now", ["2020-01-01 2024-05-16"]),
        ("from next June to now", ["2024-06-01 2024-07-01"]),
        ("from 3 and 5 March to now", ["2024-03-03 2024-05-16"]),
        *(
            (each, [])
            for each in (
                "what now?",
                "May and June are friends",
                "30 and 31 February",
                "the 3 and 5 may now differ",
            )
        ),
    ],
)
def test_of_a_list_no_date_is_lost_and_none_is_added(text: str, expected: list[str]) -> None:
    assert read(text) == expected


def test_a_month_before_the_31st_begins_on_the_last_day_of_a_shorter_month() -> None:
    assert read("the past month", NOW.replace(day=31)) == ["2024-04-30 2024-06-01"]


def test_days_begin_in_the_zone_of_now() -> None:
    zone = ZoneInfo("Asia/Tokyo")

    [period] = dates_meant("yesterday", NOW.replace(hour=20).astimezone(zone))

    assert period == Period(datetime(2024, 5, 15, tzinfo=zone), datetime(2024, 5, 16, tzinfo=zone))


def test_a_date_without_a_year_is_the_next_one_if_the_text_is_known_to_speak_of_the_future() -> None:
    ahead = [dates_meant(each, NOW, ahead=True) for each in ("on Friday", "in March", "last week")]

    assert [each.start.date().isoformat() for [each] in ahead] == ["2024-05-17", "2025-03-01", "2024-05-06"]


@table(
    ("text", "named", "coming"),
    [
        ("on Friday", ["2024-05-10"], ["2024-05-17"]),
        ("on 5 July", ["2023-07-05"], ["2024-07-05"]),
        ("in May", ["2024-05-01"], []),  # which goes on
        ("next Friday", ["2024-05-17"], []),
        ("yesterday", ["2024-05-14"], []),
        ("since Friday", ["2024-05-10"], []),
        ("since March", ["2024-03-01"], []),
        ("after Friday", ["2024-05-11"], []),
        ("since next January", ["2025-01-01"], []),
        ("a rug", [], []),
    ],
)
def test_a_date_that_may_be_the_next_one_is_read_as_that_too(
    text: str, named: list[str], coming: list[str]
) -> None:
    found = dates_of_both(text, NOW)

    assert [[each.start.date().isoformat() for each in one] for one in found] == [named, coming]


def test_a_now_without_a_zone_is_in_utc() -> None:
    assert dates_meant("yesterday", NOW.replace(tzinfo=None)) == dates_meant("yesterday", NOW)


WORDS = (
    "in on last next this since before after until from to between and the of March may May 15 2024 3 99 week weeks days years year month ago yesterday monday Friday "
    "early end Christmas Q1 summer 15th 03/04/2024 9999 29 February vor il y a hace 上周 3月 13月3日 和 5日 now or 年 前 后 2024年 quarter weekend past couple 01.01.1900 2100-12-31 will be , . -"
)
zones = st.sampled_from(
    [UTC, ZoneInfo("Europe/Berlin"), timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))]
)
moments = st.datetimes(timezones=zones)


@given(
    st.one_of(st.text(st.characters()), st.lists(st.sampled_from(WORDS.split()), max_size=12).map(" ".join)),
    moments,
)
def test_whatever_is_read_is_a_period(text: str, now: datetime) -> None:
    periods = dates_meant(text, now)

    assert periods == dates_meant(text, now)
    assert len(periods) <= 5
    for period in periods:
        assert period.start < period.end
        assert period.start.tzinfo is period.end.tzinfo is now.tzinfo
    for one, other in pairwise(sorted(periods, key=lambda period: period.start)):
        assert one.end <= other.start
