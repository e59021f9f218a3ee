"""A database that an earlier Recollect filled serves a later one."""

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg
import pytest
from tests.databases import administrator, new_database
from tests.stores import NOON
from uuid_utils.compat import uuid7

from recollect.model import Flags, News, Scope, Strategy
from recollect.postgres import open_postgres
from recollect.postgres.schema import migrate
from recollect.postgres.sql import SQL, load_migrations

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


async def test_a_version_from_before_the_pages_erases_as_soon_as_they_are_there(database_server: str) -> None:
    migrations = load_migrations()
    before = next(place for place, each in enumerate(migrations) if each.name == "posting_pages")
    async with new_database(database_server) as dsn, administrator(dsn) as connection:
        await migrate(connection, migrations[:before])
        await connection.execute(
            "INSERT INTO recollect.corpora (user_id, next_document, documents, terms) VALUES ('anna', 1, 1, 1)"
        )
        async with connection.transaction():
            await connection.execute(migrations[before].text)

        async with connection.transaction():
            await connection.execute(SQL["as_user"], "anna", "recollect_user")
            deleted = await connection.execute("DELETE FROM recollect.corpora WHERE user_id = 'anna'")

    assert deleted == "DELETE 1"


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


async def change(connection: asyncpg.Connection, changed: Mapping[str, Mapping[str, object]]) -> None:
    """Change flags as earlier versions wrote them."""
    for user_id, flags in changed.items():
        await connection.execute("SELECT set_config('recollect.user_id', $1, false)", user_id)
        await connection.execute(
            "INSERT INTO user_settings (user_id, flags, changed_at) VALUES ($1, $2, now())",
            user_id,
            json.dumps(flags),
        )


async def test_an_upgrade_keeps_who_had_formation_on_where_it_was_off_for_everybody(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    await migrate(connection, load_migrations()[:7])
    await change(
        connection, {"*": {"formation": "off"}, "anna": {"formation": "extract"}, "ben": {"user_cap": 9}}
    )
    await connection.close()

    store = await open_postgres(dsn)
    flags = store.flags

    assert (await flags.flags("anna")).record is True
    assert (await flags.flags("ben")).record is False
    on, named = Flags(formation=Strategy.EXTRACT), ("formation",)
    assert await flags.change_flags("ben", on, named, at=NOON) == replace(on, record=True, user_cap=9)
    assert (await flags.flags("cleo")).record is False
    assert await flags.change_flags(None, on, named, at=NOON) == on
    assert (await flags.flags("cleo")).record is None
    await store.aclose()


async def test_what_an_upgrade_left_unrecorded_is_kept_once_formation_is_on_unless_somebody_asked_for_it(
    dsn: str,
) -> None:
    connection = await asyncpg.connect(dsn)
    await migrate(connection, load_migrations()[:7])
    off = {"formation": "off"}
    await change(connection, {"*": off, "anna": off, "ben": off, "cleo": {}})
    await connection.close()

    store = await open_postgres(dsn)
    flags, on, named = store.flags, Flags(formation=Strategy.EXTRACT), ("formation",)
    for user_id in ("ben", "cleo"):
        await flags.change_flags(user_id, Flags(record=False), ("record",), at=NOON)

    assert (await flags.change_flags("anna", Flags(user_cap=9), ("user_cap",), at=NOON)).record is False
    assert (await flags.change_flags("anna", on, named, at=NOON)).record is True
    for user_id in ("ben", "cleo"):
        assert await flags.change_flags(user_id, on, named, at=NOON) == replace(on, record=False)
    await store.aclose()


async def test_an_upgrade_keeps_unrecorded_who_had_formation_off_and_has_no_old_news(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    await migrate(connection, load_migrations()[:7])
    await fill(connection, "anna")
    await change(connection, {"anna": {"formation": "off", "user_cap": 9}, "ben": {"formation": "both"}})
    await connection.close()

    store = await open_postgres(dsn)

    off = Flags(record=False, formation=Strategy.OFF, user_cap=9)
    assert await store.flags.own_flags("anna") == off
    assert await store.flags.own_flags("ben") == Flags(record=True, formation=Strategy.BOTH)
    assert await store.inbox.tell(Scope("anna", "old"), "next") == News("anna")
    async with store.database.for_user("ben") as bens:
        assert await bens.fetchval("SELECT count(*) FROM user_settings WHERE user_id = 'anna'") == 0, (
            "the wall"
        )
    await store.aclose()
