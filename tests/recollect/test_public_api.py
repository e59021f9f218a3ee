"""`from recollect import ...` is enough to embed the engine, and imports nothing before its use."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from tests.servers.served_process import environment

import recollect
from recollect import (
    Engine,
    EngineSettings,
    Exchange,
    Memory,
    MemoryNotFoundError,
    Recollection,
    Scope,
    StoreError,
    Strategy,
    Turn,
    Written,
    open_engine,
)

ROOT = Path(__file__).parents[2]
DOG, ASKED = "I have a dog called Rex.", "What is my dog called?"


@pytest.fixture
async def engine(own_dsn: str, data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Engine]:
    """An engine over a database of its own, opened as a program opens it that embeds it."""
    for name in set(os.environ) - set(environment()):
        monkeypatch.delenv(name)
    settings = EngineSettings.model_validate(
        {
            "database_url": own_dsn,
            "data_dir": data_dir,
            "formation": Strategy.QA_TURN,
            "worker": "within",
            "recall_deadline_ms": 10_000,  # the machine may be busy
        }
    )
    async with open_engine(settings) as opened:
        yield opened


def turn(user_id: str, chat: str, text: str) -> Turn:
    return Turn(Scope(user_id, chat), text, key=str(uuid4()), at=datetime.now(UTC), model="a-model")


async def form_all(engine: Engine, user_id: str) -> None:
    while (wait := await engine.drain(user_id)) is not None:  # noqa: ASYNC110 -- it says itself how long
        await asyncio.sleep(wait.total_seconds())


@pytest.mark.process
async def test_an_exchange_that_was_begun_and_ended_is_recalled_listed_and_deleted(engine: Engine) -> None:
    exchange = await engine.log_turn(turn("anna", "monday", DOG))
    assert isinstance(exchange, Exchange)
    assert await engine.log_reply(exchange, "A fine name.") is Written.NEW
    assert await engine.log_reply(exchange, "A fine name.") is Written.KNOWN
    await form_all(engine, "anna")

    recall = await engine.recall(turn("anna", "tuesday", ASKED))
    assert recall.skipped is None
    assert all(isinstance(each, Recollection) for each in recall.recollections)
    assert any(DOG in each.item.content for each in recall.recollections)

    [memory] = (await engine.page("anna", limit=10)).memories
    assert isinstance(memory, Memory)
    assert DOG in memory.content
    assert await engine.get("anna", memory.id) == memory
    assert (await engine.page("bob", limit=10)).memories == ()

    await engine.forget("anna", memory.id)
    assert (await engine.page("anna", limit=10)).memories == ()
    with pytest.raises(MemoryNotFoundError) as raised:
        await engine.get("anna", memory.id)
    assert isinstance(raised.value, StoreError)

    await engine.erase("anna")
    assert await engine.sessions("anna") == []


def test_importing_the_package_imports_nothing_that_it_exports() -> None:
    code = "import sys, recollect; print([name for name in sys.modules if name.startswith('recollect.')])"
    assert run(code).stdout.strip() == "[]"


def test_every_public_name_is_there_and_no_other() -> None:
    for name in recollect.__all__:
        assert getattr(recollect, name) is not None
    assert set(recollect.__all__) <= set(dir(recollect))
    with pytest.raises(AttributeError, match="no attribute 'Backends'"):
        _ = recollect.Backends


@pytest.mark.process
def test_the_example_of_the_documentation_runs() -> None:
    document = (ROOT / "docs" / "how-to" / "embed-in-python.md").read_text("utf-8")
    [example] = re.findall(r"^```python\n(.+?)^```", document, re.MULTILINE | re.DOTALL)

    shown = run(example)

    assert re.search(
        r"^\d\.\d\d  I live in Lisbon, and I have a dog called Rex\.$", shown.stdout, re.MULTILINE
    )


def run(code: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        text=True,
        timeout=120,
        env=environment(),
    )
