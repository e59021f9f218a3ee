"""Figures of rounds become tables, verdicts and a picture."""

from typing import Any
from xml.etree import ElementTree as ET

import pytest

from bench.speed.aims import verdicts
from bench.speed.plot import Axis, picture
from bench.speed.report import markdown
from bench.speed.summary import summarize


def load(p50: float, **more: Any) -> dict[str, Any]:
    return {"latency_ms": {"p50": p50, "p95": p50 * 2, "p99": p50 * 3}, "failed": 0} | more


def seen(added: float, *, rate: float, larger: float = 0.0) -> dict[str, Any]:
    def pairs(more: float) -> dict[str, Any]:
        return {"own_ms": [1 + more, 2 + more], "direct_ms": [1.0, 2.0], "with_memories": 0}

    return {
        "first_byte": {"2 KB": pairs(added), "200 KB": pairs(added + larger)},
        "streams": {
            "delay_ms": {"p50": added + 0.1, "p95": added + 0.2, "p99": added + 0.3},
            "events": 90,
            "events_due": 100,
            "complete": 100,
            "cpu_share": 0.15,
            "cpu_seconds_per_1000_tokens": 0.05,
            "load_cpu_share": 0.1,
        },
        "closed_loop": load(1.0, rate=rate),
        "burst": load(2.0),
        "open_loop": {"25": load(1.0), "50": load(1.5), "75": load(2.0)},
        "foreign_share": 0.0,
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
RESULTS: dict[str, Any] = {
    "began": "2026-01-02T03:04:05+00:00",
    "commit": "abc",
    "machine": {"cpu": "A <fast> one", "cores": 2, "kernel": "6", "python": "3.11"},
    "versions": {"recollect": "1"},
    "titles": {"direct": "direct", "off": "Recollect, off", "on": "Recollect, on", "litellm": "LiteLLM"},
    "costs": {
        "Recollect": {
            "start_seconds": {"first": 2.5},
            "mebibytes": {"idle": {"server_rss": 100.0, "children_pss": None}},
        }
    },
    "remarks": ["nginx is left out: nobody has it."],
    "steal_share": 0.01,
    "foreign_share": 0.02,
    "rounds": ROUNDS,
}


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
    met = {(each.aim.system, each.aim.figure): each.met for each in verdicts(summarize(ROUNDS))}

    assert met["off", "added.2 KB.p50"] is True
    assert met["off", "rate.times_litellm"] is True
    assert met["on", "added.larger.p50"] is False
    assert met["cached", "added.2 KB.p50"] is None


def test_the_report_says_what_was_met_and_what_is_left_out() -> None:
    told = markdown(RESULTS, summarize(ROUNDS))

    assert "| memory off: added to the first byte, p50 | ≤ 0.5 ms | 0.50 ms | met |" in told
    assert "| **missed** |" in told
    assert "| not measured |" in told
    assert "nginx is left out" in told
    assert "20,000 requests a second" in told


def test_the_picture_is_svg_with_a_row_a_system_and_nothing_left_unescaped() -> None:
    drawn = ET.fromstring(picture(RESULTS, summarize(ROUNDS)))
    words = [each.text or "" for each in drawn.iter("{http://www.w3.org/2000/svg}text")]

    assert any("A <fast> one" in word for word in words)
    assert words.count("LiteLLM") == 2
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}circle"))) == 16


@pytest.mark.parametrize(
    ("value", "place"), [(0.01, 10), (1.0, 10 + 330 * 2 / 3), (10.0, 340), (0.0, 10), (-1.0, 10)]
)
def test_a_logarithmic_axis_takes_what_is_not_positive_to_its_end(value: float, place: float) -> None:
    axis = Axis.of([0.02, 3.0, 0.0], left=10, logarithmic=True)

    assert axis.place(value) == pytest.approx(place)
    assert axis.ticks() == pytest.approx([0.01, 0.1, 1, 10])


def test_a_linear_axis_begins_at_nothing() -> None:
    axis = Axis.of([37.0, 140.0], left=0, logarithmic=False)

    assert axis.ticks() == [0, 50, 100, 150, 200]
    assert axis.place(100) == pytest.approx(165)
