"""The soak's table tells a leak from a store that has warmed up."""

import random
from dataclasses import replace

import pytest

from bench.chaos.load import Asked, Load
from bench.chaos.soak import End, Sample, judgements, tenths
from bench.chaos.world import World


def test_what_grows_behind_the_first_third_is_told_and_what_grows_before_is_not() -> None:
    load = Load(World(random.Random(1)), [1], random.Random(1))
    load.asked = [
        Asked(str(each), 100.0 + each, 0.2, is_whole=True, is_cut_alike=False, tries=1)
        for each in range(0, 900, 10)
    ]
    samples = [
        Sample(at, (min(at, 300) + 100, 100 + at / 60, 80), files=70, waits=3, oldest=1.5)
        for at in range(0, 905, 5)
    ]

    lines = tenths(samples, load, 100.0).splitlines()

    assert lines[2] == "| 0.0 to 1.5 | 145.0 | 100.8 | 80.0 | 70.0 | 3 | 1.5 s | 200 / 200 ms |"
    assert lines[11] == "| 13.5 to 15.0 | 400.0 | 114.2 | 80.0 | 70.0 | 3 | 1.5 s | 200 / 200 ms |"
    assert lines[-1].endswith("MiB an hour): proxy +0.0, worker +60.0, Postgres +0.0.") or lines[-1].endswith(
        "MiB an hour): proxy -0.0, worker +60.0, Postgres -0.0."
    )


_RIGHT = End(chats=9, answered=9, unlogged=0, unformed=0, settled_seconds=2.0, wrong=())


def _hour(proxy: float = 0.0, oldest: float = 0.0) -> list[Sample]:
    """Return an hour's samples of a proxy and a lag that grow by so much in it, evenly."""
    return [
        Sample(at, (200 + proxy * at / 3600, 150, 200), files=0, waits=1, oldest=1 + oldest * at / 3600)
        for at in range(0, 3601, 5)
    ]


@pytest.mark.parametrize(
    ("samples", "end", "broken"),
    [
        (_hour(), _RIGHT, []),
        (_hour(proxy=19), _RIGHT, []),
        (_hour(proxy=21), _RIGHT, ["- Memory of proxy grows by +21.0 MiB an hour"]),
        (
            _hour(oldest=90),
            _RIGHT,
            ["- Lag: the oldest waits 46.0 s in the second third, 76.0 s in the last"],
        ),
        (_hour(), replace(_RIGHT, unlogged=1), ["- Nothing lost: 0 chats"]),
        (_hour(), replace(_RIGHT, answered=8), ["- Nothing lost: 1 chats"]),
        (_hour(), replace(_RIGHT, settled_seconds=None), ["- Nothing lost: 0 chats"]),
        (_hour(), replace(_RIGHT, wrong=("anna was erased, and has memories",)), ["- anna was erased"]),
    ],
)
def test_a_soak_judges_itself(samples: list[Sample], end: End, broken: list[str]) -> None:
    failed = [line for line, is_right in judgements(samples, end) if not is_right]

    assert len(failed) == len(broken)
    assert all(line.startswith(begin) for line, begin in zip(failed, broken, strict=True))


def test_memory_is_not_judged_by_a_few_minutes() -> None:
    minutes = [Sample(at, (200 + at, 150, 200), files=0, waits=1, oldest=1.0) for at in range(0, 240, 5)]

    assert all(is_right for _, is_right in judgements(minutes, _RIGHT))
