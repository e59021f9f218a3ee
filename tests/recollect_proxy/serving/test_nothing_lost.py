"""Nothing that the upstream has received is lost, and nothing is there twice: whatever is killed, and whenever."""

import asyncio
import random
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import httptools
import pytest
from tests.recollect_proxy.settings import changed
from tests.scripted.embeddings import embedded
from tests.scripted.upstream import Answer, Received, ScriptedUpstream, completion
from tests.servers.databases import Database, administrator, running_database, sql_rows
from tests.servers.running_proxy import (
    CHAT,
    RunningProxy,
    User,
    chat_body,
    extract_statements,
    running_proxy,
    somebody,
    words_shown,
)
from tests.servers.served_process import environment, served_process
from tests.support.people import Person, person
from tests.support.raw_client import fetch
from tests.support.waiting import until

from recollect.engine.live import live_engine, log_writer
from recollect_proxy.settings.proxy_settings import ProxySettings

KILLS = 20
PEOPLE = 8
SHORTEST, LONGEST = 0.1, 1.2
"""Seconds under load before a kill."""


@pytest.fixture
def fresh_settings(fresh_settings: ProxySettings, tmp_path: Path) -> ProxySettings:
    """Settings with a data folder of their own: what a killed process leaves, any other that looks there takes for its own."""
    return changed(fresh_settings, data_dir=tmp_path)


def words_of(request: Received) -> str:
    """Return what the user said in a chat request that the upstream received."""
    words: str = request.json["messages"][-1]["content"]
    return words


async def logged(dsn: str) -> list[tuple[str, str]]:
    """Return what the users said, in the order of its exchanges, and how far each is."""
    rows = await sql_rows(
        dsn,
        "SELECT m.content, e.state FROM recollect.messages AS m "
        "JOIN recollect.exchanges AS e ON e.message_id = m.id ORDER BY e.id",
    )
    return [(row["content"], row["state"]) for row in rows]


def quick(
    settings: ProxySettings, upstream: ScriptedUpstream, embedder: ScriptedUpstream, *, forms: bool = True
) -> dict[str, str]:
    """Return the environment of a proxy that starts at once, with a worker only if it has to form."""
    assert settings.database_url is not None
    return environment(
        upstream=upstream.base_url,
        data_dir=settings.data_dir,
        database_url=settings.database_url.get_secret_value(),
        embedder="openai:e",
        embedder_base_url=embedder.base_url,
        worker="own" if forms else "elsewhere",
        formation="qa_turn",
        formation_quiet_seconds=0,
        job_heartbeat_seconds=1,
    )


def dsn_of(settings: ProxySettings) -> str:
    assert settings.database_url is not None
    return settings.database_url.get_secret_value()


@pytest.mark.process
async def test_a_relay_killed_as_the_upstream_has_the_turn_has_logged_it_and_the_next_turn_lets_it_be_formed(
    fresh_settings: ProxySettings, user: User
) -> None:
    never = asyncio.Event()
    async with ScriptedUpstream(lambda _: (never,)) as upstream, ScriptedUpstream(embedded) as embedder:
        environ = quick(fresh_settings, upstream, embedder, forms=False)
        async with served_process(environ=environ) as served:
            asking = asyncio.create_task(
                fetch(served.port, b"POST", CHAT, user.headers(), chat_body("I moved to Oslo"))
            )
            await upstream.requests(1)
            served.signal(signal.SIGKILL)
            await served.ended()
            await asyncio.wait({asking})
            asking.exception()
        upstream.otherwise = lambda _: completion("Nice!")
        environ = quick(fresh_settings, upstream, embedder)
        async with served_process(environ=environ) as served:
            answer = await fetch(
                served.port, b"POST", CHAT, user.headers(), chat_body("Do you know a good harbour?")
            )
            assert answer.status == 200

            async def both_are_formed() -> bool:
                return [state for _, state in await logged(dsn_of(fresh_settings))] == ["formed"] * 2

            # A worker that died within it holds its lease for a while.
            await until(both_are_formed, seconds=100)


def _log_lines() -> str:
    """Return a megabyte of a server's log, which takes long to be read for secrets."""
    drawn = random.Random(3)
    return "\n".join(
        f"2026-03-07 12:{number % 60:02}:01 INFO request id={drawn.getrandbits(64):x} user={drawn.randint(1, 9999)} took {drawn.random():.4f} s"
        for number in range(13_000)
    )


@pytest.mark.process
async def test_people_who_send_megabytes_take_nothing_from_those_who_chat_meanwhile(
    fresh_settings: ProxySettings,
) -> None:
    pasted = chat_body(f"{_log_lines()}\nWhat is wrong here?")
    people = [somebody() for _ in range(12)]
    expected = sorted(f"I moved to town number {number}." for number in range(12))
    async with (
        ScriptedUpstream(lambda _: completion("Nice!")) as upstream,
        ScriptedUpstream(embedded) as embedder,
    ):
        environ = quick(fresh_settings, upstream, embedder, forms=False)
        async with served_process(environ=environ) as served:
            large = [
                asyncio.create_task(fetch(served.port, b"POST", CHAT, somebody().headers(), pasted))
                for _ in range(6)
            ]
            await asyncio.wait(large, return_when=asyncio.FIRST_COMPLETED)
            said = (
                fetch(
                    served.port, b"POST", CHAT, each.headers(), chat_body(f"I moved to town number {number}.")
                )
                for number, each in enumerate(people)
            )
            assert {answer.status for answer in await asyncio.gather(*said)} == {200}
            served.signal(signal.SIGKILL)
            await served.ended()
            await asyncio.gather(*large, return_exceptions=True)

        async with served_process(environ=environ) as served:

            async def all_are_logged() -> bool:
                short = [text for text, _ in await logged(dsn_of(fresh_settings)) if len(text) < 100]
                return sorted(short) == expected

            await until(all_are_logged, seconds=60)
            served.signal(signal.SIGKILL)  # else it writes the megabytes first
            await served.ended()


class Load:
    """People who chat all the time, each in a chat of their own, with whatever serves on a port."""

    def __init__(self) -> None:
        self.port: int | None = None
        self._number = 0
        self._people = [somebody() for _ in range(PEOPLE)]

    async def run(self) -> None:
        async with asyncio.TaskGroup() as chatting:
            for person in self._people:
                chatting.create_task(self._chat(person))

    async def _chat(self, person: User) -> None:
        while True:
            if self.port is None:
                await asyncio.sleep(0.02)
                continue
            self._number += 1
            body = chat_body(f"This is statement number {self._number} of this run.")
            headers = person.headers(chat=f"chat-{self._number}")
            with suppress(OSError, EOFError, TimeoutError, httptools.HttpParserError):  # it was killed
                async with asyncio.timeout(20):
                    await fetch(self.port, b"POST", CHAT, headers, body)


@pytest.mark.slow
@pytest.mark.process
async def test_kills_at_random_under_load_lose_nothing_that_the_upstream_received_and_double_nothing(
    fresh_settings: ProxySettings, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(_: Received) -> Answer:
        pause = asyncio.Event()
        asyncio.get_running_loop().call_later(random.uniform(0, 0.2), pause.set)
        return (pause, *completion("All right."))

    chance, recoveries, load = random.Random(14), [], Load()
    async with ScriptedUpstream(answer) as upstream, ScriptedUpstream(embedded) as embedder:
        environ = quick(fresh_settings, upstream, embedder)
        chatting = asyncio.create_task(load.run())
        for _ in range(KILLS):
            began = time.monotonic()
            async with served_process(environ=environ) as served:
                received = len(upstream.received)
                load.port = served.port
                await upstream.requests(received + 1)
                recoveries.append(time.monotonic() - began)
                await asyncio.sleep(chance.uniform(SHORTEST, LONGEST))
                served.signal(signal.SIGKILL)
                load.port = None
                await served.ended()
        chatting.cancel()
        await asyncio.wait({chatting})
        async with served_process(environ=environ) as served:
            await until(lambda: _is_empty(fresh_settings.data_dir / "spool"))

    said = Counter(words_of(each) for each in upstream.received)
    kept = Counter(words for words, _ in await logged(dsn_of(fresh_settings)))
    lost, doubled = said.keys() - kept.keys(), [words for words, count in kept.items() if count > 1]
    with capsys.disabled():
        recoveries.sort()
        print(  # noqa: T201 -- who runs it wants to know
            f"\n{KILLS} kills, {len(said)} turns received, lost {len(lost)}, doubled {len(doubled)}; "
            f"first chat after {recoveries[len(recoveries) // 2]:.1f} s, at most {recoveries[-1]:.1f} s"
        )
    assert (sorted(lost), doubled) == ([], [])


def _is_empty(folder: Path) -> bool:
    return not folder.exists() or not any(file.stat().st_size for file in folder.iterdir())


# -- formation ---------------------------------------------------------------------------------------

WORKERS = 4
FORMED_BEFORE_THE_KILL = 3
FACTS = ("plays the violoncello on Mondays.", "was born in Ljubljana.")
"""What each user tells, in words so different that no two are taken for one."""


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
        }
        environ = environment(
            upstream=upstream.base_url, data_dir=fresh_settings.data_dir, database_url=dsn, **own
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


# -- the store ---------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_writer, "_AGAIN_SECONDS", 0.1)
    monkeypatch.setattr(live_engine, "_REOPEN_SECONDS", 0.1)


@pytest.fixture
async def database() -> AsyncIterator[Database]:
    async with running_database() as database:
        yield database


@pytest.fixture
def settings(session_settings: ProxySettings, database: Database, tmp_path: Path) -> ProxySettings:
    return changed(session_settings, database_url=database.dsn, data_dir=tmp_path, formation="qa_turn")


async def test_what_is_said_while_the_store_is_away_outlives_a_stop_and_is_logged_in_order_once(
    settings: ProxySettings, database: Database, user: User
) -> None:
    said = [f"This is statement number {number} of this chat." for number in range(30)]
    async with running_proxy(settings) as proxy:
        await proxy.say(user, said[0])
        await proxy.settle()
        await database.stop()
        for words in said[1:20]:
            assert (await proxy.say(user, words)).status == 200

        async def all_wait() -> bool:  # on a busy machine the last one is still being written
            spool = (await proxy.api(b"GET", "/health")).json["spool"]
            return (spool["exchanges"], spool["on_disk"], spool["lost"]) == (19, True, 0)

        await until(all_wait)
    assert not _is_empty(settings.data_dir / "spool")

    async with running_proxy(settings) as proxy:
        for words in said[20:]:
            assert (await proxy.say(user, words)).status == 200
        await database.start()
        assert await proxy.app.engine.ready(60)
        await proxy.settle()
        log = await proxy.logged(user)

    assert [words for role, words in log if role == "user"] == said
    assert [words for role, words in log if role == "assistant"] == ["All right."] * len(said)
    assert _is_empty(settings.data_dir / "spool")


async def test_who_is_erased_while_their_words_wait_is_not_logged_afterwards(
    settings: ProxySettings, database: Database, user: User
) -> None:
    other = somebody()
    async with running_proxy(settings) as left:
        await database.stop()
        await left.say(user, "I am a secret.")
        await left.say(other, "I am not.")
    await database.start()
    elsewhere = changed(settings, data_dir=settings.data_dir / "another")
    async with running_proxy(elsewhere) as proxy:
        assert (await proxy.api(b"DELETE", f"/users/{user.id}")).status == 200

    async with running_proxy(settings) as proxy:
        await proxy.settle()
        assert await proxy.logged(user) == []
        assert [words for _, words in await proxy.logged(other)] == ["I am not.", "All right."]


async def test_an_erasure_takes_what_waits_with_it_and_says_so(
    settings: ProxySettings, database: Database, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_proxy(settings) as proxy:
        await database.stop()
        await proxy.say(user, "I am a secret.")
        monkeypatch.setattr(log_writer, "_AGAIN_SECONDS", 60.0)
        await asyncio.sleep(0.3)  # it is looked for the store once in a minute from now on
        await database.start()

        erased = await proxy.api(b"DELETE", f"/users/{user.id}")

        assert erased.json["rows"]["spool"] == 1
        assert proxy.app.engine.log_writer.waiting.exchanges == 0
        assert _is_empty(settings.data_dir / "spool")
