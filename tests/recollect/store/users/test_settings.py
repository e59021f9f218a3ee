import asyncio
import json
from dataclasses import asdict, replace
from datetime import date, timedelta

import pytest
from tests.servers.databases import administrator, run_sql
from tests.support.stores import LATER, NOON, Store
from tests.support.tables import table
from uuid_utils.compat import uuid7

from recollect.errors import StoreError
from recollect.model import COMMONS, AdminRead, Changer, Flags, Party, Placement, Strategy, Usage
from recollect.store.users.settings_and_profiles import flags_of

TODAY, TOMORROW = date(2026, 3, 15), date(2026, 3, 16)
SWITCHES = Flags(
    recall=False, standing=False, formation=Strategy.BOTH, placement=Placement.USER, summaries=True
)
ALL = replace(SWITCHES, minimum_importance=0.25, session_cap=0, user_cap=500)
NAMES = [name for name, value in asdict(ALL).items() if value is not None]

# -- flags -----------------------------------------------------------------------------------------


@pytest.fixture
def store(own_store: Store) -> Store:
    """A store of the test's own: everybody's settings are changed."""
    return own_store


async def test_at_first_everything_is_as_the_settings_have_it(store: Store) -> None:
    assert await store.flags.flags(None) == Flags()
    assert await store.flags.flags(store.anna) == Flags()
    assert await store.flags.own_flags(store.anna) == Flags()
    assert (await store.chats.chat(store.anna.scope, exchanges=0)).flags == Flags()


@pytest.mark.parametrize("user_id", [None, "anna"])
async def test_flags_come_back_as_they_were_set(store: Store, user_id: str | None) -> None:
    await store.flags.change_flags(user_id, ALL, NAMES, at=NOON)

    assert await store.flags.flags(user_id) == ALL


async def test_a_users_own_flags_come_before_everybodys(store: Store) -> None:
    await store.flags.change_flags(None, Flags(recall=False, user_cap=9), ("recall", "user_cap"), at=NOON)
    await store.flags.change_flags(
        store.anna, Flags(recall=True, summaries=False), ("recall", "summaries"), at=NOON
    )

    merged = Flags(recall=True, summaries=False, user_cap=9)
    assert await store.flags.flags(store.anna) == merged
    assert (await store.chats.chat(store.anna.scope, exchanges=9)).flags == merged
    assert await store.flags.own_flags(store.anna) == Flags(recall=True, summaries=False)
    assert await store.flags.flags(store.ben) == Flags(recall=False, user_cap=9)
    assert (await store.chats.chat(store.ben.scope, exchanges=9)).flags == Flags(recall=False, user_cap=9)
    assert await store.flags.own_flags(store.ben) == Flags()
    assert await store.flags.flags(None) == Flags(recall=False, user_cap=9)


@pytest.mark.parametrize("user_id", [None, "anna"])
async def test_what_is_named_is_changed_and_the_rest_stays(store: Store, user_id: str | None) -> None:
    first = await store.flags.change_flags(user_id, ALL, ["recall", "user_cap"], at=NOON)
    assert first == Flags(recall=False, user_cap=500)

    second = await store.flags.change_flags(
        user_id, Flags(recall=None, formation=Strategy.OFF), ("recall", "formation"), at=LATER
    )

    assert second == Flags(formation=Strategy.OFF, user_cap=500)
    assert await store.flags.flags(user_id) == second
    assert await store.flags.change_flags(user_id, ALL, (), at=LATER) == second
    assert await store.flags.flags(store.ben) == (second if user_id is None else Flags())


async def test_changes_at_once_are_all_kept(store: Store) -> None:
    for user_id in (None, store.anna):
        names = ("recall", "standing", "formation", "placement", "summaries", "session_cap")
        await asyncio.gather(*(store.flags.change_flags(user_id, ALL, [name], at=NOON) for name in names))

        assert await store.flags.flags(user_id) == replace(ALL, minimum_importance=None, user_cap=None)


async def test_no_user_sets_what_is_everybodys(store: Store) -> None:
    with pytest.raises(StoreError):
        await store.flags.change_flags(COMMONS, ALL, NAMES, at=NOON)
    with pytest.raises(StoreError):
        await store.flags.own_flags(COMMONS)
    with pytest.raises(StoreError):
        await store.flags.flags("a\x00")

    assert await store.flags.flags(None) == Flags()


# -- what models took ------------------------------------------------------------------------------


async def known(store: Store) -> None:
    """Have two users whom models are asked for."""
    for scope in (store.anna.scope, store.ben.scope):
        await store.log.append(store.exchange("Hello", scope))


async def test_tokens_are_counted_a_user_and_a_day_and_for_all(store: Store) -> None:
    await known(store)
    for user_id, day, tokens in [
        *((store.anna, TODAY, 100), (store.anna, TODAY, 20), (store.anna, TOMORROW, 7)),
        *((store.ben, TODAY, 3), (store.ben, TODAY, 0)),
    ]:
        await store.usage.use(user_id, day, tokens)

    assert await store.usage.used(store.anna, TODAY) == Usage(120, 123)
    assert await store.usage.used(store.ben, TODAY) == Usage(3, 123)
    assert await store.usage.used(store.ben, TOMORROW) == Usage(0, 7)
    assert await store.usage.used_by_all(TODAY) == 123


async def test_more_than_a_day_can_bring_is_counted(store: Store) -> None:
    await known(store)
    for _ in range(2):
        await store.usage.use(store.anna, TODAY, 2**40)

    assert await store.usage.used(store.anna, TODAY) == Usage(2**41, 2**41)


async def test_nothing_is_counted_of_a_user_who_was_erased_meanwhile(store: Store) -> None:
    await known(store)
    await store.memories.erase(store.anna, at=NOON)

    await store.usage.use(store.anna, TODAY, 100)
    await store.usage.use("nobody", TODAY, 100)

    assert await store.usage.used(store.anna, TODAY) == Usage()


async def test_what_was_taken_long_ago_goes_with_what_requests_were_like(store: Store) -> None:
    await known(store)
    for user_id, day in ((store.anna, TODAY), (store.ben, TODAY), (store.anna, TOMORROW)):
        await store.usage.use(user_id, day, 9)

    await store.retention.prune(NOON + timedelta(days=60))
    assert await store.usage.used_by_all(TODAY) == 18
    await store.retention.prune(NOON + timedelta(days=61))

    assert await store.usage.used_by_all(TODAY) == 0
    assert await store.usage.used(store.anna, TOMORROW) == Usage(9, 9)


async def test_what_another_version_wrote_is_read_as_far_as_it_is_known(store: Store, own_dsn: str) -> None:
    written = {"formation": "telepathy", "placement": "user", "colour": "green", "recall": "sometimes"}
    await run_sql(
        own_dsn, "INSERT INTO recollect.user_settings VALUES ($1, $2, now())", store.anna, json.dumps(written)
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
    await store.flags.change_flags(
        store.anna, Flags(placement=Placement.USER), ("recall", "placement"), at=LATER, by=them
    )
    await store.admin_reads.add_read(store.anna, AdminRead(uuid7(), NOON, "ops", "read_user_settings"))

    changes = await store.admin_reads.settings_changes(store.anna, limit=9)

    assert [(each.at, each.by, each.changed) for each in changes] == [
        (LATER, them, {"recall": (False, None), "placement": (None, "user")}),
        (NOON, me, {"recall": (None, False)}),
    ]
    assert [read.reader for read in await store.admin_reads.admin_reads(store.anna, limit=9)] == ["ops"]
    assert await store.admin_reads.settings_changes(store.ben, limit=9) == []


async def test_a_read_is_noted_once_in_a_while_where_that_is_asked_for(store: Store) -> None:
    await store.flags.change_flags(
        store.anna, Flags(recall=False), ("recall",), at=NOON, by=Changer(Party.PERSON, "own-page")
    )
    for reader, operation, minutes, once in (
        *(("ops", "page: memories", 0, 10), ("ops", "page: memories", 9, 10), ("ops", "page: chats", 9, 10)),
        *(("support", "page: memories", 9, 10), ("ops", "page: memories", 9, None)),
        ("ops", "page: memories", 20, 10),
    ):
        at = NOON + timedelta(minutes=minutes)
        since = None if once is None else at - timedelta(minutes=once)
        await store.admin_reads.add_read(
            store.anna, AdminRead(uuid7(), at, reader, operation), unless_since=since
        )

    read = [
        (each.reader, each.operation, each.at - NOON)
        for each in await store.admin_reads.admin_reads(store.anna, limit=9)
    ]
    noted = [("ops", "memories", 0), ("ops", "chats", 9), ("support", "memories", 9), ("ops", "memories", 9)]
    expected = [
        (who, f"page: {page}", timedelta(minutes=at)) for who, page, at in (*noted, ("ops", "memories", 20))
    ]
    assert read[::-1] == expected


async def test_a_change_that_is_not_kept_changes_nothing(store: Store, own_dsn: str) -> None:
    async with administrator(own_dsn) as connection:
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
