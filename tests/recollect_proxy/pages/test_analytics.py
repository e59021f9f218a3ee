"""Analytics: plots that are drawn by the server, each with a table that says the same; for administrators alone."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from tests.recollect.store.indexing import said
from tests.recollect_proxy.memory_api.serving import engine_over, note_recall
from tests.recollect_proxy.pages.served_pages import Elements, Pages, text_of
from tests.support.stores import Store

from recollect.engine import Policy
from recollect.model import Add, Formed, Ignore, Reason, SearchPath, Skip
from recollect_proxy.pages.analytics import HEIGHT, DailyChart, bars, days_until
from recollect_proxy.pages.rendering import LANGUAGES, load_catalogues

NOW = datetime.now(UTC)
ELSEWHERE = timezone(timedelta(hours=14 if NOW.hour >= 10 else -12))
"""Where it is another day now than in UTC."""
DAYS = [date(2026, 3, 1), date(2026, 3, 2)]


@pytest.fixture
def pages(session_pages: Pages, own_store: Store) -> Iterator[Pages]:
    """Pages over a database of this test's own."""
    with session_pages.over(engine_over(own_store, policy=Policy(zone=ELSEWHERE))):
        yield replace(session_pages, anna=own_store.anna, ben=own_store.ben)


async def form(store: Store) -> None:
    """Have an exchange formed that taught one thing, and of which two were not kept."""
    exchange = await said(store, "I drink green tea.", at=NOW)
    rejected = [Ignore(Reason.NO_EVIDENCE) for _ in range(2)]
    formed = Formed(exchange, (Add(store.memory("Drinks green tea")), *rejected))
    assert await store.inbox.complete([formed], at=NOW) is not None


def table_after(html: str, heading: str) -> str:
    """Return what a section says."""
    section = html[html.index(f'id="{heading}"') :].split("</section>", maxsplit=1)[0].partition(">")[2]
    return text_of(section.replace("<", " <"))


async def test_each_plot_has_a_table_that_says_the_same(pages: Pages, own_store: Store) -> None:
    for _ in range(3):
        await note_recall(own_store)
    await note_recall(own_store, skipped=Skip.NOTHING_RELEVANT, given_by={}, milliseconds=80.0)
    await note_recall(own_store, days_ago=2, found_by=SearchPath.LEXICAL)
    html = await (await pages.administrator()).html("/analytics")

    today = NOW.astimezone(ELSEWHERE).strftime("%d %b %Y")
    assert f"{today} 4 3" in table_after(html, "chart-hits")
    assert "75%" in table_after(html, "chart-hit_rate")
    assert "20 ms" in table_after(html, "chart-latency")
    assert "4,000" in table_after(html, "chart-tokens")
    assert "seemed to be needed. 1" in table_after(html, "bars-skip")
    assert "by words alone 1" in table_after(html, "bars-path")
    assert "Memories 8" in table_after(html, "bars-part")
    drawn = [attributes for tag, attributes in Elements(html).found if tag == "svg"]
    assert [each for each in drawn if each.get("role") == "img" and not each.get("aria-label")] == []
    assert [each for each in drawn if not ({"role", "aria-hidden"} & set(each))] == []


async def test_what_formation_did_and_rejected_is_told(pages: Pages, own_store: Store) -> None:
    await form(own_store)

    html = await (await pages.administrator()).html("/analytics")

    assert "Remembered: new 1" in table_after(html, "bars-made")
    assert "not in the user’s words 2" in table_after(html, "bars-rejected").replace("'", "’")
    assert "Exchanges formed 1" in text_of(html.replace("<", " <"))
    assert "messages" in table_after(html, "tables")


async def test_an_empty_store_has_no_plots_and_says_so(pages: Pages) -> None:
    html = await (await pages.administrator()).html("/analytics?days=30")

    assert "Nothing in this time." in table_after(html, "chart-hits")
    assert 'role="img"' not in html


async def test_only_administrators_see_it_and_periods_are_given(pages: Pages) -> None:
    admin, person = await pages.administrator(), await pages.person()

    statuses = [(await admin.get(f"/analytics?days={days}")).status for days in ("7", "14", "30", "0", "x")]

    assert statuses == [200, 200, 200, 400, 400]
    assert (await person.get("/analytics")).status == 404


async def test_it_can_be_read_in_each_language_and_names_nobody(pages: Pages, own_store: Store) -> None:
    await note_recall(own_store)
    await form(own_store)
    admin = await pages.administrator()
    for language in LANGUAGES:
        admin.language = language

        html = await admin.html("/analytics")

        assert load_catalogues()[language]("analytics.title") in html
        untranslated = re.sub(r"<code>.*?</code>", "", html)
        assert re.findall(r">[^<]*\b[a-z]+_[a-z]+\b[^<]*<", untranslated) == []
        assert own_store.anna not in html
        assert own_store.anna.scope.session_id not in html
        assert "green tea" not in html


def test_columns_stand_side_by_side_and_as_high_as_their_part_of_the_top() -> None:
    chart = DailyChart("x", DAYS, {"a": [2, 4], "b": [None, 1]}, "count")

    drawn = list(chart.columns())

    assert (chart.top, DailyChart("x", DAYS, chart.series, "share", 8).top) == (4, 8)
    assert [height for *_, height in drawn] == [HEIGHT / 2, HEIGHT, 0, HEIGHT / 4]
    assert all(y + height == HEIGHT for _, _, y, _, height in drawn)
    edges = sorted((x, x + width) for _, x, _, width, _ in drawn)
    assert all(first[1] <= second[0] for first, second in pairwise(edges))
    assert edges[-1][1] <= chart.width


def test_a_chart_of_nothing_draws_nothing() -> None:
    chart = DailyChart("x", DAYS, {"a": [None, 0]}, "count")

    assert chart.is_empty
    assert not DailyChart("x", DAYS, {"a": [None, 0]}, "share", 1.0).is_empty  # none of them is a share, too
    assert list(chart.columns()) == []


def test_bars_are_as_long_as_their_part_of_the_longest() -> None:
    assert [(each.name, each.part) for each in bars({"a": 1, "b": 4})] == [("b", 1.0), ("a", 0.25)]
    assert [each.part for each in bars({"a": 0})] == [0.0]
    assert bars({}) == []


def test_days_have_no_gap() -> None:
    assert days_until(date(2026, 3, 2), 3) == [date(2026, 2, 28), *DAYS]


def test_numbers_are_written_as_the_language_does() -> None:
    words = load_catalogues()

    numbers = [words[each].number(1234567.891, 2) for each in ("en", "de", "fr", "zh")]
    assert numbers == ["1,234,567.89", "1.234.567,89", "1\u202f234\u202f567,89", "1,234,567.89"]
    assert [words["en"].duration(each) for each in (0.02, 2.5, 300)] == ["20 ms", "2.5 s", "5 min"]
    assert [words["de"].size(each) for each in (12, 2048, 5 * 1024**2)] == ["12 B", "2,0 KiB", "5,0 MiB"]
    assert words["de"].percent(0.256) == "26\u202f%"
