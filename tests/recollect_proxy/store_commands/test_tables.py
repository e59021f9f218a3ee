"""What the commands print on a terminal: no id is cut, and where nothing is, that is said."""

from uuid import UUID

import pytest

from recollect_proxy.store_commands.running_commands import print_table

COLUMNS = ("id", "content")
MEMORY = UUID("01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10")
CONTENT = "Lives in Lisbon, near the river, and works there at night. " * 3


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    """Let rich take what is printed to for a terminal of so many columns."""
    for name, value in {"FORCE_COLOR": "1", "NO_COLOR": "1", "COLUMNS": str(width)}.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_id_is_cut_and_a_wide_terminal_has_it_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int
) -> None:
    on_a_terminal(monkeypatch, width)

    print_table(COLUMNS, [(MEMORY, CONTENT)])

    _, _, _, *rows, _ = capsys.readouterr().out.splitlines()
    ids = [row[: row.index("   ", 2)].strip() if "   " in row[2:] else row.strip() for row in rows]
    assert "".join(ids).startswith(str(MEMORY))
    assert (ids[0] == str(MEMORY)) or width < 110


def test_that_there_is_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_a_terminal(monkeypatch, 80)

    print_table(COLUMNS, [])

    assert capsys.readouterr().out.strip() == "There is nothing to list."
