"""Killed in the middle of forming: after a restart everything is formed, once."""

import asyncio
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from tests.folders import database_folder
from tests.raw_client import Response, fetch
from tests.running_proxy import ADMIN_TOKEN, CHAT, User, chat_body, extract_statements, words_shown
from tests.scripted_upstream import Answer, Received, ScriptedUpstream
from tests.served_process import environment, served_process
from tests.waiting import until

from recollect.postgres import start_embedded

USERS = [User(f"user-{number}") for number in range(10)]
FACTS_EACH = 5
FORMED_BEFORE_THE_KILL = 15


def facts(user: User) -> list[str]:
    """Return what this user tells, in words so different that no two are taken for one."""
    return [
        f"{user.id} {words}"
        for words in (
            "plays the violoncello on Mondays.",
            "was born in Ljubljana.",
            "never eats aubergines.",
            "drives a yellow tractor.",
            "wants to learn Icelandic.",
        )
    ]


@pytest.fixture
def folder() -> Iterator[Path]:
    with database_folder() as folder:
        yield folder


async def tell(port: int, user: User) -> None:
    for number, fact in enumerate(facts(user)):
        answer = await fetch(port, b"POST", CHAT, user.headers(chat=f"chat-{number}"), chat_body(fact))
        assert answer.status == 200


async def ask(port: int, path: str) -> Response:
    return await fetch(
        port, b"GET", b"/memory" + path.encode(), [(b"Authorization", f"Bearer {ADMIN_TOKEN}".encode())]
    )


async def all_formed(port: int) -> dict[str, Any]:
    """Wait until no exchange is left to be formed, and return how formation stands."""
    formation: dict[str, Any] | None = None

    async def none_pending() -> bool:
        nonlocal formation
        formation = (await ask(port, "/health")).json["formation"]
        return formation is not None and formation["pending"] == 0

    await until(none_pending, seconds=120)
    assert formation is not None
    return formation


async def rows(folder: Path, query: str) -> list[asyncpg.Record]:
    """Return what the database of a data folder, which is served, answers."""
    server = await asyncio.to_thread(start_embedded, folder)  # joins the one that runs
    connection = await asyncpg.connect(server.dsn)
    try:
        return await connection.fetch(query)
    finally:
        await connection.close()
        await asyncio.to_thread(server.stop)


async def test_a_kill_loses_no_exchange_and_forms_none_twice(folder: Path, data_dir: Path) -> None:
    killed = asyncio.Event()
    shown: Counter[str] = Counter()

    def extract_slowly(request: Received) -> Answer:
        shown[words_shown(request)] += 1
        if len(shown) > FORMED_BEFORE_THE_KILL and not killed.is_set():
            return (killed, *extract_statements(request))  # under way when the process dies
        return (0.01, *extract_statements(request))

    data_dir.joinpath("models").mkdir(parents=True, exist_ok=True)
    folder.joinpath("models").symlink_to(data_dir / "models")  # the embedder's graph, built once
    async with ScriptedUpstream() as upstream, ScriptedUpstream(extract_slowly) as model:
        environ = environment(
            upstream=upstream.base_url,
            data_dir=folder,
            admin_token=ADMIN_TOKEN,
            extraction_base_url=model.base_url,
            extraction_model="extractor",
            job_heartbeat_seconds=1,
        )
        async with served_process(environ=environ) as served:
            await asyncio.gather(*(tell(served.port, user) for user in USERS))
            await model.requests(FORMED_BEFORE_THE_KILL + 4)  # all four workers are at it
            served.signal(signal.SIGKILL)
            await served.ended()
        killed.set()

        async with served_process(environ=environ) as served:
            formation = await all_formed(served.port)
            memories = {
                user: (await ask(served.port, f"/users/{user.id}/memories?limit=100")).json["memories"]
                for user in USERS
            }
            exchanges = await rows(folder, "SELECT state FROM recollect.exchanges")
            changes = await rows(folder, "SELECT action, after FROM recollect.memory_updates")
            served.signal(signal.SIGTERM)
            assert await served.ended() == 0

    told = [fact for user in USERS for fact in facts(user)]
    assert formation["formed"] == len(told)
    assert formation["failed"] == formation["fallbacks"] == 0
    assert Counter(row["state"] for row in exchanges) == {"formed": len(told)}
    for user in USERS:
        assert sorted(memory["content"] for memory in memories[user]) == sorted(facts(user))
    assert Counter((row["action"], row["after"]) for row in changes) == {("add", fact): 1 for fact in told}
    assert set(shown) == set(told)
    assert max(shown.values()) > 1  # some were under way when the process died
