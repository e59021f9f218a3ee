"""`python -m bench` knows every program there is, and tells of them."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from bench import command
from bench.__main__ import PROGRAMS, main

REPOSITORY = Path(__file__).parents[2]


def test_every_program_is_in_the_table_and_every_line_of_it_names_one() -> None:
    with_main = {
        ".".join(path.relative_to(REPOSITORY).with_suffix("").parts)
        for path in (REPOSITORY / "bench").rglob("*.py")
        if any(
            isinstance(node, ast.FunctionDef) and node.name == "main"
            for node in ast.parse(path.read_text("utf-8")).body
        )
    }

    assert {program.module for program in PROGRAMS.values()} == with_main - {"bench.__main__"}
    for program in PROGRAMS.values():
        assert callable(import_module(program.module).main)


def test_the_programs_of_labelled_conversations_are_the_commands_that_there_are() -> None:
    commands = {
        each.name or each.callback.__name__ for each in command.bench_app.registered_commands if each.callback
    }

    assert {name for name, program in PROGRAMS.items() if program.module == command.__name__} == commands


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_without_a_name_it_tells_which_there_are(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["python -m bench", *arguments])

    main()

    told = capsys.readouterr().out
    assert all(f"  {name} " in told and program.told in told for name, program in PROGRAMS.items())


def test_a_name_that_nobody_has_ends_it_with_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["python -m bench", "telepathy"])

    with pytest.raises(SystemExit) as ended:
        main()

    assert ended.value.code == 2
    assert "no program `telepathy`" in capsys.readouterr().err


@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "option"), [("recall", "--limit-conversations"), ("recall-size", "--large")]
)
def test_a_program_keeps_its_options_and_is_called_by_its_name(name: str, option: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "bench", name, "--help"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert (ended.returncode, ended.stderr) == (0, "")
    assert f"python -m bench {name}" in ended.stdout
    assert option in ended.stdout
