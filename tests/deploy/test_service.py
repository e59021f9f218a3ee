"""Holds the units for systemd against the facts, and asks systemd itself where it is installed."""

import configparser
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.servers.served_process import RECOLLECT

from recollect_proxy.serving.server import SHUTDOWN_SECONDS

DEPLOY = Path(__file__).parents[2] / "deploy"
UNIT, WORKER = DEPLOY / "recollect.service", DEPLOY / "recollect-worker.service"
UNITS = {UNIT: "serve", WORKER: "worker"}


def read(unit: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=False, comment_prefixes="#")
    parser.optionxform = str  # type: ignore[assignment, method-assign]  # systemd's names have capitals
    parser.read_string(unit.read_text("utf-8"))
    return parser


@pytest.fixture(params=UNITS, ids=lambda unit: unit.stem)
def file(request: pytest.FixtureRequest) -> Path:
    """Each unit's file by turns."""
    unit: Path = request.param
    return unit


@pytest.fixture
def unit(file: Path) -> configparser.ConfigParser:
    return read(file)


def test_it_starts_the_command_as_a_user_of_its_own_over_a_folder_that_is_kept(
    file: Path, unit: configparser.ConfigParser
) -> None:
    service = unit["Service"]

    assert service["ExecStart"].split() == ["/opt/recollect/.venv/bin/recollect", UNITS[file]]
    assert service["User"] not in {"", "root"}
    assert service["Environment"] == f"RECOLLECT_DATA_DIR=/var/lib/{service['StateDirectory']}"
    assert service["StateDirectoryMode"] == "0700"


def test_running_answers_finish_and_the_database_is_stopped_last(unit: configparser.ConfigParser) -> None:
    service = unit["Service"]

    assert int(service["TimeoutStopSec"]) > SHUTDOWN_SECONDS
    assert service["KillMode"] == "mixed", "a SIGTERM to all would stop Postgres before the proxy"


def test_a_setting_that_makes_no_sense_is_not_tried_again(unit: configparser.ConfigParser) -> None:
    assert (unit["Service"]["Restart"], unit["Service"]["RestartPreventExitStatus"]) == ("on-failure", "2")


def test_a_worker_has_the_proxys_settings_and_bounds_and_a_folder_of_its_own() -> None:
    own = {"ExecStart", "StateDirectory", "Environment"}
    proxy, worker = ({**read(each)["Service"]} for each in UNITS)

    assert {name for name in proxy.keys() | worker.keys() if proxy.get(name) != worker.get(name)} == own


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed here")
def test_systemd_finds_nothing_wrong_with_it(file: Path, tmp_path: Path) -> None:
    here = file.read_text("utf-8").replace("/opt/recollect/.venv/bin/recollect", str(RECOLLECT))
    (tmp_path / file.name).write_text(here, "utf-8")

    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", tmp_path / file.name],
        capture_output=True,
        text=True,
        check=False,
    )

    assert [line for line in done.stderr.splitlines() if file.name in line] == []
    assert done.returncode == 0, done.stderr
