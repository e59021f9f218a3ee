"""The bench of starts: its table, and that it starts what it says."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.speed.start import NotStartedError, Start, measure, table
from bench.speed.systems import mock_upstream

_HERE = Path(__file__).resolve().parents[3]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the database's user reaches, who is not root."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as made:
        Path(made).chmod(0o711)
        yield Path(made)


def test_the_table_has_the_medians_of_each_checkout_cold_and_warm() -> None:
    def rounds(*ready: float) -> list[tuple[Start, Start]]:
        return [
            (Start(each + 1, 2.0, None, None, 4.0), Start(each, 1.0, each + 0.1, 1.1, 3.0)) for each in ready
        ]

    lines = [*table({"before": rounds(3, 9, 4), "now": rounds(2)})]

    assert lines[2:] == [
        "| cold, before | 3 | 5.00 | 2.00 |  |  | 4.00 |",
        "| cold, now | 1 | 3.00 | 2.00 |  |  | 4.00 |",
        "| warm, before | 3 | 4.00 | 1.00 | 4.10 | 1.10 | 3.00 |",
        "| warm, now | 1 | 2.00 | 1.00 | 2.10 | 1.10 | 3.00 |",
    ]


@pytest.mark.process
def test_a_warm_start_is_timed_to_its_first_recalled_chat(folder: Path) -> None:
    with mock_upstream() as upstream:
        cold, warm = measure(_HERE, folder, upstream.port)

    assert (cold.recalled, cold.recalled_cpu) == (None, None)
    assert warm.recalled is not None
    assert 0 < warm.ready <= warm.recalled
    assert 0 < warm.ready_cpu <= warm.rest_cpu


@pytest.mark.process
def test_what_does_not_start_is_told(folder: Path) -> None:
    (folder / "src").mkdir()
    (folder / "src" / "recollect").mkdir()
    (folder / "src" / "recollect" / "__init__.py").write_text("raise SystemExit(1)", "utf-8")

    with pytest.raises(NotStartedError):
        measure(folder, folder, 9)
