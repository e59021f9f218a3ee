import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.speed.workers import Figures, measure, told


def test_the_table_has_a_line_for_each_number_of_workers_and_the_medians_of_its_rounds() -> None:
    rounds = [
        Figures(2, 8, rate, cpu=0.05, asked_rate=1, lag_p50=1.5, lag_p95=3, unformed=0) for rate in (4, 6, 9)
    ]

    lines = [*told([*rounds, Figures(1, 8, 3, cpu=0.04, asked_rate=1, lag_p50=2, lag_p95=4, unformed=1)])]

    assert lines[2:] == ["| 1 | 3.0 | 40 | 2.0 | 4.0 | 1 |", "| 2 | 6.0 | 50 | 1.5 | 3.0 | 0 |"]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the database's user reaches, who is not root."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as made:
        Path(made).chmod(0o711)
        yield Path(made)


@pytest.mark.slow
async def test_a_backlog_and_a_steady_load_are_formed(folder: Path) -> None:
    found = await measure(1, folder, users=4, turns=2, model_seconds=0.1, asked_rate=2)

    assert (found.workers, found.exchanges, found.unformed) == (1, 8, 0)
    assert found.rate > 0
    assert found.cpu > 0
    assert 0 < found.lag_p50 <= found.lag_p95
