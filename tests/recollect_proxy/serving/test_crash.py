"""Killed in the middle of forming: after a restart everything is formed, once."""

import asyncio
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.recollect_proxy.settings import changed
from tests.scripted.upstream import Answer, Received, ScriptedUpstream
from tests.servers.databases import administrator
from tests.servers.running_proxy import (
    CHAT,
    RunningProxy,
    User,
    chat_body,
    extract_statements,
    running_proxy,
    words_shown,
)
from tests.servers.served_process import environment, served_process
from tests.support.people import Person, person
from tests.support.raw_client import fetch
from tests.support.waiting import until

from recollect_proxy.settings.proxy_settings import ProxySettings

WORKERS = 4
FORMED_BEFORE_THE_KILL = 3
FACTS = (
    "plays the violoncello on Mondays.",
    "was born in Ljubljana.",
)
"""What each user tells, in words so different that no two are taken for one."""


@pytest.fixture
def fresh_settings(fresh_settings: ProxySettings, tmp_path: Path) -> ProxySettings:
    """Settings with a data folder of their own, but for the embedder's graph: what a killed process leaves is nobody else's."""
    return changed(fresh_settings, data_dir=tmp_path)


def facts(user: Person) -> list[str]:
    return [f"{user} {words}" for words in FACTS]


async def tell(port: int, user: Person) -> None:
    for number, fact in enumerate(facts(user)):
        headers = User(user).headers(chat=f"chat-{number}")
        assert (await fetch(port, b"POST", CHAT, headers, chat_body(fact))).status == 200


async def time_passes(dsn: str) -> None:
    """Let pass what a dead process's rights to form hold for: seconds, which a test need not wait."""
    async with administrator(dsn) as connection:
        longest = await connection.fetchval(
            "SELECT max(expires_at) - clock_timestamp() FROM recollect.leases"
        )
        assert longest < timedelta(seconds=20)
        await connection.execute("UPDATE recollect.leases SET expires_at = clock_timestamp()")


async def all_formed(proxy: RunningProxy) -> dict[str, Any]:
    """Wait until no exchange is left to be formed, and return how formation stands."""
    formation: dict[str, Any] | None = None

    async def none_pending() -> bool:
        nonlocal formation
        formation = (await proxy.api(b"GET", "/health")).json["formation"]
        return formation is not None and formation["pending"] == 0

    await until(none_pending)
    assert formation is not None
    return formation


@pytest.mark.process
async def test_a_kill_loses_no_exchange_and_forms_none_twice(
    fresh_settings: ProxySettings, upstream: ScriptedUpstream
) -> None:
    users = [person("user") for _ in range(WORKERS + 2)]
    killed = asyncio.Event()
    shown: Counter[str] = Counter()

    def extract_slowly(request: Received) -> Answer:
        shown[words_shown(request)] += 1
        if len(shown) > FORMED_BEFORE_THE_KILL and not killed.is_set():
            return (killed, *extract_statements(request))  # under way when the process dies
        return extract_statements(request)

    assert fresh_settings.database_url is not None
    dsn = fresh_settings.database_url.get_secret_value()
    async with ScriptedUpstream(extract_slowly) as model:
        own = {
            "extraction_base_url": model.base_url,
            "extraction_model": "extractor",
            "formation_quiet_seconds": 0,
            "formation_batch_turns": 1,
            "formation_workers": WORKERS,
            "job_heartbeat_seconds": 1,
            "second_embedder": "off",
        }
        environ = environment(
            upstream=upstream.base_url,
            data_dir=fresh_settings.data_dir,
            database_url=dsn,
            **own,
        )
        async with served_process(environ=environ) as served:
            await asyncio.gather(*(tell(served.port, user) for user in users))
            await model.requests(FORMED_BEFORE_THE_KILL + WORKERS)  # all workers are at it
            served.kill()
            await served.ended()
        killed.set()
        await time_passes(dsn)

        async with running_proxy(changed(fresh_settings, **own)) as proxy:
            formation = await all_formed(proxy)
            memories = {user: (await proxy.engine.page(user, limit=100)).memories for user in users}
            exchanges = await proxy.rows("SELECT state FROM recollect.exchanges")
            changes = await proxy.rows("SELECT action, after FROM recollect.memory_updates")

    told = [fact for user in users for fact in facts(user)]
    assert formation["formed"] == len(told)
    assert (formation["failed"], formation["waiting"]) == (0, {})
    assert Counter(row["state"] for row in exchanges) == {"formed": len(told)}
    for user in users:
        assert sorted(memory.content for memory in memories[user]) == sorted(facts(user))
    assert Counter((row["action"], row["after"]) for row in changes) == {("add", fact): 1 for fact in told}
    assert set(shown) == set(told)
    assert max(shown.values()) > 1  # some were under way when the process died
