"""A worker in a process of its own: whatever becomes of it, chats go on, and nothing is lost or tried for ever."""

import asyncio
import os
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs
from tests.recollect.worker.poisoned_worker import HELD, KILLED, SLOW
from tests.scripted.embeddings import embedded
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.databases import administrator, sql_rows
from tests.support.people import Person, person
from tests.support.stores import NOON
from tests.support.waiting import until

from recollect.assembly import lifecycle
from recollect.assembly.lifecycle import open_engine
from recollect.engine import Engine
from recollect.engine.counters import FormationCounts
from recollect.formation import CallStatistics
from recollect.model import Scope, Strategy, Turn
from recollect.settings.engine_settings import EngineSettings, WorkerPlace
from recollect.worker import supervisor
from recollect.worker.supervisor import (
    Clear,
    Report,
    RunningChats,
    Start,
    ToWorker,
    WorkerProcess,
    line_of,
    read_report,
    to_worker,
)

REPOSITORY = Path(__file__).parents[3]
_LONGEST_SECONDS = 110.0
"""Just below the limit of a test, in which workers start several times on a machine that may be busy."""
STATES = "SELECT state, error FROM recollect.exchanges WHERE user_id = $1 ORDER BY id"


@pytest.fixture
async def given(own_dsn: str, data_dir: Path) -> AsyncIterator[EngineSettings]:
    """With an embedder elsewhere: loading one would be half of a worker's start."""
    async with ScriptedUpstream(embedded) as embedder:
        yield EngineSettings(
            database_url=SecretStr(own_dsn),
            data_dir=data_dir,
            embedder="openai:e",
            embedder_base_url=embedder.base_url,
            formation=Strategy.QA_TURN,
            worker=WorkerPlace.OWN,
            formation_attempts=2,
            job_heartbeat_seconds=1,
        )


@pytest.fixture(autouse=True)
def _soon_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "_SHORTEST_PAUSE", 0.01)


@pytest.fixture
def poisoned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        supervisor, "_COMMAND", (sys.executable, "-m", "tests.recollect.worker.poisoned_worker")
    )
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY), prepend=os.pathsep)


@asynccontextmanager
async def impatient(dsn: str) -> AsyncIterator[None]:
    """Let the rights of dead workers run out at once, and not after their seconds."""

    async def run_out() -> None:
        async with administrator(dsn) as connection:
            while True:
                await connection.execute(
                    "UPDATE recollect.leases SET expires_at = clock_timestamp() - interval '1 second' "
                    "WHERE expires_at < clock_timestamp() + interval '13 seconds'"
                )
                await asyncio.sleep(0.2)

    running = asyncio.create_task(run_out())
    try:
        yield
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


def worker_of(engine: Engine) -> WorkerProcess:
    assert isinstance(engine._worker, WorkerProcess)
    return engine._worker


def said(user: Person, text: str, number: int = 1) -> Turn:
    return Turn(Scope(str(user), f"chat-{number}"), text, f"key-{number}", NOON, "scripted")


async def states(dsn: str, user: Person) -> list[tuple[str, str | None]]:
    return [tuple(row) for row in await sql_rows(dsn, STATES, user)]


async def remembers(engine: Engine, user: Person, text: str, number: int = 1) -> None:
    assert await engine.remember(said(user, text, number), "I see.")


async def all_done(dsn: str, *users: Person) -> None:
    async def none_waits() -> bool:
        found = [state for user in users for state, _ in await states(dsn, user)]
        return "pending" not in found

    await until(none_waits, seconds=_LONGEST_SECONDS)


@pytest.mark.process
async def test_it_forms_and_tells_it_and_one_that_is_killed_is_followed_by_another_until_its_host_ends(
    given: EngineSettings, own_dsn: str
) -> None:
    anna = person("anna")

    async with open_engine(given) as engine, impatient(own_dsn):
        await remembers(engine, anna, "I play the violoncello.")
        await all_done(own_dsn, anna)
        await until(lambda: engine.counts.successes == 1)
        first = worker_of(engine).pid
        assert first not in {None, os.getpid()}
        assert first is not None
        os.kill(first, signal.SIGKILL)
        await remembers(engine, anna, "I was born in Ljubljana.", 2)
        await all_done(own_dsn, anna)
        await until(lambda: engine.counts.successes == 2)
        second = worker_of(engine).pid

    assert await states(own_dsn, anna) == [("formed", None)] * 2
    assert second not in {None, first}
    assert second is not None
    with pytest.raises(ProcessLookupError):
        os.kill(second, 0)


@pytest.mark.process
@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize(
    ("poison", "how"),
    [
        (HELD, "its interpreter was held for 20 seconds"),
        pytest.param(SLOW, "a step took too long", marks=pytest.mark.slow),
        pytest.param(KILLED, "killed by SIGKILL", marks=pytest.mark.slow),
    ],
    ids=["held", "slow", "killed"],
)
async def test_what_it_dies_of_is_held_as_failed_and_nothing_else_is(
    given: EngineSettings, own_dsn: str, poison: str, how: str
) -> None:
    anna, ben, carl = person("anna"), person("ben"), person("carl")

    with capture_logs() as logs:
        async with open_engine(given) as engine, impatient(own_dsn):
            await remembers(engine, anna, f"This is {poison}.")
            for number, user in enumerate((anna, ben, carl), 2):
                await remembers(engine, user, "I play the violoncello.", number)
            await all_done(own_dsn, anna, ben, carl)

    [held, after] = await states(own_dsn, anna)
    assert held == (
        "failed",
        "WorkerStoppedError: The worker was stopped each of the 2 times that this was tried.",
    )
    assert after == ("formed", None)
    assert await states(own_dsn, ben) == await states(own_dsn, carl) == [("formed", None)]
    assert [each["reason"] for each in logs if each["event"] == "worker_ended"] == [how] * 2


@pytest.mark.process
async def test_the_next_one_has_the_lasts_credentials(
    given: EngineSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[ToWorker] = []
    send = WorkerProcess._send

    def overheard(worker: WorkerProcess, message: ToWorker) -> None:
        sent.append(message)
        send(worker, message)

    monkeypatch.setattr(WorkerProcess, "_send", overheard)
    anna = person("anna")

    async with open_engine(given) as engine:
        await until(lambda: worker_of(engine).pid is not None)
        assert await engine.remember(said(anna, "I play the cello."), "Oh.", credential="Bearer of-anna")
        pid = worker_of(engine).pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await until(lambda: worker_of(engine).pid not in {None, pid})
        await until(lambda: [getattr(each, "credential", "") for each in sent].count("Bearer of-anna") == 2)


# -- A worker gets its host's settings, and its counts add up --


CHANGED = {
    "database_url": SecretStr("postgresql://given"),
    "data_dir": Path("/given"),
    "embedder_api_key": SecretStr("an embedder's"),
    "extraction_api_key": SecretStr("a model's"),
    "formation": Strategy.QA_TURN,
    "lifetimes": ("todo:90",),
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
    counts = FormationCounts(attempts=3, errors=Counter(StoreError=2))
    counts.lag.observe(3)
    guarded = CallStatistics(2, NOON + timedelta(minutes=1), 1, 9, {"ExtractorError": 2})

    heard = read_report(line_of(Report(counts, guarded)))

    assert (heard.counts, heard.guarded, heard.counts.errors["none"]) == (counts, guarded, 0)


@asynccontextmanager
async def running(monkeypatch: pytest.MonkeyPatch, script: str) -> AsyncIterator[WorkerProcess]:
    """Run a script as the worker."""
    monkeypatch.setattr(supervisor, "_COMMAND", (sys.executable, "-c", script))
    for pause in ("_FIRST_PAUSE", "_SHORTEST_PAUSE"):
        monkeypatch.setattr(supervisor, pause, 0.0)
    worker = WorkerProcess(Start({}))
    task = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        task.cancel()
        await asyncio.wait({task})


async def test_the_counts_go_on_over_workers_that_end(monkeypatch: pytest.MonkeyPatch) -> None:
    report = line_of(Report(FormationCounts(attempts=1), CallStatistics()))

    async with running(monkeypatch, f"import sys; sys.stdout.buffer.write({report!r})") as worker:
        await until(lambda: worker.counts.attempts >= 3)  # it may have gone on since it was looked at


async def test_one_that_still_starts_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with capture_logs() as logs:
        async with running(monkeypatch, "import time; time.sleep(60)") as worker:
            await until(lambda: worker.pid is not None)

    assert [each["event"] for each in logs] == ["worker_started"]


def test_what_nobody_says_is_told_from_what_is_said() -> None:
    assert (to_worker(line_of(Clear())), to_worker(line_of(RunningChats(3)))) == (Clear(), RunningChats(3))
    with pytest.raises(msgspec.MsgspecError):
        to_worker(b'{"type": "sleep"}')
    with pytest.raises(msgspec.MsgspecError):
        read_report(b"a library's own words\n")
