"""Open WebUI before the LLM, and what its filter is told, for tests that install the filter themselves.

Never: which database, what a test expects.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.openwebui.hosts import Database, Host
from tests.e2e.openwebui.language_model import MARKS, LanguageModel
from tests.e2e.openwebui.people import Person
from tests.e2e.openwebui.server import Server, served_openwebui
from tests.servers.internals import variables
from tests.servers.running_proxy import RunningProxy

_PATIENT_MS = 10_000
"""The machine may be busy with other tests."""

_SETTINGS = {
    "formation_quiet_seconds": 0,
    "formation_batch_turns": 1,
    "summary_turns": 0,
    "summary_tokens": 0,
}


@asynccontextmanager
async def plain_openwebui(folder: Path, model: LanguageModel, **environ: str) -> AsyncIterator[Server]:
    """Serve Open WebUI before the LLM, without any function, in surroundings where memories form at once."""
    settings = variables(_SETTINGS)
    async with served_openwebui(
        folder,
        connection=model.upstream.base_url,
        connection_headers=MARKS,
        model=model.upstream.base_url,
        **(settings | environ),
    ) as server:
        yield server


def learning_from(model: LanguageModel) -> dict[str, Any]:
    """Return the valves of a filter whose extraction model is this one, and that waits for a slow machine."""
    return {
        "extraction_base_url": model.upstream.base_url,
        "extraction_model": "extractor",
        "recall_deadline_ms": _PATIENT_MS,
    }


def filter_host(server: Server, administrator: Person, model: LanguageModel, database: Database) -> Host:
    """Return such an Open WebUI as a host of the filter, whose memories nobody looks at from outside."""
    return Host("filter", server, administrator, model, database, _no_memory_api)


def _no_memory_api() -> AbstractAsyncContextManager[RunningProxy]:
    pytest.fail("this test serves no memory API")
