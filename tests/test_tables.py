"""A table runs all its rows, and tells of each that failed."""

import asyncio
from pathlib import Path

import pytest
from tests.support.tables import table


def run(test: object) -> list[str]:
    """Run a test without fixtures; return what it tells of its rows."""
    assert callable(test)
    with pytest.raises(BaseExceptionGroup) as failed:
        test()
    return [note for error in failed.value.exceptions for note in error.__notes__]


def test_every_row_that_fails_is_told_and_none_behind_it_is_left_out() -> None:
    seen = []

    @table(("one", "other"), [(1, 1), (1, 2), pytest.param(3, 3, id="three"), (4, 5)])
    def same(one: int, other: int) -> None:
        seen.append(one)
        assert one == other

    assert run(same) == ["in the row: one=1, other=2", "in the row: one=4, other=5"]
    assert seen == [1, 1, 3, 4]


def test_an_error_and_a_missing_error_fail_a_row_as_an_assertion_does() -> None:
    @table("text", ["1", "one"])
    def no_number(text: str) -> None:
        with pytest.raises(KeyError):
            int(text)

    assert run(no_number) == ["in the row: text='1'", "in the row: text='one'"]


def test_what_is_awaited_is_a_table_too() -> None:
    @table("number", [1, 2])
    async def odd(number: int) -> None:
        await asyncio.sleep(0)
        assert number % 2

    with pytest.raises(ExceptionGroup, match="1 of 2 rows"):
        asyncio.run(odd())


@table("number", [1, 2])
@table("letter", "ab")
def test_tables_multiply_and_share_their_fixtures(number: int, letter: str, tmp_path: Path) -> None:
    assert not (tmp_path / f"{number}{letter}").exists()
    (tmp_path / f"{number}{letter}").touch()
    assert len(list(tmp_path.iterdir())) == (number - 1) * 2 + "ab".index(letter) + 1


@table(
    ("names", "rows"),
    [("one", []), ("one", [pytest.param(1, marks=pytest.mark.slow)]), (("one", "other"), [(1,)])],
)
def test_a_table_that_makes_no_sense_is_refused(names: str, rows: list[object]) -> None:
    with pytest.raises(ValueError, match=r"row|argument"):
        table(names, rows)
