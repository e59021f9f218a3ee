"""What was said longer ago than an operator keeps goes from the log, and what it taught stays."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from tests.recollect.engine.test_requests_to_memory import Chat
from tests.recollect.engines import PATIENT, engine_over
from tests.recollect.store.keeping import apply, contents, formed, kept, resting_on
from tests.servers.databases import administrator, sql_value
from tests.support.notes import note_block
from tests.support.people import Person, person
from tests.support.stores import NOON, Store
from tests.support.tables import table
from uuid_utils.compat import uuid7

from recollect.model import (
    Add,
    Awaits,
    Exchange,
    Flags,
    Formed,
    Hide,
    Injection,
    Message,
    Place,
    Provenance,
    Reason,
    Replace,
    Role,
    Scope,
    Strategy,
    Unread,
    Wait,
    project_scope,
)
from recollect.store.sql import SQL

DAY = timedelta(days=1)
OBOE, TEA = "I play the oboe on Tuesdays", "I drink green tea in the garden"


LOGS = replace(PATIENT, strategy=Strategy.OFF)
"""Forms nothing, so that messages are recalled."""


async def said(store: Store, text: str, at: datetime, scope: Scope) -> None:
    engine = engine_over(store, LOGS)
    await engine.remember(store.turn(text, scope, at=at), f"I see: {text}.")
    await engine.drain(scope.user_id)


async def rows(dsn: str, user: Person) -> dict[str, int]:
    """Return how many rows of the log a person has, by table, and how many hold the stem of oboe."""
    tables = ("sessions", "exchanges", "messages", "message_chunks", "injections")
    async with administrator(dsn) as connection:
        counts: dict[str, Any] = {"oboe": 0}
        for table in tables:
            count = f"SELECT count(*) FROM recollect.{table} AS t WHERE user_id = $1"
            counts[table] = await connection.fetchval(count, user)
            counts["oboe"] += await connection.fetchval(f"{count} AND t::text LIKE '%obo%'", user)
    return counts


async def test_old_messages_go_with_all_that_is_made_of_them(own_store: Store, own_dsn: str) -> None:
    store = own_store
    for who in (store.anna, store.ben):
        await said(store, OBOE, NOON - 9 * DAY, Scope(who, "old"))
        await said(store, OBOE, NOON - 9 * DAY, Scope(who, "chat"))
        await said(store, TEA, NOON - DAY, Scope(who, "chat"))
    asking = Chat(store, engine_over(store, LOGS), Scope(store.anna, "asking"))
    await asking.says("What did I tell you I play on Tuesdays?", "That.")
    before = [await rows(own_dsn, each) for each in (store.anna, store.ben)]
    assert before[0]["injections"] == 1
    assert before[1]["oboe"] > 8, "also the chunk of a neighbour"

    assert await store.log.erase_old(NOON - 9 * DAY, at=NOON) == 0
    assert await store.log.erase_old(NOON - 8 * DAY, at=NOON) == 4

    await engine_over(store, LOGS).drain(store.ben)
    left = await rows(own_dsn, store.ben)
    assert (left["sessions"], left["exchanges"], left["messages"], left["oboe"]) == (1, 1, 2, 0)
    assert left["message_chunks"] > 0, "the neighbour is indexed again"
    found = await store.browsing.messages(Scope(store.ben, "chat"), limit=9)
    assert [each.content for each in found or ()] == [TEA, f"I see: {TEA}."]
    assert (await rows(own_dsn, store.anna))["injections"] == 0, "no block says it any more"


async def test_what_is_still_to_be_formed_waits_for_that(own_store: Store) -> None:
    store, engine = own_store, engine_over(own_store, PATIENT)
    await engine.remember(store.turn(OBOE, at=NOON - 9 * DAY), "I see.")

    assert await store.log.erase_old(NOON, at=NOON) == 0
    await engine.drain(store.anna)
    assert await store.log.erase_old(NOON, at=NOON) == 1
    assert len(await contents(store)) == 1


async def abandon(store: Store, exchange: Exchange) -> None:
    """Have the person write another version of what they said."""
    turn = replace(exchange.turn, key="another", text=TEA, at=NOON)
    await store.log.append(replace(exchange, id=uuid7(), turn=turn, message_id=uuid7(), reply_id=uuid7()))


@table(
    "state, strategy, own, goes",
    [
        ("waiting", None, None, False),
        ("failed", Strategy.EXTRACT, None, True),
        ("abandoned", Strategy.EXTRACT, None, True),
        ("read", Strategy.EXTRACT, None, True),
        ("unread, and failed", Strategy.EXTRACT, None, True),
        ("unread", None, None, True),
        ("unread", Strategy.OFF, None, True),
        ("unread", Strategy.QA_TURN, None, True),
        ("unread", Strategy.EXTRACT, None, False),
        ("unread", Strategy.BOTH, None, False),
        ("unread", Strategy.EXTRACT, Strategy.OFF, True),
        ("unread", Strategy.OFF, Strategy.EXTRACT, False),
        ("unread", None, Strategy.EXTRACT, True),
        ("unread and forgotten", Strategy.EXTRACT, None, True),
        ("unread in a project", Strategy.EXTRACT, Strategy.OFF, True),
        ("unread in a project", Strategy.OFF, Strategy.EXTRACT, False),
        ("unread, as set for everybody", Strategy.OFF, Strategy.EXTRACT, False),
    ],
)
async def test_what_nothing_forms_any_more_goes_and_what_a_model_still_reads_stays(
    own_store: Store, state: str, strategy: Strategy | None, own: Strategy | None, *, goes: bool
) -> None:
    store, anna = own_store, person("anna")
    scope = Scope(project_scope(anna, "boat"), "chat-1") if state.endswith("project") else anna.scope
    exchange = store.exchange(OBOE, scope, at=NOON - 9 * DAY, parent="before")
    await store.log.append(exchange)
    for at in (NOON - 9 * DAY, NOON):
        other = store.exchange(TEA, Scope(scope.user_id, f"{at}"), at=at)
        await store.log.append(other)
        await store.inbox.complete([Formed(other, ())], at=NOON)
    if state == "waiting":
        await store.inbox.wait([exchange], Wait(Awaits.MODEL, "", None))
    elif state == "failed":
        await store.inbox.postpone(exchange, error="Unlikely", until=None)
    elif state == "abandoned":
        await abandon(store, exchange)
    else:
        unread = None if state == "read" else Unread.OFF
        await store.inbox.complete([Formed(exchange, (), unread=unread)], at=NOON)
    if state == "unread, and failed":
        assert await store.inbox.wake(scope.user_id, at=NOON, unread=True)
        await store.inbox.postpone(exchange, error="Unlikely", until=None)
    if state == "unread and forgotten":
        await apply(store, Hide((exchange.message_id,), Reason.FORGOTTEN), scope=scope)
    whose = None if state.endswith("everybody") else anna
    await store.flags.change_flags(whose, Flags(formation=own), ("formation",), at=NOON)

    await store.log.erase_old(NOON, at=NOON, strategy=strategy)

    left = await store.browsing.messages(scope, limit=9)
    assert OBOE not in {each.content for each in left or ()} if goes else left


async def test_the_oldest_go_first_and_users_without_old_ones_are_left_alone(own_store: Store) -> None:
    store = own_store
    for who, age in ((store.anna, 8), (store.anna, 9), (store.ben, 7), ("clara", 9), ("dora", 9), ("eve", 9)):
        exchange = store.exchange(OBOE, Scope(who, f"{age}"), at=NOON - age * DAY, parent="before")
        await store.log.append(exchange)
        if who in {store.anna, store.ben}:
            await store.inbox.complete([Formed(exchange, ())], at=NOON)
        elif who == "dora":
            await store.inbox.postpone(exchange, error="Unlikely", until=None)
        elif who == "eve":
            await abandon(store, exchange)

    found = await store.database.rows_of_all("users_with_old_exchanges", NOON - 7 * DAY)
    assert {row["user_id"] for row in found} == {store.anna, "dora", "eve"}
    async with store.database.for_user(store.anna) as connection:
        for before, limit, chats in ((7, 1, ["9"]), (7, 2, ["9", "8"]), (8, 2, ["9"])):
            old = await connection.fetch(SQL["old_exchanges"], store.anna, NOON - before * DAY, limit, None)
            assert [row["session_id"] for row in old] == chats


async def test_what_is_of_other_exchanges_stays(own_store: Store, own_dsn: str) -> None:
    store, chat, other = own_store, own_store.anna.chat("chat"), own_store.anna.chat("other")
    told: list[Exchange] = []
    for number, (age, scope) in enumerate(
        [(9, chat), (8, chat), (1, chat), (1, chat), (1, other), (1, other)]
    ):
        before = (Message(Role.ASSISTANT, f"Answer {number}"),)
        each = store.exchange(
            f"{number}", scope, at=NOON - age * DAY, key=f"{number}", history=before, reply=""
        )
        await store.log.append(each)
        await store.inbox.complete([Formed(each, ())], at=NOON)
        for place in (chat, other):
            block = Injection(each.turn.anchor, Place.SYSTEM, f"Block {number}", (), 9, NOON)
            await note_block(store.log, place, block, [])
        told.append(each)
    rests_on = Provenance("chat", tuple(told[number].message_id for number in (3, 0, 1, 2)))
    await apply(store, Add(store.memory("Counts", provenance=rests_on)))
    tea = await kept(store, "Drinks tea")

    async def changed() -> object:
        return await sql_value(own_dsn, "SELECT changed FROM recollect.vectors WHERE id = $1", tea.id)

    before_that = await changed()
    async with administrator(own_dsn) as connection:
        query = "INSERT INTO recollect.sessions (user_id, id, started_at, last_at, next_turn_index) VALUES ($1, 'empty', $2, $2, 0)"
        await connection.execute(query, store.anna, NOON)

    await store.log.erase_old(NOON - 7 * DAY, at=NOON)

    assert (await rows(own_dsn, store.anna))["exchanges"] == 4
    [counts] = [
        each for each in (await store.memories.page(store.anna, limit=9)).memories if each.id != tea.id
    ]
    assert counts.provenance.message_ids == (told[3].message_id, told[2].message_id)
    assert await changed() == before_that
    async with administrator(own_dsn) as connection:
        blocks = await connection.fetch("SELECT session_id, block FROM recollect.injections")
        answers = await connection.fetch(
            "SELECT answered FROM recollect.exchanges WHERE answered IS NOT NULL"
        )
    assert sorted((row["session_id"], row["block"]) for row in blocks) == [
        *(("chat", f"Block {number}") for number in (2, 3, 4, 5)),
        *(("other", f"Block {number}") for number in range(6)),
    ]
    assert sorted(row["answered"] for row in answers) == ["Answer 3", "Answer 4", "Answer 5"]
    assert "empty" in await store.memories.sessions(store.anna)


async def test_a_chat_whose_messages_went_is_erased_with_what_it_alone_taught(own_store: Store) -> None:
    store, scope = own_store, own_store.anna.scope
    old = await kept(store, "Drinks tea", scope=Scope(store.anna, "another"))
    exchange = store.exchange(OBOE, at=NOON - 9 * DAY)
    await store.log.append(exchange)
    [pending] = await store.inbox.pending(store.anna, limit=1)
    new = store.memory("Plays the oboe", **resting_on(exchange))
    coffee = store.memory("Drinks coffee", **resting_on(exchange))
    await formed(store, pending.exchange, Add(new), Replace(old.id, coffee, Reason.CONTRADICTS))
    assert await store.log.erase_old(NOON, at=NOON) == 1
    memory = await store.memories.get(store.anna, new.id)
    assert (memory.provenance.message_ids, memory.provenance.evidence) == ((), OBOE)

    await store.memories.erase_session(scope, at=NOON)

    assert await contents(store) == ["Drinks tea"]
