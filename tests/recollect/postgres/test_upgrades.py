"""A database that an earlier Recollect filled serves a later one."""

import json
from collections.abc import AsyncIterator
from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg
import pytest
from tests.databases import administrator, new_database
from uuid_utils.compat import uuid7

from recollect.model import Flags, News, Scope, Strategy
from recollect.postgres import open_postgres
from recollect.postgres.schema import migrate
from recollect.postgres.sql import load_migrations

SESSION = "INSERT INTO sessions (user_id, id, started_at, last_at, next_turn_index) VALUES ($1, $2, now(), now(), $3)"
MESSAGE = (
    "INSERT INTO messages (user_id, id, session_id, turn_index, role, content, tokens, alternate, created_at, "
    "exchange_id, hidden) VALUES ($1, $2, 'old', $3, 'user', 'hello', 1, false, now(), $4, $5)"
)
EXCHANGE = (
    "INSERT INTO exchanges (user_id, id, session_id, key, turn_index, message_id, reply_id, model, authorized, "
    "said_at, state, not_before) VALUES ($1, $2, 'old', gen_random_uuid()::text, $3, $4, $2, 'm', true, now(), $5, now())"
)


@pytest.fixture
async def dsn(database_server: str) -> AsyncIterator[str]:
    """The address of a database whose user owns it, and is bound by the policies of its tables."""
    role = f"recollect_test_{uuid4().hex}"
    async with new_database(database_server) as dsn:
        parts = urlsplit(dsn)
        async with administrator(dsn) as connection:
            await connection.execute("CREATE EXTENSION vector WITH SCHEMA public")
            await connection.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'p'")
            await connection.execute(f"ALTER DATABASE {parts.path.removeprefix('/')} OWNER TO {role}")
        yield parts._replace(netloc=f"{role}@{parts.netloc.rpartition('@')[2]}").geturl()
        async with administrator(dsn) as connection:
            await connection.execute(f"REASSIGN OWNED BY {role} TO current_user")
            await connection.execute(f"DROP OWNED BY {role}")
    async with administrator(database_server) as connection:
        await connection.execute(f"DROP ROLE {role}")


async def fill(connection: asyncpg.Connection, user_id: str) -> None:
    """Have a long chat of a user whose exchanges are formed, pending and failed, one of each kind forgotten."""
    await connection.execute("SELECT set_config('recollect.user_id', $1, false)", user_id)
    await connection.execute(SESSION, user_id, "old", 12)
    await connection.execute(SESSION, user_id, "one turn", 2)
    turns = [(state, hidden) for state in ("formed", "pending", "failed") for hidden in (True, False)]
    for number, (state, hidden) in enumerate(turns):
        exchange_id, message_id = uuid7(), uuid7()
        await connection.execute(EXCHANGE, user_id, exchange_id, 2 * number, message_id, state)
        await connection.execute(MESSAGE, user_id, message_id, 2 * number, exchange_id, hidden)


async def test_an_upgrade_makes_no_old_chat_due_and_forms_nothing_forgotten(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    await migrate(connection, load_migrations()[:4])
    for user_id in ("anna", "ben"):
        await fill(connection, user_id)
    await connection.close()

    store = await open_postgres(dsn)

    backlog = await store.inbox.backlog()
    assert (backlog.formed, backlog.pending, backlog.failed) == (8, 2, 2)
    for user_id in ("anna", "ben"):
        assert await store.inbox.to_summarize(user_id, turns=1, tokens=1) is None
        async with store.database.for_user(user_id) as mine:
            turns = await mine.fetch("SELECT summarized_turn FROM sessions ORDER BY id")
        assert [row[0] for row in turns] == [11, 1]
    async with store.database.over_all_users() as everybody:
        assert await everybody.fetchval("SELECT count(*) FROM sessions") == 0, "the wall stands"
    await store.aclose()


async def test_an_upgrade_keeps_unrecorded_who_had_formation_off_and_has_no_old_news(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    await migrate(connection, load_migrations()[:7])
    await fill(connection, "anna")
    kept = {"anna": {"formation": "off", "user_cap": 9}, "ben": {"formation": "both"}}
    for user_id, flags in kept.items():
        await connection.execute("SELECT set_config('recollect.user_id', $1, false)", user_id)
        await connection.execute(
            "INSERT INTO user_settings (user_id, flags, changed_at) VALUES ($1, $2, now())",
            user_id,
            json.dumps(flags),
        )
    await connection.close()

    store = await open_postgres(dsn)

    off = Flags(record=False, formation=Strategy.OFF, user_cap=9)
    assert await store.flags.own_flags("anna") == off
    assert await store.flags.own_flags("ben") == Flags(formation=Strategy.BOTH)
    assert await store.inbox.tell(Scope("anna", "old"), "next") == News("anna")
    async with store.database.for_user("ben") as bens:
        assert await bens.fetchval("SELECT count(*) FROM user_settings WHERE user_id = 'anna'") == 0, (
            "the wall"
        )
    await store.aclose()
