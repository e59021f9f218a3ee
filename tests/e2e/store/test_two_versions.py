"""This version serves on while a later one migrates its database, and starts again on the schema that has grown."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.scripted.embeddings import embedded
from tests.scripted.upstream import ScriptedUpstream, completion
from tests.servers.databases import administrator, new_database
from tests.servers.external_servers import external_server
from tests.servers.running_proxy import CHAT, User, chat_body, somebody
from tests.servers.served_process import ServedProcess, environment, served_process
from tests.support.raw_client import Response, fetch
from tests.support.waiting import until

from recollect.store.migration import migrate
from recollect.store.sql import Migration, load_migrations

pytestmark = pytest.mark.process

CAT = "I have a cat called Minka."
DOG = "I have a dog called Rex."
ASKED = "What is my pet called?"

_GROWTH = Migration(
    9000,
    "growth",
    """
    ALTER TABLE messages ADD COLUMN of_a_later_version text;
    ALTER TABLE exchanges ADD COLUMN of_a_later_version boolean NOT NULL DEFAULT false;
    ALTER TABLE vectors ADD COLUMN of_a_later_version integer GENERATED ALWAYS AS (length(content)) STORED;
    ALTER TABLE sessions ALTER COLUMN started_at SET DEFAULT now();
    CREATE INDEX messages_of_a_later_version ON messages (user_id, of_a_later_version);
    CREATE TABLE of_a_later_version (user_id text NOT NULL, id uuid NOT NULL, PRIMARY KEY (user_id, id));
    """,
)
"""A later version may add each of these."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with external_server("16") as dsn:
        yield dsn


@pytest.fixture
async def dsn(server: str) -> AsyncIterator[str]:
    async with new_database(server) as dsn:
        yield dsn


@dataclass
class World:
    """What all processes speak with, and what was said through them."""

    settings: dict[str, object]
    upstream: ScriptedUpstream
    dsn: str
    answers: dict[str, Response] = field(default_factory=dict)

    async def say(self, served: ServedProcess, user: User, said: str, *, chat: str) -> Response:
        answer = await fetch(served.port, b"POST", CHAT, user.headers(chat=chat), chat_body(said))
        self.answers[said] = answer
        return answer

    async def talk(self, served: ServedProcess, user: User, name: str, over: asyncio.Event) -> int:
        """Say one thing after the other until it is over, and return how many."""
        number = 0
        while not over.is_set():
            number += 1
            await self.say(served, user, f"Thing {number} of {name} is blue.", chat=f"{name}-{number // 5}")
        return number

    async def remembers(self, served: ServedProcess, user: User, told: str) -> bool:
        """Ask in a new chat, and return whether the prompt had what was told."""
        chat = f"asked-{len(self.answers)}-{len(self.upstream.received)}"
        answer = await fetch(served.port, b"POST", CHAT, user.headers(chat=chat), chat_body(ASKED))
        assert answer.status == 200
        prompts = [request.body.decode() for request in self.upstream.received]
        asked = [prompt for prompt in prompts if ASKED in prompt]  # others talk meanwhile
        return told in asked[-1]

    async def until_formed(self) -> None:
        async with administrator(self.dsn) as connection:

            async def is_formed() -> bool:
                waits = await connection.fetchval(
                    "SELECT count(*) FROM recollect.exchanges WHERE state <> 'formed'"
                )
                said = await connection.fetchval(
                    "SELECT count(*) FROM recollect.messages WHERE role = 'user'"
                )
                return not waits and said >= len(self.answers)

            await until(is_formed, seconds=120)


@asynccontextmanager
async def world(dsn: str) -> AsyncIterator[World]:
    async with (
        ScriptedUpstream(lambda _: completion("I see.")) as upstream,
        ScriptedUpstream(embedded) as embedder,
    ):
        settings: dict[str, object] = {
            "upstream": upstream.base_url,
            "database_url": dsn,
            "embedder": "openai:e",
            "embedder_base_url": embedder.base_url,
            "formation": "qa_turn",
            "formation_quiet_seconds": 0,
            "recall_gate_threshold": 0,
            "memories_per_hour": 0,
            "user_cap": 0,
            "session_cap": 0,
        }
        yield World(settings, upstream, dsn)


async def grow(dsn: str) -> list[int]:
    """Take a database a step further than this version knows, and return the numbers of its migrations."""
    async with administrator(dsn) as connection:
        await migrate(connection, [*load_migrations(), _GROWTH])
        rows = await connection.fetch("SELECT version FROM recollect.schema_migrations ORDER BY version")
    return [row["version"] for row in rows]


async def test_a_version_serves_on_while_a_later_one_migrates_and_starts_again_behind_it(
    dsn: str, tmp_path: Path
) -> None:
    async with world(dsn) as all_of_it:
        first_environ = environment(**all_of_it.settings, data_dir=tmp_path / "first")
        second_environ = environment(**all_of_it.settings, data_dir=tmp_path / "second")
        anna, ben, talker = somebody(), somebody(), somebody()
        async with served_process(environ=first_environ) as first:
            await all_of_it.say(first, anna, CAT, chat="1")
            await until(lambda: all_of_it.remembers(first, anna, CAT))
            over = asyncio.Event()
            talking = asyncio.create_task(all_of_it.talk(first, talker, "meanwhile", over))
            versions = await grow(dsn)
            assert await all_of_it.remembers(first, anna, CAT), "after the migration"
            async with served_process(environ=second_environ) as second:
                await all_of_it.say(second, ben, DOG, chat="1")
                assert await all_of_it.remembers(second, anna, CAT), "started on the new schema"
                await until(lambda: all_of_it.remembers(first, ben, DOG))
                over.set()
                said = await talking
                await all_of_it.until_formed()
        log = [*first.logged, *second.logged]
        await _nothing_is_lost(all_of_it)

    assert versions == [*(each.version for each in load_migrations()), 9000]
    assert said > 0
    assert {answer.status for answer in all_of_it.answers.values()} == {200}
    assert any("newer_schema" in line for line in second.logged)
    assert not [line for line in log if '"level": "error"' in line or '"level":"error"' in line]


async def _nothing_is_lost(all_of_it: World) -> None:
    """Assert that everything said was logged once, and is remembered."""
    async with administrator(all_of_it.dsn) as connection:
        logged = await connection.fetch(
            "SELECT content, count(*) AS n FROM recollect.messages WHERE role = 'user' AND content <> $1 GROUP BY 1",
            ASKED,
        )
        formed = await connection.fetch("SELECT content FROM recollect.vectors")
    assert {row["content"]: row["n"] for row in logged} == dict.fromkeys(all_of_it.answers, 1)
    remembered = "\n".join(row["content"] for row in formed)
    assert [said for said in all_of_it.answers if said not in remembered] == []
