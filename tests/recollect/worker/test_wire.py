"""A worker gets its host's settings, and its counts add up."""

import asyncio
import sys
from collections import Counter
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from pydantic import SecretStr
from tests.support.stores import NOON
from tests.support.waiting import until

from recollect.assembly import lifecycle
from recollect.engine.background.counts import FormationCounts
from recollect.formation import CallStatistics
from recollect.settings import EngineSettings
from recollect.settings.internals import ExtractionSdk
from recollect.worker import supervisor
from recollect.worker.supervisor import WorkerProcess
from recollect.worker.wire import Chats, Clear, Report, Start, line_of, read_report, to_worker

CHANGED = {
    "database_url": SecretStr("postgresql://given"),
    "data_dir": Path("/given"),
    "embedder_api_key": SecretStr("an embedder's"),
    "extraction_api_key": SecretStr("a model's"),
    "extraction_sdk": ExtractionSdk.MISTRAL,
    "recall_weights": {"dense": 0.5},
    "global_memories": Path("/given/global-memories.txt"),
    "user_cap": 3,
}


def test_a_worker_has_every_setting_of_its_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_USER_CAP", "7")
    given = EngineSettings(**CHANGED)  # type: ignore[arg-type]  # of different kinds

    said = to_worker(line_of(lifecycle._start(given, Path("/data"), "postgresql://ours", "http://llm/v1")))

    assert isinstance(said, Start)
    assert said.upstream == "http://llm/v1"
    ours = {"database_url": SecretStr("postgresql://ours"), "data_dir": Path("/data")}
    assert EngineSettings(**said.settings) == given.model_copy(update=ours)


def test_what_it_tells_arrives_whole() -> None:
    counts = FormationCounts(attempts=3, errors=Counter(StoreError=2), lag_sum=1.5)
    counts.lag[2] = 4
    guarded = CallStatistics(2, NOON + timedelta(minutes=1), 1, 9, {"ExtractorError": 2})

    heard = read_report(line_of(Report(counts, guarded)))

    assert (heard.counts, heard.guarded) == (counts, guarded)
    assert heard.counts.errors["none"] == 0


def test_the_counts_of_two_workers_add_up() -> None:
    one = FormationCounts(attempts=3, errors=Counter(StoreError=2), lag=[1, 0, 0, 0, 0, 0, 0, 0, 0])
    other = FormationCounts(attempts=1, errors=Counter(StoreError=1, EmbedderError=1), lag_sum=0.5)

    both = one.plus(other)

    assert (both.attempts, both.lag_sum, both.lag[0]) == (4, 0.5, 1)
    assert both.errors == {"StoreError": 3, "EmbedderError": 1}


async def test_the_counts_go_on_over_workers_that_end(monkeypatch: pytest.MonkeyPatch) -> None:
    report = line_of(Report(FormationCounts(attempts=1), CallStatistics()))
    script = f"import sys; sys.stdout.buffer.write({report!r})"
    monkeypatch.setattr(supervisor, "_COMMAND", (sys.executable, "-c", script))
    for pause in ("_FIRST_PAUSE", "_SHORTEST_PAUSE"):
        monkeypatch.setattr(supervisor, pause, 0.0)
    worker = WorkerProcess(Start({}))

    running = asyncio.create_task(worker.run())
    await until(lambda: worker.counts.attempts == 3)
    running.cancel()
    await asyncio.wait({running})


def test_what_nobody_says_is_told_from_what_is_said() -> None:
    assert to_worker(line_of(Clear())) == Clear()
    assert to_worker(line_of(Chats(3))) == Chats(3)
    with pytest.raises(msgspec.MsgspecError):
        to_worker(b'{"type": "sleep"}')
    with pytest.raises(msgspec.MsgspecError):
        read_report(b"a library's own words\n")
