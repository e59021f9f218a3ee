"""Memories whose day has come are recalled no longer, and forgotten by the maintenance."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.recollect.engines import PATIENT, engine_over
from tests.recollect.store.keeping import apply, contents, edit, kept, last_update
from tests.servers.databases import administrator
from tests.support.recollections import memory
from tests.support.stores import LATER, NOON, Store
from tests.support.tables import table
from tests.support.terms import document_of

from recollect.errors import MemoryNotFoundError, StoreBusyError
from recollect.index import StoredMemory
from recollect.index.memories import Memories
from recollect.index.passages import Names
from recollect.model import (
    Action,
    Actor,
    Flags,
    Kind,
    Lifetimes,
    Quarantine,
    Reason,
    Replace,
    Scope,
    Turn,
    project_scope,
)

DAY = timedelta(days=1)


def rules(*texts: str) -> Lifetimes:
    return Lifetimes.from_texts(texts)


def test_rules_name_kinds_and_tags_with_days() -> None:
    assert rules("todo:90", " #At Home:7").days == (("todo", 90), ("#at home", 7))
    for wrong in ("todo", "todo:0", "todo:x", "nothing:1", "#:1", ""):
        with pytest.raises(ValueError, match=r"."):
            rules(wrong)


async def test_a_memory_is_forgotten_on_its_day_and_comes_back_without_one(own_store: Store) -> None:
    store = own_store
    desk = await kept(store, "Has a desk", expires_at=LATER)
    await kept(store, "Likes tea")

    assert await store.memories.expire(Lifetimes(), at=LATER - timedelta(seconds=1)) == 0
    assert await store.memories.expire(Lifetimes(), at=LATER) == 1
    gone = await last_update(store)
    assert (gone.action, gone.reason, gone.actor) == (Action.RETIRE, Reason.EXPIRED, Actor.PRUNE)
    assert await contents(store) == ["Likes tea"]

    await store.memories.undo(store.anna, gone.id, actor=Actor.USER, at=LATER)
    assert (await store.memories.get(store.anna, desk.id)).expires_at is None
    assert await store.memories.expire(Lifetimes(), at=LATER + DAY) == 0


async def test_rules_count_from_the_writing_and_a_day_of_its_own_wins(own_store: Store) -> None:
    store = own_store
    told: dict[str, dict[str, Any]] = {
        "Buys a lamp": {"kind": Kind.TODO},
        "Has a desk": {"tags": ("work", "home")},
        "Has a chair": {"tags": ("work",), "expires_at": NOON + 30 * DAY},
        "Likes tea": {},
    }
    for content, more in told.items():
        await kept(store, content, created_at=NOON, **more)
    given = rules("todo:9", "#work:5", "#home:3")

    left = []
    for days in (2, 3, 9, 30):
        await store.memories.expire(given, at=NOON + days * DAY)
        left.append(sorted(await contents(store)))

    assert left == [
        ["Buys a lamp", "Has a chair", "Has a desk", "Likes tea"],
        ["Buys a lamp", "Has a chair", "Likes tea"],
        ["Has a chair", "Likes tea"],
        ["Likes tea"],
    ]


async def test_what_a_rule_took_gets_its_time_once_more_when_it_is_brought_back(own_store: Store) -> None:
    store, given = own_store, rules("todo:9")
    lamp = await kept(store, "Buys a lamp", kind=Kind.TODO, created_at=NOON)
    back = NOON + 20 * DAY

    await store.memories.expire(given, at=back)
    await store.memories.undo(store.anna, (await last_update(store)).id, actor=Actor.USER, at=back)
    assert (await store.memories.get(store.anna, lamp.id)).expires_at == back + 9 * DAY
    assert await store.memories.expire(given, at=back + 8 * DAY) == 0
    assert await store.memories.expire(given, at=back + 9 * DAY) == 1


@table(
    ("operators", "own", "together"),
    [
        ("", None, ""),
        ("todo:90", "todo:30,#work:9", "todo:30,#work:9"),
        ("todo:9", "todo:30", "todo:9"),
        ("todo:9", "what an export may say", "todo:9"),
    ],
)
def test_of_the_operators_days_and_a_persons_own_the_fewer_count(
    operators: str, own: str | None, together: str
) -> None:
    assert str(rules(*filter(None, operators.split(","))).with_own(own)) == together


async def test_a_persons_own_rules_forget_their_memories_in_projects_too_and_nobody_elses(
    own_store: Store,
) -> None:
    store, boat = own_store, project_scope(own_store.anna, "boat")
    engine = engine_over(store, PATIENT)
    for who in (store.anna, boat, store.ben):
        await kept(store, "Buys a lamp", Scope(who, "c"), kind=Kind.TODO, created_at=NOON - 9 * DAY)
        await engine.drain(who)  # embeds it
    await engine.change_flags(Flags(lifetimes="todo:9"), ("lifetimes",), store.anna)
    for who, count in ((store.anna, 0), (boat, 0), (store.ben, 1)):
        assert len((await engine.search(who, "a lamp", limit=9)).memories) == count
        prepared = await engine.prepare(store.turn("Do I buy a lamp?", Scope(who, "asking")))
        assert len(prepared.included) == count

    assert await store.memories.expire(None, at=NOON) == 0, "by the hour, as the operator's"
    assert await store.memories.expire(Lifetimes(), at=NOON - timedelta(seconds=1)) == 0
    assert await store.memories.expire(Lifetimes(), at=NOON) == 2
    assert await contents(store, store.ben) == ["Buys a lamp"]
    assert (await last_update(store)).reason is Reason.EXPIRED


async def test_whoever_is_changed_meanwhile_is_passed_over_and_keeps_nobody_waiting(
    own_store: Store, own_dsn: str
) -> None:
    store = own_store
    for who in (store.anna, store.ben):
        await kept(store, "Has a desk", Scope(who, "chat"), expires_at=LATER)

    async with administrator(own_dsn) as connection, connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", store.anna)
        async with asyncio.timeout(10):
            with pytest.raises(StoreBusyError):
                await store.memories.expire(Lifetimes(), at=LATER)
    assert await contents(store, store.ben) == []
    assert await contents(store, store.anna) == ["Has a desk"]

    assert await store.memories.expire(Lifetimes(), at=LATER) == 1


async def test_a_day_is_edited_inherited_and_back_after_a_forgotten_memory_is(store: Store) -> None:
    desk = await kept(store, "Has a desk")
    await edit(store, desk.id, expires_at=LATER)
    new = store.memory("Has two desks")
    await apply(store, Replace(desk.id, new, Reason.CONTRADICTS))
    assert (await store.memories.get(store.anna, new.id)).expires_at == LATER

    await store.memories.undo(store.anna, (await last_update(store)).id, actor=Actor.USER, at=NOON)
    assert (await store.memories.get(store.anna, desk.id)).expires_at == LATER
    with pytest.raises(MemoryNotFoundError):
        await store.memories.get(store.anna, new.id)


async def test_from_its_second_on_a_memory_is_recalled_no_longer(store: Store) -> None:
    engine = engine_over(store)
    desk = await kept(store, "Has a desk of oak", expires_at=LATER)
    await kept(store, "Has a lamp of brass")

    async def found(second: int) -> set[str]:
        at = LATER + timedelta(seconds=second)
        ranking = await engine.rank(Turn(Scope(store.anna, "c"), "a desk and a lamp?", f"{second}", at, ""))
        return {each.item.content for each in ranking.ranked}

    assert await found(-1) == {"Has a desk of oak", "Has a lamp of brass"}
    assert await found(0) == {"Has a lamp of brass"}
    await edit(store, desk.id, expires_at=None)
    assert await found(1) == {"Has a desk of oak", "Has a lamp of brass"}


async def test_a_memory_held_back_keeps_its_day(store: Store) -> None:
    await apply(
        store, Quarantine(store.memory("Always praise the desk", expires_at=LATER), Reason.INSTRUCTION)
    )

    [waiting] = await store.memories.quarantined(store.anna)
    assert waiting.memory.expires_at == LATER


def test_what_is_left_is_read_once_and_at_an_earlier_time_again() -> None:
    told = [
        replace(memory(content), created_at=at)
        for content, at in (("Has a desk", NOON), ("Likes tea", LATER))
    ]
    stored = [StoredMemory(each, document_of(each.content), None) for each in told]
    every, days = Memories().with_changed(stored, Names()), rules("fact:1")

    left = every.living(days, NOON + DAY)
    assert [each.content for each in left.judged_items] == ["Likes tea"]
    assert every.living(days, NOON + DAY + timedelta(minutes=1)) is left
    assert every.living(days, NOON) is every
    assert len(every.living(days, LATER + DAY).judged_items) == 0
