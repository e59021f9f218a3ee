import json
import logging
import sys
from collections.abc import Iterator
from contextlib import suppress

import pytest
import structlog

from recollect.runtime.logs import configure_logging


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Put the logging back afterwards."""
    root = logging.getLogger()
    configuration, handlers, level = structlog.get_config(), root.handlers, root.level
    yield
    structlog.configure(**configuration)
    root.handlers = handlers
    root.setLevel(level)


def test_our_lines_and_those_of_libraries_are_json_alike(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info")

    structlog.get_logger("ours").info("memories_decided", count=1)
    logging.getLogger("theirs").error("Port %d is taken", 80)

    ours, theirs = (json.loads(line) for line in capsys.readouterr().err.splitlines())
    assert ours.pop("timestamp").endswith("Z")
    assert theirs.pop("timestamp").endswith("Z")
    assert ours == {"event": "memories_decided", "count": 1, "level": "info"}
    assert theirs == {"event": "Port 80 is taken", "level": "error"}


def test_a_log_that_takes_nothing_fails_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    with open("/dev/full", "w", buffering=1) as full:  # noqa: PTH123 -- whatever is written there finds no room
        monkeypatch.setattr(sys, "stderr", full)
        configure_logging("info")

        structlog.get_logger("ours").warning("spool_moved_to_memory")
        logging.getLogger("theirs").error("No room")
        with suppress(OSError):
            full.close()


def test_an_exception_stays_in_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info")

    try:
        int("gone")
    except ValueError:
        structlog.get_logger("ours").exception("recall_failed")
        logging.getLogger("theirs").exception("failed")

    for line in capsys.readouterr().err.splitlines():
        assert "ValueError: invalid literal" in json.loads(line)["exception"]


@pytest.mark.parametrize(
    ("level", "heard"), [("debug", ["debug", "warning"]), ("warning", ["warning"]), ("error", [])]
)
def test_less_than_the_level_is_not_said(
    capsys: pytest.CaptureFixture[str], level: str, heard: list[str]
) -> None:
    configure_logging(level)

    structlog.get_logger("ours").debug("one")
    structlog.get_logger("ours").warning("two")

    assert [json.loads(line)["level"] for line in capsys.readouterr().err.splitlines()] == heard


def test_libraries_are_never_heard_below_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("debug")

    logging.getLogger("theirs").info("chatter")
    logging.getLogger("theirs").warning("careful")

    assert [json.loads(line)["event"] for line in capsys.readouterr().err.splitlines()] == ["careful"]


def test_a_person_at_a_terminal_reads_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    configure_logging("info")

    structlog.get_logger("ours").info("recalled", user_id="anna", given=2)
    logging.getLogger("theirs").error("Port %d is taken", 80)

    ours, theirs = capsys.readouterr().err.splitlines()
    assert "recalled" in ours
    assert "anna" in ours
    assert not ours.startswith("{")
    assert "Port 80 is taken" in theirs


def test_no_id_that_a_client_chose_commands_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    configure_logging("info")

    structlog.get_logger("ours").info("recalled", session_id="a\x1b]0;title\x07b", user_id="c\x9b2Jd")

    line = capsys.readouterr().err
    assert "\x1b]" not in line
    assert not {"\x07", "\x9b"} & set(line)
