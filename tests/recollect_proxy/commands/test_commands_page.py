"""docs/reference/commands.md names each command with its arguments and options, and none that is not there."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from recollect_proxy.commands import cli

PAGE = Path(__file__).parents[3] / "docs/reference/commands.md"
_ITEM = re.compile(
    r"^- `recollect ([a-z0-9 -]+?)(?: [\[A-Z].*?)?`: .*?Options:(.*?)(?=^$|^- )", re.MULTILINE | re.DOTALL
)


def commands(command: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each command by its name."""
    if hasattr(command, "commands"):
        for name, below in command.commands.items():
            yield from commands(below, f"{path} {name}".strip())
    else:
        yield path, command


def test_the_page_names_each_command_and_each_of_its_options() -> None:
    there = {
        name: {
            each.opts[0]
            for each in command.params
            if each.param_type_name == "option" and each.name != "help"
        }
        for name, command in commands(typer.main.get_command(cli.app))
    }
    told = {
        name: set(re.findall(r"`(--[a-z-]+)`", options))
        for name, options in _ITEM.findall(PAGE.read_text("utf-8"))
    }

    assert told == there
