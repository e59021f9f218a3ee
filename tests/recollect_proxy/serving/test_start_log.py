"""What a first start and a later one log at the default level: few lines, and none that reads as an error."""

import json
from pathlib import Path

import pytest
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.folders import database_folder
from tests.servers.served_process import environment, served_process
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.database]

_READS_AS_AN_ERROR = ("error", "fatal", "traceback", "failed", "warning", "exception", "panic")


async def _started(folder: Path, upstream: ScriptedUpstream) -> tuple[list[str], list[str]]:
    """Start, wait until the worker is there, end, and return the lines of the log, and those for the person."""
    environ = environment(upstream=upstream.base_url, data_dir=folder)
    async with served_process(environ=environ) as served:
        await until(lambda: "worker_started" in "".join(served.logged))
    return served.logged, served.output


async def test_a_first_start_and_a_warm_one_log_what_they_did_and_nothing_that_reads_as_an_error() -> None:
    with database_folder() as parent:
        folder = parent / "data"
        async with ScriptedUpstream() as upstream:
            first, shown = await _started(folder, upstream)
            warm, shown_again = await _started(folder, upstream)

    assert shown[0] == f"First start: makes the data folder {folder} (--data-dir names another).\n"
    assert not any("First start" in line for line in shown_again)

    for line in [*first, *warm]:
        assert json.loads(line)["level"] == "info", line
        assert not [word for word in _READS_AS_AN_ERROR if word in line.lower()], line
    for start in (first, warm):
        assert [json.loads(line)["event"] for line in start] == ["worker_started"]
