"""The bench of imports: what is brought, its tables, and that all of it is logged and indexed."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from bench.speed.ingest import Figures, Seen, chats, measure, told
from bench.speed.memory_sampling import Memory, growth
from bench.speed.systems import mock_upstream


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the database's user reaches, who is not root."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as made:
        Path(made).chmod(0o711)
        yield Path(made)


def test_so_many_messages_are_brought_and_the_same_each_time() -> None:
    brought = [*chats(50)]

    assert sum(len(cast("list[Any]", each["messages"])) for each in brought) == 50
    assert len({each["user"] for each in brought}) == 3
    assert brought == [*chats(50)]


def test_rates_are_told_of_logging_and_of_both() -> None:
    phases = [
        Seen("alone", 10),
        Seen(
            "while they are logged", 20, [10.0, 30.0], 1, [Memory(0, (100, 90, 80)), Memory(2, (110, 90, 80))]
        ),
        Seen("while they are indexed", 30),
    ]

    lines = [*told(Figures(1000, phases, 99.6))]

    assert lines[0] == (
        "1,000 messages: logged in 20 s, 50 a second, by a process of 100 MiB at most; "
        "indexed 30 s after that, 20 a second from the beginning on."
    )
    assert "| while they are logged | 2 | 1 | 20 | 29 | 30 |" in lines
    assert "| while they are logged | 105, 110, 110 | 90, 90, 90 | 80, 80, 80 |" in lines


def test_growth_is_that_behind_the_first_third_an_hour() -> None:
    samples = [Memory(at, (min(at, 300) + 100, 100 + at / 60, 80)) for at in range(0, 905, 5)]

    assert [round(each, 3) + 0 for each in growth(samples)] == [0, 60, 0]


@pytest.mark.process
async def test_what_is_imported_is_indexed_while_chats_are_answered(folder: Path) -> None:
    with mock_upstream() as upstream:
        found = await measure(folder, 40, upstream.port, alone=1)

    assert [seen.name for seen in found.phases] == [
        "alone",
        "while they are logged",
        "while they are indexed",
    ]
    assert found.importer > 0
    assert found.phases[1].waits
    assert found.phases[1].recalled > 0
