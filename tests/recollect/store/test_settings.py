import json

import asyncpg
import pytest
from tests.databases import administrator
from tests.stores import LATER, NOON, Store
from tests.tables import table
from uuid_utils.compat import uuid7

from recollect.errors import StoreError
from recollect.model import AdminRead, Changer, Flags, Party, Placement
from recollect.store.sql import SQL
from recollect.store.users.settings import flags_of

USED = "INSERT INTO model_usage (user_id, day, tokens, calls) VALUES ($1, now(), 1, 1)"


async def run_as(
    user_id: str, connection: "asyncpg.Connection[asyncpg.Record]", query: str, *arguments: object
) -> None:
    """Run a query in a transaction of a user's."""
    async with connection.transaction():
        await connection.execute(SQL["as_user"], user_id, "recollect_user")
        await connection.execute(query, *arguments)


async def test_row_level_security_keeps_a_users_transaction_from_what_is_others(
    own_store: Store, own_dsn: str
) -> None:
    anna, ben = own_store.anna, own_store.ben
    await own_store.flags.set_flags(None, Flags(user_cap=9), at=NOON)
    await own_store.flags.set_flags(ben, Flags(user_cap=7), at=NOON)
    async with administrator(own_dsn) as connection:
        await connection.execute("SET search_path = recollect, public")
        for owner in ("*", ben):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await run_as(anna, connection, SQL["set_flags"], owner, "{}", NOON)
        async with connection.transaction():
            await connection.execute(SQL["as_user"], anna, "recollect_user")
            seen = await connection.fetch("SELECT user_id FROM user_settings")
            changed = await connection.execute("UPDATE user_settings SET flags = '{}'")
            gone = await connection.execute("DELETE FROM user_settings")

    assert [row["user_id"] for row in seen] == ["*"]
    assert (changed, gone) == ("UPDATE 0", "DELETE 0")
    assert await own_store.flags.flags(None) == Flags(user_cap=9)
    assert await own_store.flags.flags(ben) == Flags(user_cap=7)


async def test_row_level_security_keeps_usage_a_users_own(store: Store, shared_dsn: str) -> None:
    await store.log.append(store.exchange("Hello", store.ben.scope))
    await store.usage.use(store.ben, NOON.date(), 7)
    async with administrator(shared_dsn) as connection:
        await connection.execute("SET search_path = recollect, public")
        async with connection.transaction():
            await connection.execute(SQL["as_user"], store.anna, "recollect_user")
            assert await connection.fetch("SELECT * FROM model_usage") == []
            assert await connection.execute("DELETE FROM model_usage") == "DELETE 0"
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await run_as(store.anna, connection, USED, store.ben)

    assert (await store.usage.used(store.ben, NOON.date())).user == 7


async def test_what_another_version_wrote_is_read_as_far_as_it_is_known(
    store: Store, shared_dsn: str
) -> None:
    written = {"formation": "telepathy", "placement": "user", "colour": "green", "recall": "sometimes"}
    async with administrator(shared_dsn) as connection:
        await connection.execute(
            "INSERT INTO recollect.user_settings VALUES ($1, $2, now())", store.anna, json.dumps(written)
        )

    assert await store.flags.flags(store.anna) == Flags(placement=Placement.USER)


@table(
    "written",
    [
        None,
        "null",
        "[]",
        "7",
        '"recall"',
        '{"recall": 1, "summaries": "yes", "user_cap": true, "session_cap": 2.5}',
        '{"minimum_importance": true, "formation": 7, "placement": null, "user_cap": {}, "recall": []}',
    ],
)
def test_what_is_no_flag_says_nothing(written: str | None) -> None:
    assert flags_of(written) == Flags()


def test_a_whole_number_is_an_importance() -> None:
    assert flags_of('{"minimum_importance": 1}') == Flags(minimum_importance=1.0)


async def test_each_change_of_a_users_own_settings_is_kept_with_who_made_it(store: Store) -> None:
    me, them = Changer(Party.PERSON, "own-page"), Changer(Party.ADMINISTRATOR, "ops")
    await store.flags.change_flags(store.anna, Flags(recall=False, user_cap=9), ("recall",), at=NOON, by=me)
    await store.flags.change_flags(store.anna, Flags(recall=False), ("recall",), at=NOON, by=me)
    await store.flags.set_flags(store.anna, Flags(placement=Placement.USER), at=LATER, by=them)
    await store.admin_reads.note(store.anna, AdminRead(uuid7(), NOON, "ops", "read_user_settings"))

    changes = await store.admin_reads.settings_changes(store.anna, limit=9)

    assert [(each.at, each.by, each.changed) for each in changes] == [
        (LATER, them, {"recall": (False, None), "placement": (None, "user")}),
        (NOON, me, {"recall": (None, False)}),
    ]
    assert [read.reader for read in await store.admin_reads.admin_reads(store.anna, limit=9)] == ["ops"]
    assert await store.admin_reads.settings_changes(store.ben, limit=9) == []


async def test_a_change_that_is_not_kept_changes_nothing(store: Store, shared_dsn: str) -> None:
    async with administrator(shared_dsn) as connection:
        refuse = f"CHECK (user_id <> '{store.anna}' OR NOT starts_with(operation, 'settings: '))"
        await connection.execute(
            f"ALTER TABLE recollect.admin_reads ADD CONSTRAINT refused {refuse} NOT VALID"
        )
        try:
            with pytest.raises(StoreError):
                await store.flags.change_flags(store.anna, Flags(recall=False), ("recall",), at=NOON)
        finally:
            await connection.execute("ALTER TABLE recollect.admin_reads DROP CONSTRAINT refused")

    assert await store.flags.own_flags(store.anna) == Flags()
