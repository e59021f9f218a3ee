"""Rounds become figures, and figures meet their aims or miss them."""

import pytest

from bench.speed.report import AIMS, Round, Spread, over_rounds, summarize


def seen(added: float, *, rate: float, larger: float = 0.0) -> Round:
    return {
        "added.2 KB.p50": added,
        "added.larger.p50": larger,
        "streams.p50": added + 0.1,
        "streams.p99": added + 0.3,
        "streams.cpu_share": 0.15,
        "rate": rate,
    }


ROUNDS = [
    {
        "direct": seen(0.0, rate=20_000),
        "off": seen(0.4 + number / 10, rate=3_000, larger=0.2),
        "on": seen(9.0, rate=100, larger=2.0),
        "litellm": seen(30.0, rate=100),
    }
    for number in range(3)
]


def test_what_is_added_and_every_ratio_is_taken_within_a_round() -> None:
    off = summarize(ROUNDS)["off"]

    assert off["added.2 KB.p50"].median == pytest.approx(0.5)
    assert (off["added.2 KB.p50"].low, off["added.2 KB.p50"].high) == pytest.approx((0.45, 0.55))
    assert off["added.larger.p50"].median == pytest.approx(0.2)
    assert off["streams.added.p99"].median == pytest.approx(0.5)
    assert off["rate.times_litellm"].median == pytest.approx(30)


def test_without_others_there_is_nothing_to_compare_with() -> None:
    alone = summarize([{"off": seen(0.4, rate=3_000)}])["off"]

    assert "rate.times_litellm" not in alone
    assert "streams.added.p99" not in alone


def test_an_aim_is_met_or_missed_or_was_not_measured() -> None:
    figures = summarize(ROUNDS)
    measured = {(each.system, each.figure): (each, each.measured(figures)) for each in AIMS}
    met = {key: None if value is None else aim.is_met(value) for key, (aim, value) in measured.items()}

    assert met["off", "added.2 KB.p50"] is True
    assert met["off", "rate.times_litellm"] is True
    assert met["on", "added.larger.p50"] is False
    assert met["cached", "added.2 KB.p50"] is None


def test_a_figure_over_rounds_is_their_median_and_quartiles() -> None:
    assert over_rounds([4.0, None, 1.0, 2.0, 3.0, 100.0]) == Spread(3.0, 2.0, 4.0)
    assert over_rounds([None]) is None
