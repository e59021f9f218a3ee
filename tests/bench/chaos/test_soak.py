"""The soak's table tells a leak from a store that has warmed up."""

import random

from bench.chaos.load import Asked, Load
from bench.chaos.soak import Sample, table
from bench.chaos.world import World


def test_what_grows_behind_the_first_third_is_told_and_what_grows_before_is_not() -> None:
    load = Load(World(random.Random(1)), [1], random.Random(1))
    load.asked = [
        Asked(str(each), 100.0 + each, 0.2, is_whole=True, is_cut_alike=False, tries=1, status=200)
        for each in range(0, 900, 10)
    ]
    samples = [
        Sample(at, proxy=min(at, 300) + 100, worker=100 + at / 60, postgres=80, waits=3, oldest=1.5)
        for at in range(0, 905, 5)
    ]

    lines = "\n".join(table(samples, load, 100.0)).splitlines()

    assert lines[2] == "| 0.0 to 1.5 | 145.0 | 100.8 | 80.0 | 3 | 1.5 s | 200 / 200 ms |"
    assert lines[11] == "| 13.5 to 15.0 | 400.0 | 114.2 | 80.0 | 3 | 1.5 s | 200 / 200 ms |"
    assert lines[-1].endswith("MiB an hour): proxy +0.0, worker +60.0, Postgres +0.0.") or lines[-1].endswith(
        "MiB an hour): proxy -0.0, worker +60.0, Postgres -0.0."
    )
