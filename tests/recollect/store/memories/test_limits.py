"""What is more than may be kept goes, the least worth keeping first, and so does what has had its day; and only that."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.recollect.engines import PATIENT, engine_over
from tests.recollect.store.indexing import said
from tests.recollect.store.keeping import (
    apply,
    contents,
    edit,
    history,
    kept,
    last_update,
    resting_on,
    said_in,
    undo,
)
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
    COMMONS,
    Action,
    Actor,
    Add,
    Caps,
    Change,
    Flags,
    Formed,
    Kind,
    Lifetimes,
    Memory,
    Provenance,
    Reason,
    Replace,
    Retire,
    Scope,
    Source,
    Turn,
    project_scope,
)


def of_chat(session_id: str | None = "chat-1") -> dict[str, Any]:
    return {"provenance": Provenance(session_id)}


async def pruned(
    store: Store, caps: Caps, *changes: Change, scope: Scope | None = None, at: datetime = LATER
) -> list[Change]:
    """Form an exchange of a chat under these caps; return what was retired by them."""
    new = store.exchange("and now?", scope or store.anna.scope)
    await store.log.append(new)
    done = await store.inbox.complete([Formed(new, changes)], at=at, caps=caps)
    assert done is not None
    return done[0][len(changes) :]


def capped(*memories: Memory) -> list[Change]:
    return [Retire(each.id, Reason.CAP) for each in memories]


NEXT_YEAR = NOON + timedelta(days=365)


async def test_in_a_full_store_what_is_new_stays_and_the_least_valuable_of_the_old_goes(store: Store) -> None:
    """A new memory was never recalled, and matters little to anybody yet: it is not what a full store lets go of."""
    health = await kept(store, "is allergic to nuts", importance=0.9)
    trivial = await kept(store, "had soup", importance=0.3)
    used = await kept(store, "plays chess", importance=0.5)
    unused = await kept(store, "likes rain", importance=0.5)
    await store.memories.touch(store.anna, [used.id], at=NEXT_YEAR)
    new = [store.memory(f"new {number}", importance=0.3, observed_at=NEXT_YEAR) for number in range(2)]

    assert await pruned(store, Caps(user=4), *map(Add, new), at=NEXT_YEAR) == capped(trivial, unused)
    assert {*await contents(store)} == {health.content, used.content, "new 0", "new 1"}


async def test_the_least_important_go_first_then_the_long_unused_then_the_oldest(store: Store) -> None:
    vital = await kept(store, "vital", importance=0.9)
    recalled = await kept(store, "recalled", observed_at=NOON)
    newest = await kept(store, "newest", observed_at=LATER)
    oldest = await kept(store, "oldest", observed_at=NOON)
    trivial = await kept(store, "trivial", importance=0.1)
    for each in (recalled, trivial, trivial):
        await store.memories.touch(store.anna, [each.id], at=LATER)

    assert await pruned(store, Caps(user=4)) == capped(trivial)
    assert await pruned(store, Caps(user=1)) == capped(oldest, recalled, newest)
    assert await contents(store) == [vital.content]


async def test_what_is_pruned_is_audited_and_its_words_stay(store: Store) -> None:
    first = await said(store, "I like tea", reply="")
    tea = await kept(store, "Likes tea", **resting_on(first))
    await kept(store, "Likes rain", importance=0.9)

    assert await pruned(store, Caps(user=1)) == capped(tea)

    update = (await history(store))[-1]
    assert (update.action, update.actor, update.reason) == (Action.RETIRE, Actor.PRUNE, Reason.CAP)
    assert (update.memory_id, update.before, update.at) == (tea.id, "Likes tea", LATER)
    assert update.exchange_id is None
    assert await said_in(store) == ["I like tea", "and now?"]


async def test_a_chat_leaves_no_more_than_its_cap(store: Store) -> None:
    await kept(store, "of no chat", importance=0.1, **of_chat(None))
    await kept(store, "of another chat", importance=0.1, **of_chat("chat-2"))
    least = await kept(store, "least", importance=0.2, **of_chat())
    most = store.memory("most", importance=0.6, **of_chat())

    assert await pruned(store, Caps(session=1), Add(most)) == capped(least)

    assert {*await contents(store)} == {"of no chat", "of another chat", "most"}
    update = (await history(store))[-1]
    assert update.session_id == "chat-1"


async def test_without_caps_nothing_goes(store: Store) -> None:
    for number in range(9):
        await kept(store, f"number {number}", **of_chat())

    assert await pruned(store, Caps()) == []
    assert await pruned(store, Caps(session=9, user=9)) == []
    assert len(await contents(store)) == 9


@pytest.mark.parametrize(
    "uncounted",
    [
        {"source": Source.MANUAL},
        {"source": Source.IMPORT},
        {"kind": Kind.SUMMARY, "source": Source.SUMMARY},
        {"owner": COMMONS},
    ],
)
async def test_what_somebody_wrote_or_shares_is_not_counted(store: Store, uncounted: dict[str, Any]) -> None:
    for number in range(3):
        await kept(store, f"uncounted {number}", importance=0.1, **uncounted, **of_chat())
    tea = await kept(store, "Likes tea", importance=0.2, **of_chat())

    assert await pruned(store, Caps(session=1, user=1)) == []
    rain = store.memory("Likes rain", **of_chat())
    assert await pruned(store, Caps(session=1, user=1), Add(rain)) == capped(tea)
    assert len(await contents(store)) == 4


async def test_nothing_of_another_user_goes(store: Store) -> None:
    for number in range(3):
        await kept(store, f"number {number}", store.ben.scope, **of_chat())

    assert await pruned(store, Caps(session=1, user=1), Add(store.memory("mine", **of_chat()))) == []

    assert len(await contents(store, store.ben)) == 3


@pytest.mark.parametrize(
    "reason", [Reason.ASKED, Reason.CORRECTED, Reason.APPROVED, Reason.WRITTEN, Reason.EDITED]
)
async def test_what_a_person_stands_behind_is_not_counted(store: Store, reason: Reason) -> None:
    by_them = store.memory("Likes tea", importance=0.1, **of_chat())
    if reason is Reason.EDITED:
        await kept(store, "Likes Tee", id=by_them.id, importance=0.1, **of_chat())
        await edit(store, by_them.id, content="Likes tea")
    elif reason is Reason.CORRECTED:
        old = await kept(store, "Likes Tee", **of_chat())
        await apply(store, Replace(old.id, by_them, reason))
    else:
        await apply(store, Add(by_them, reason))
    rain = await kept(store, "Rain", importance=0.2, **of_chat())
    snow = await kept(store, "Snow", importance=0.2, **of_chat())

    assert await pruned(store, Caps(session=1, user=1)) == capped(rain)

    assert {*await contents(store)} == {"Likes tea", snow.content}


async def test_what_a_person_brought_back_is_not_counted(store: Store) -> None:
    tea = await kept(store, "Likes tea", importance=0.1)
    await apply(store, Retire(tea.id, Reason.CAP))
    await undo(store)
    await kept(store, "Likes rain")

    assert await pruned(store, Caps(user=1)) == []


async def test_no_more_than_a_hundred_go_at_once_the_least_worth_keeping_first(store: Store) -> None:
    of_here = [store.memory(f"here {number}", importance=number / 1000, **of_chat()) for number in range(90)]
    elsewhere = [store.memory(f"there {number}", importance=0.5 + number / 1000) for number in range(40)]
    await apply(store, *map(Add, [*of_here, *elsewhere]))

    assert await pruned(store, Caps(session=20, user=10)) == capped(
        *of_here[:70], *of_here[70:], *elsewhere[:10]
    )
    assert await pruned(store, Caps(session=20, user=10)) == capped(*elsewhere[10:30])
    assert await pruned(store, Caps(session=20, user=10)) == []


# -- days -------------------------------------------------------------------------------------------

DAY = timedelta(days=1)


def rules(*texts: str) -> Lifetimes:
    return Lifetimes.from_texts(texts)


def test_rules_name_kinds_and_tags_with_days() -> None:
    assert rules("todo:90", " #At Home:7").days == (("todo", 90), ("#at home", 7))
    for wrong in ("todo", "todo:0", "todo:x", "nothing:1", "#:1", f"#{'a' * 41}:1", ""):
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

    await undo(store, gone)
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
    await undo(store, at=back)
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
def test_the_fewer_days_count(operators: str, own: str | None, together: str) -> None:
    assert str(rules(*filter(None, operators.split(","))).with_own(own)) == together


async def test_own_rules_hold_in_ones_projects_too_and_for_nobody_else(own_store: Store) -> None:
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


async def test_who_is_changed_meanwhile_keeps_nobody_waiting(own_store: Store, own_dsn: str) -> None:
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


async def test_whose_data_fails_to_change_keeps_nobody_waiting(store: Store) -> None:
    changed: list[str] = []

    async def change(_: object, user_id: str) -> int:
        if user_id == store.anna:
            raise ValueError(user_id)
        changed.append(user_id)
        return 0

    with pytest.raises(ValueError, match=store.anna):
        await store.memories._database.change_each([store.anna, store.ben], change)

    assert changed == [store.ben]


async def test_a_day_is_edited_inherited_and_back_after_a_forgotten_memory_is(store: Store) -> None:
    desk = await kept(store, "Has a desk")
    await edit(store, desk.id, expires_at=LATER)
    new = store.memory("Has two desks")
    await apply(store, Replace(desk.id, new, Reason.CONTRADICTS))
    assert (await store.memories.get(store.anna, new.id)).expires_at == LATER

    await undo(store, at=NOON)
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
