"""Tables on a terminal keep to its width, and show ids by their ends; a command takes an id by any part that only one has."""

import json
import re
from datetime import UTC, datetime
from typing import TypeAlias
from uuid import UUID

import pytest
import typer
from tests.support.recollections import memory
from tests.support.tables import table

from recollect_proxy.store_commands.memories_commands import memories_output
from recollect_proxy.store_commands.options_of_commands import part_of_id, whole_chat, whole_id
from recollect_proxy.store_commands.printing import on_a_terminal as on_one_line
from recollect_proxy.store_commands.printing import print_json, print_output, print_table

Printed: TypeAlias = pytest.CaptureFixture[str]
COLUMNS = ("id", "content")
MEMORY = UUID("01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10")
SAID = datetime(2026, 3, 15, 12, tzinfo=UTC)
CONTENT = "Lives in Lisbon, near the river, and works there at night. " * 3


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    """Let rich take what is printed to for a terminal of so many columns."""
    for name, value in {"FORCE_COLOR": "1", "NO_COLOR": "1", "COLUMNS": str(width)}.items():
        monkeypatch.setenv(name, value)


USER = "0b6c2f6f-2a10-4d68-9d3f-52f201980f6e"


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize(
    "row",
    [
        (MEMORY, "fact", 0.5, "2026-03-15", CONTENT),
        (MEMORY, SAID, "reinforce", "formation", "equal_content", CONTENT),
        (MEMORY, USER, "contradiction", "says_otherwise", CONTENT),
        (USER, 1234, 123, 12345, 3, SAID),
        ("2026-03-15", USER, 123, 12345, 1234567, 321),
        (USER, 12345678, 12345, 12345, 1234567, "2026-03-15", "Anna Berg"),
    ],
)
def test_a_table_keeps_to_the_width_and_loses_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: Printed, width: int, row: tuple[object, ...]
) -> None:
    on_a_terminal(monkeypatch, width)

    print_table([f"column {at}"[:8] for at in range(len(row))], [row] * 2)

    told = capsys.readouterr().out
    assert max(map(len, told.splitlines())) <= width
    shown = ["6f2a10" if value is MEMORY else "2026-03-15" if value is SAID else str(value) for value in row]
    squeezed = "".join(told.split())
    assert [value for value in shown if "".join(value.split()) not in squeezed] == []


def test_ids_are_shown_as_far_as_tells_them_apart(monkeypatch: pytest.MonkeyPatch, capsys: Printed) -> None:
    on_a_terminal(monkeypatch, 80)
    like = UUID(int=MEMORY.int ^ (1 << 34))

    print_table(COLUMNS, [(MEMORY, "one"), (UUID(int=MEMORY.int ^ 1), "two")])
    print_table(COLUMNS, [(MEMORY, "one"), (like, "two")])

    ids = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert ids == ["id", MEMORY.hex[-8:], MEMORY.hex[-8:-1] + "1", "id", MEMORY.hex[-9:], like.hex[-9:]]


def test_a_table_tells_times_by_the_machines_clock(monkeypatch: pytest.MonkeyPatch, capsys: Printed) -> None:
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    on_a_terminal(monkeypatch, 200)

    dentist = memory("See the dentist", observed_at=SAID, event_at=datetime(2026, 3, 20, tzinfo=UTC))
    print_output(memories_output([dentist]), as_json=False)

    told = capsys.readouterr().out
    assert "2026-03-16" in told
    assert "2026-03-20" not in told, "the column tells when it was said"


HOSTILE = "chat\x1b[2J\x1b]0;gone\x07\x9b31m\x7f\u202egnp\u2028\u2066 \n\r\t\U000e0041"


def test_what_a_terminal_would_obey_is_not_sent(monkeypatch: pytest.MonkeyPatch, capsys: Printed) -> None:
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


def test_an_empty_table_says_so(monkeypatch: pytest.MonkeyPatch, capsys: Printed) -> None:
    on_a_terminal(monkeypatch, 80)

    print_table(COLUMNS, [])

    assert capsys.readouterr().out.strip() == "There is nothing to list."


ONE = UUID("01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10")
TWO = UUID("01980f6e-52f2-7d68-9d3f-0b6c2f6f2a1b")
OTHER = UUID("01990000-52f2-7d68-9d3f-0b6c2f6faaaa")
CHATS = ("monday", "monday-2", "tuesday")


@table(
    ("part", "meant"),
    [
        ("2f6f2a10", ONE),
        ("01990000-52", OTHER),
        ("0199000052F2".lower(), OTHER),
        (str(ONE), ONE),
        ("ffffffff-ffff-7fff-bfff-ffffffffffff", UUID("ffffffff-ffff-7fff-bfff-ffffffffffff")),
    ],
)
def test_a_part_that_one_id_alone_has_means_it(part: str, meant: UUID) -> None:
    assert whole_id(part, [ONE, TWO, OTHER], "memory") == meant


@table(
    ("part", "said"),
    [
        ("01980f6e", f"01980f6e is ambiguous:\n  {ONE}\n  {TWO}\n"),
        ("abcd", "No memory has an id that begins or ends with abcd.\n"),
    ],
)
def test_a_part_of_several_or_none_fails(capsys: Printed, part: str, said: str) -> None:
    with pytest.raises(typer.Exit) as ended:
        whole_id(part, [ONE, TWO, OTHER], "memory")

    assert (ended.value.exit_code, capsys.readouterr().err) == (2, said)


@table("given", ["the cat", "abc", "%", "x" * 8])
def test_what_no_id_can_have_is_refused(capsys: Printed, given: str) -> None:
    with pytest.raises(typer.Exit):
        part_of_id(given)

    assert "is no id" in capsys.readouterr().err


def test_a_chat_is_meant_by_its_id_or_the_beginning_that_it_alone_has() -> None:
    means = {part: whole_chat(part, CHATS) for part in ("monday", "tu", "friday")}
    assert means == {"monday": "monday", "tu": "tuesday", "friday": "friday"}
    with pytest.raises(typer.Exit):
        whole_chat("mon", CHATS)
