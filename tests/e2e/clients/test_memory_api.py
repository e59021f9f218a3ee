"""Schemathesis reads the Memory API's own OpenAPI document and tries to catch the API lying."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.clients.programs import SCRIPTS, of_the_environment, run
from tests.recollect_proxy.given import TEA
from tests.servers.running_proxy import ADMIN_TOKEN, RunningProxy, User, running_proxy

from recollect_proxy.settings.proxy_settings import ProxySettings

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "positive_data_acceptance",
    "missing_required_header",
    "unsupported_method",
    "allow_header_conformance",
    "ignored_auth",
)

# A body that is wrong and too long besides may be refused for its length. Of an export the document has the outermost names alone.
SETTINGS = """
[checks]
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422]

# What rows of an export hold is said by its own schema; those made up here are none.
[[operations]]
include-path = "/memory/users/{user_id}/import"
checks.positive_data_acceptance.expected-statuses = ["2xx", 401, 403, 404, 409, 422]

# Of which results a page may follow depends on what the search finds.
[[operations]]
include-path = "/memory/users/{user_id}/messages"
checks.positive_data_acceptance.expected-statuses = ["2xx", 400, 401, 403, 404, 409]

# A stream of events has no end.
[[operations]]
include-path = "/memory/users/{user_id}/events"
enabled = false
"""


@pytest.fixture
async def api(fresh_settings: ProxySettings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RunningProxy]:
    """A proxy whose database nobody else uses: what is tried erases users.

    It has any number of wrong tokens answered 401: Schemathesis sends hundreds, and takes 429 for no refusal.
    """
    monkeypatch.setattr("recollect_proxy.access.failed_attempts._AT_MOST", 1_000_000)
    async with running_proxy(fresh_settings) as proxy:
        yield proxy


async def try_api(api: RunningProxy, folder: Path, *options: str) -> dict[str, Any]:
    """Let Schemathesis try the API, and return its report; a failure is what it printed."""
    report = folder / "report.json"
    settings = folder / "schemathesis.toml"
    settings.write_text(SETTINGS)
    await run(
        of_the_environment("schemathesis"),
        *("--config-file", settings, "run"),
        f"http://127.0.0.1:{api.port}/memory/docs/openapi.json",
        *("--header", f"Authorization: Bearer {ADMIN_TOKEN}", "--checks", ",".join(CHECKS)),
        *("--generation-deterministic", "--continue-on-failure"),
        *("--report", "json", "--report-json-path", str(report), "--no-color", *options),
        folder=folder,
        HOME=str(folder),
        SCHEMATHESIS_HOOKS="as_described",
        PYTHONPATH=str(SCRIPTS),
    )
    found: dict[str, Any] = json.loads(report.read_text())
    return found


PHASES = {"examples": 8, "coverage": 10, "fuzzing": 10, "stateful": 5}
"""How many operations each tries at least: not all have examples, and few follow from another."""


@pytest.mark.parametrize(("phase", "operations"), PHASES.items())
async def test_the_memory_api_keeps_its_word(
    api: RunningProxy, tmp_path: Path, phase: str, operations: int
) -> None:
    user = User("7d9c1f52-2f1b-4c6e-9a53-0a8a3c1b7a11")  # the document's example
    await api.say(user, TEA)
    await api.memories(user)

    report = await try_api(api, tmp_path, "--phases", phase, "--max-examples", "50")

    assert report["operations"]["tested"] >= operations
    assert report["test_cases"]["generated"] >= operations
    assert report["failures"] == report["errors"] == []
