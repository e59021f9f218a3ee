"""What the commands print on a terminal: no id is cut, and where nothing is, that is said."""

import json
import re
from datetime import UTC, datetime
from uuid import UUID

import pytest
from tests.recollections import memory

from recollect_proxy.store_commands.memories_commands import memories_output
from recollect_proxy.store_commands.printing import on_a_terminal as on_one_line
from recollect_proxy.store_commands.printing import print_json, print_output, print_table

COLUMNS = ("id", "content")
MEMORY = UUID("01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10")
SAID = datetime(2026, 3, 15, 12, tzinfo=UTC)
CONTENT = "Lives in Lisbon, near the river, and works there at night. " * 3


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    """Let rich take what is printed to for a terminal of so many columns."""
    for name, value in {"FORCE_COLOR": "1", "NO_COLOR": "1", "COLUMNS": str(width)}.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("width", [40, 80, 120])
def test_an_id_stands_whole_in_a_line_however_narrow_the_terminal_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int
) -> None:
    on_a_terminal(monkeypatch, width)

    print_table(("id", "kind", "importance", "said", "content"), [(MEMORY, "fact", 0.5, SAID, CONTENT)] * 2)
    print_table(
        ("user", "memories", "last seen"), [("anna@a-long-domain-of-many-letters.example.org", 1, SAID)]
    )

    told = capsys.readouterr().out
    lines = [line.split() for line in told.splitlines()]
    assert sum(str(MEMORY) in line for line in lines) == 2
    assert ["anna@a-long-domain-of-many-letters.example.org"] in lines
    assert all(word in told for word in ("fact", "0.5", "2026-03-15"))
    assert "".join(CONTENT.split()) in "".join(told.split()) or width == 120


def test_a_table_shows_when_something_was_said_by_the_machines_clock(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    on_a_terminal(monkeypatch, 200)

    print_output(
        memories_output(
            [memory("See the dentist", observed_at=SAID, event_at=datetime(2026, 3, 20, tzinfo=UTC))]
        ),
        as_json=False,
    )

    told = capsys.readouterr().out
    assert "2026-03-16 01:00" in told
    assert "2026-03-20" not in told, "the column tells when it was said"


HOSTILE = "chat\x1b[2J\x1b]0;gone\x07\x9b31m\x7f\u202egnp\u2028\u2066 \n\r\t\U000e0041"


def test_what_a_terminal_would_obey_is_shown_and_not_sent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for width in (80, 120):
        on_a_terminal(monkeypatch, width)
        print_table(COLUMNS, [(HOSTILE, HOSTILE)])
        print_table(COLUMNS, [("chat", HOSTILE)])
    typer_escapes = on_one_line(HOSTILE)
    print_json({"sessions": [HOSTILE]})

    told = capsys.readouterr().out
    plain = re.sub(r"\x1b\[[0-9;]*m", "", told)  # the bold type of the names of columns
    assert {letter for letter in plain if not letter.isprintable()} == {"\n"}
    assert typer_escapes.isprintable()
    assert typer_escapes.startswith(r"chat\x1b[2J")
    assert json.loads(told[told.index("{") :]) == {"sessions": [HOSTILE]}


def test_that_there_is_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_a_terminal(monkeypatch, 80)

    print_table(COLUMNS, [])

    assert capsys.readouterr().out.strip() == "There is nothing to list."
