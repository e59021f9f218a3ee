"""The log: JSON a line, or lines for a person at a terminal; a chat without a fault leaves none at the default level."""

import json
import logging
import sys
from contextlib import suppress

import pytest
import structlog
from structlog.testing import capture_logs
from tests.servers.running_proxy import RunningProxy, User

from recollect.runtime.logs import configure_logging

pytestmark = pytest.mark.usefixtures("process_logging")


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
    ("level", "heard"), [("debug", ["one", "two", "careful"]), ("warning", ["two", "careful"]), ("error", [])]
)
def test_levels_are_kept_and_libraries_never_heard_below_a_warning(
    capsys: pytest.CaptureFixture[str], level: str, heard: list[str]
) -> None:
    configure_logging(level)

    structlog.get_logger("ours").debug("one")
    structlog.get_logger("ours").warning("two")
    logging.getLogger("theirs").info("chatter")
    logging.getLogger("theirs").warning("careful")

    assert [json.loads(line)["event"] for line in capsys.readouterr().err.splitlines()] == heard


def test_no_id_commands_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    configure_logging("info")

    structlog.get_logger("ours").info("recalled", user_id="anna\x9b2J", session_id="a\x1b]0;b\x07", given=2)
    logging.getLogger("theirs").error("Port %d is taken", 80)

    ours, theirs = capsys.readouterr().err.splitlines()
    assert ("recalled" in ours, "anna" in ours, ours.startswith("{")) == (True, True, False)
    assert "Port 80 is taken" in theirs
    assert [each for each in ("\x1b]", "\x07", "\x9b") if each in ours] == []


CAT = "My cat is called Minka."


async def test_a_chat_without_a_fault_is_logged_at_debug_alone(proxy: RunningProxy, user: User) -> None:
    with capture_logs() as logs:
        await proxy.say(user, CAT)
        await proxy.say(user, "What is my cat called?")
        await proxy.settle()
        await proxy.formed(user)

    told = [line for line in logs if line.get("user_id") == user.id]
    assert {line["log_level"] for line in told if "degraded" not in line} == {"debug"}
    events = ("recalled", "memories_decided", "formed")
    recalled, decided, formed = [[line for line in told if line["event"] == each] for each in events]
    assert (len(recalled), len(decided), sum(line["exchanges"] for line in formed)) == (2, 2, 2)
    names = {"event", "log_level", "user_id", "session_id", "given", "skipped", "milliseconds"}
    assert [line for line in recalled if set(line) - {"degraded"} != names] == []
    assert CAT not in str(logs)
