"""A table of cases as one test, which tells of every row that failed."""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

_Parameters = type(pytest.param())
_LONGEST = 600
"""Characters of a value that are told."""


def table(
    names: str | Sequence[str], rows: Iterable[Any]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Run a test for each row, as one test.

    Written as ``pytest.mark.parametrize`` is, for pure functions over many texts: a row costs what it does, not what a
    test costs. All rows share the test's fixtures. A row that needs fixtures, a mark or a report of its own is
    parametrized.
    """
    called = [each.strip() for each in names.split(",")] if isinstance(names, str) else list(names)
    given = [_arguments(called, row) for row in rows]
    if not given:
        raise ValueError("a table without rows tests nothing")

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(test):

            async def over(*instance: Any, **fixtures: Any) -> None:
                failed = []
                for row in given:
                    try:
                        await test(*instance, **row, **fixtures)
                    except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:  # noqa: BLE001 -- told below, with all the others
                        failed.append(_of(row, error))
                _tell(failed, len(given))

        else:

            def over(*instance: Any, **fixtures: Any) -> None:  # type: ignore[misc]  # either, as the test is
                failed = []
                for row in given:
                    try:
                        test(*instance, **row, **fixtures)
                    except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:  # noqa: BLE001 -- told below, with all the others
                        failed.append(_of(row, error))
                _tell(failed, len(given))

        signature = inspect.signature(test)
        left = [each for name, each in signature.parameters.items() if name not in called]
        functools.update_wrapper(over, test)
        over.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]  # what pytest reads
        return over

    return decorate


def texts(block: str) -> list[str]:
    """Return the texts of a block, parted by line ends and by `` | ``: a table of many short ones."""
    return [text for line in block.splitlines() for text in map(str.strip, line.split(" | ")) if text]


def _arguments(names: Sequence[str], row: Any) -> dict[str, Any]:
    if isinstance(row, _Parameters):
        if row.marks:
            raise ValueError("a row with a mark is parametrized")
        values = row.values
    else:
        values = (row,) if len(names) == 1 else tuple(row)
    return dict(zip(names, values, strict=True))


def _of(row: dict[str, Any], error: BaseException) -> BaseException:
    shown = ", ".join(f"{name}={_short(repr(value))}" for name, value in row.items())
    error.add_note(f"in the row: {shown}")
    return error


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"


def _tell(failed: Sequence[BaseException], rows: int) -> None:
    if failed:
        raise BaseExceptionGroup(f"{len(failed)} of {rows} rows", failed)
