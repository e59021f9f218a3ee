"""Each `docker run` of the documents that starts the image fits it: volume, port, file system, and settings that a start takes."""

import re
import secrets
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from recollect_proxy.commands.cli import app

REPOSITORY = Path(__file__).parents[2]
DOCKERFILE = (REPOSITORY / "deploy" / "Dockerfile").read_text("utf-8").rpartition("\nFROM ")[2]
STARTS = [
    pytest.param(shlex.split(command.replace("\\\n", " ")), id=f"{page}-{number}")
    for page in ("README.md", "docs/how-to/run-in-docker.md")
    for number, command in enumerate(
        re.findall(
            r"^ *(docker run (?:.*\\\n)+.* recollect:[\d.]+)$",
            (REPOSITORY / page).read_text("utf-8"),
            re.MULTILINE,
        )
    )
]


def given(command: list[str], *names: str) -> list[str]:
    """Return the values of an option, under any of its names."""
    return [
        value or command[number + 1]
        for number, (name, _, value) in enumerate(each.partition("=") for each in command)
        if name in names
    ]


def stated(instruction: str) -> str:
    """Return the arguments of the one instruction of this name in the last stage."""
    [arguments] = re.findall(rf"^{instruction} (.+)$", DOCKERFILE, re.MULTILINE)
    return str(arguments)


def test_there_are_such_commands() -> None:
    assert len(STARTS) == 3


@pytest.mark.parametrize("command", STARTS)
def test_it_keeps_the_data_and_publishes_to_this_machine_alone(command: list[str]) -> None:
    assert given(command, "-v") == [f"recollect:{stated('VOLUME')}"]
    assert given(command, "-p") == [f"127.0.0.1:{stated('EXPOSE')}:{stated('EXPOSE')}"]
    assert "--read-only" not in command or given(command, "--tmpfs") == ["/tmp"]


@pytest.mark.parametrize("command", STARTS)
def test_a_start_takes_its_settings(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_image = dict(re.findall(r"\b(RECOLLECT_\w+)=(\S+)", stated("ENV")))
    settings = dict(each.split("=", 1) for each in given(command, "-e"))
    for name, value in (of_image | settings | {"RECOLLECT_DATA_DIR": str(tmp_path)}).items():
        monkeypatch.setenv(name, secrets.token_hex(24) if value == "..." else value)

    done = CliRunner().invoke(app, ["config", "check", "--offline"])

    assert done.exit_code == 0, done.output
