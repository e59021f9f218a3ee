"""Commands form imported exchanges at a rate, and enqueue memories without an embedding of the current model."""

import asyncio
import json
import signal
import time
from pathlib import Path

import pytest
from tests.recollect.store.keeping import kept
from tests.recollect_proxy.commands.command_line import Operator
from tests.recollect_proxy.settings import proxy_settings
from tests.servers.databases import administrator, sql_rows
from tests.servers.served_process import RECOLLECT, environment
from tests.support.stores import Store
from tests.support.tables import table
from tests.support.waiting import until

from recollect.assembly.lifecycle import open_engine
from recollect.recall import calibration
from recollect_proxy.store_commands import backlog_commands


def line(user: str, number: int) -> str:
    """Return a chat of one exchange, as a line of JSON."""
    said = {"role": "user", "content": f"I keep {number} bees on the roof of the library."}
    messages = [said, {"role": "assistant", "content": "Oh."}]
    return json.dumps({"messages": messages, "user": user, "chat_id": f"c-{number}"})


@pytest.fixture
def operator(own_dsn: str, data_dir: Path) -> Operator:
    """One whose exchanges are kept as they were said."""
    own = {"RECOLLECT_UPSTREAM": "http://127.0.0.1:9/v1", "RECOLLECT_FORMATION": "qa_turn"}
    return Operator(own_dsn, data_dir, **own)


def test_what_waits_is_formed_at_a_rate_and_only_once(operator: Operator, tmp_path: Path) -> None:
    file = tmp_path / "chats.jsonl"
    file.write_text("\n".join([line("anna", 1), line("anna", 2), line("ben", 3)]), "utf-8")
    operator.json("import", "jsonl", str(file))

    began = time.monotonic()
    annas = operator.json("backfill", "--user", "anna", "--rate", "120/min")
    took = time.monotonic() - began
    pending = {each["id"]: each["pending"] for each in operator.json("users")["users"]}
    rest, again = operator.json("backfill", "--rate", "0"), operator.json("backfill")

    assert annas == {"formed": 2, "pending": 1, "waiting": {}, "failed": 0}
    assert took >= 1
    assert pending == {"anna": 0, "ben": 1}
    assert (rest["formed"], again["formed"]) == (1, 0)
    assert len(operator.json("memories", "list", "ben")["memories"]) == 1


@table("rate", ["fast", "-1", "1.5/min", "", "9999999/min", "\u0663/min"])
def test_a_rate_that_is_none_is_told_of(operator: Operator, rate: str) -> None:
    operator.json("backfill", "--rate", rate, status=2)


@pytest.mark.process
async def test_a_killed_import_brings_nothing_twice(own_dsn: str, data_dir: Path, tmp_path: Path) -> None:
    count = 150
    file = tmp_path / "chats.jsonl"
    file.write_text("\n".join(line("anna", number) for number in range(count)), "utf-8")
    command = (str(RECOLLECT), "import", "jsonl", str(file))
    environ = environment(database_url=own_dsn, data_dir=data_dir, formation="qa_turn")

    async with administrator(own_dsn) as connection:

        async def written() -> int:
            number: int = await connection.fetchval("SELECT count(*) FROM recollect.messages")
            return number

        async def has_begun() -> bool:
            return await written() > 10

        first = await asyncio.create_subprocess_exec(*command, env=environ)
        await until(has_begun)
        first.send_signal(signal.SIGKILL)
        await first.wait()
        halfway = await written()
        second = await asyncio.create_subprocess_exec(*command, env=environ)
        status = await second.wait()
        in_the_end = await written()

    assert first.returncode == -signal.SIGKILL
    assert halfway < 2 * count
    assert (status, in_the_end) == (0, 2 * count)


async def enqueued(dsn: str) -> list[bytes]:
    """Return whose jobs wait."""
    return [row[0] for row in await sql_rows(dsn, "SELECT payload FROM recollect.pgqueuer")]


@pytest.fixture
async def old(own_store: Store) -> Store:
    """A store with a memory that another model embedded."""
    await kept(own_store, "She rows.")
    return own_store


def test_the_gate_is_measured_once_all_is_embedded(
    operator: Operator, old: Store, own_dsn: str, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = calibration.unrelated_questions()[:25]
    monkeypatch.setattr(calibration, "unrelated_questions", lambda: few)

    async def embed() -> None:
        settings = proxy_settings(database_url=own_dsn, data_dir=data_dir, formation="qa_turn")
        async with open_engine(settings) as engine:
            await engine.enqueue_indexing(old.anna)
            await engine.drain(old.anna)

    asyncio.run(embed())

    assert 0 < operator.json("reembed", "--patience", "1")["gate"] < 0.5
    assert operator.json("reembed", "--no-wait")["gate"] is None


def test_what_lacks_todays_embedding_is_enqueued(operator: Operator, old: Store, own_dsn: str) -> None:
    told = operator.json("reembed", "--no-wait")
    nobody = operator.json("reembed", "--user", old.ben)
    in_vain = operator.json("reembed", "--patience", "1", status=1)

    assert (told["users"], told["left"] >= 1, told["enqueued"] == told["left"]) == (1, True, True)
    assert nobody == {"users": 0, "enqueued": 0, "left": 0, "gate": None}
    assert in_vain["left"] == told["left"]
    assert asyncio.run(enqueued(own_dsn)) == [old.anna.encode()] * 2


@table(("left", "looks"), [([3, 2, 1, 0], 4), ([3, 3, 2, 2, 2, 2, 2], 6), ([3, 4, 5, 6, 7, 8, 9], 4)])
async def test_workers_are_waited_for(left: list[int], looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlog_commands, "_LOOK_SECONDS", 0.01)
    seen = iter(left)

    async def look() -> dict[str, int]:
        return {"anna": count} if (count := next(seen)) else {}

    await backlog_commands._wait(look, lambda counts: sum(counts.values()), 3, 0.03)

    assert [*seen] == left[looks:]
