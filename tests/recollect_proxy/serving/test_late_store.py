"""A start does not wait for ever for a store that is slow, or whose schema somebody changes: chats pass, and it opens later."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from tests.recollect_proxy.given import CAT
from tests.recollect_proxy.settings import changed
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.databases import administrator
from tests.servers.running_proxy import RunningProxy, User, chat_body, extracting_model, running_proxy
from tests.support.waiting import until

from recollect.assembly import lifecycle
from recollect.engine.live import live_engine
from recollect.store import sql
from recollect.store.migration import _LOCK
from recollect.store.sql import Migration
from recollect_proxy.commands.banner import banner
from recollect_proxy.settings.admin_token import AdminToken
from recollect_proxy.settings.proxy_settings import ProxySettings


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle, "_PATIENCE_SECONDS", 0.2)
    monkeypatch.setattr(live_engine, "_REOPEN_SECONDS", 0.1)


@pytest.fixture
async def settings(
    session_settings: ProxySettings, new_dsn: str, upstream: ScriptedUpstream, tmp_path: Path
) -> AsyncIterator[ProxySettings]:
    async with extracting_model() as model:
        assert upstream.base_url == session_settings.upstream
        own = {"database_url": new_dsn, "extraction_base_url": model.base_url, "data_dir": tmp_path}
        yield changed(session_settings, **own)


async def passes_without_memory(proxy: RunningProxy, user: User, upstream: ScriptedUpstream) -> None:
    answer = await proxy.say(user, CAT)
    ready = await proxy.fetch(b"GET", b"/memory/ready")

    assert (answer.status, answer.header(b"x-recollect-skipped")) == (200, b"store")
    assert upstream.last.body == chat_body(CAT)
    assert (ready.status, json.loads(ready.body)["memory"]) == (200, "unavailable")


async def remembers(proxy: RunningProxy, user: User) -> None:
    """Wait until the store is open, and what was said meanwhile is a memory."""

    async def is_available() -> bool:
        ready = await proxy.fetch(b"GET", b"/memory/ready")
        return bool(json.loads(ready.body)["memory"] == "available")

    await until(is_available)
    assert CAT in [memory.content for memory in await proxy.memories(user)]


def told(proxy: RunningProxy) -> str:
    """Return what is printed for who started it."""
    return banner(proxy.settings, proxy.app, proxy.port, AdminToken("a token"))


async def test_a_start_goes_on_while_somebody_else_migrates(
    settings: ProxySettings, new_dsn: str, upstream: ScriptedUpstream, user: User
) -> None:
    with capture_logs() as logs:
        async with administrator(new_dsn) as other:
            await other.execute("SELECT pg_advisory_lock($1)", _LOCK)
            async with running_proxy(settings) as proxy:
                shown = [told(proxy)]
                await passes_without_memory(proxy, user, upstream)
                await other.execute("SELECT pg_advisory_unlock($1)", _LOCK)
                await remembers(proxy, user)
                shown.append(told(proxy))

    assert [line["event"] for line in logs].count("store_delayed") == 1
    assert ["TABLES ARE BEING CHANGED" in each for each in shown] == [True, False]


async def test_a_start_goes_on_while_it_migrates_itself(
    settings: ProxySettings,
    new_dsn: str,
    upstream: ScriptedUpstream,
    user: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow = Migration(9000, "slow", "SELECT pg_advisory_xact_lock(1);")
    known = sql.load_migrations()
    monkeypatch.setattr("recollect.store.migration.load_migrations", lambda: [*known, slow])
    monkeypatch.setattr("recollect.store.migration._TRIES", 10_000)
    async with administrator(new_dsn) as connection:
        await connection.execute("SELECT pg_advisory_lock(1)")
        async with running_proxy(settings) as proxy:
            await passes_without_memory(proxy, user, upstream)
            await connection.execute("SELECT pg_advisory_unlock(1)")
            await remembers(proxy, user)

            assert await connection.fetchval("SELECT max(version) FROM recollect.schema_migrations") == 9000


async def test_a_proxy_that_is_stopped_while_it_waits_ends(settings: ProxySettings, new_dsn: str) -> None:
    async with administrator(new_dsn) as other, asyncio.timeout(60):
        await other.execute("SELECT pg_advisory_lock($1)", _LOCK)
        async with running_proxy(settings) as proxy:
            assert proxy.app.engine.engine is None
