from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.recollect.store.indexing import said as log
from tests.recollect.store.keeping import next_exchange, undo
from tests.support.notes import note_block
from tests.support.stores import LATER, NOON, Store

from recollect.errors import StoreError
from recollect.model import (
    Actor,
    Add,
    Awaits,
    Backlog,
    Change,
    Exchange,
    Flags,
    Formed,
    Hide,
    Ignore,
    Injection,
    Kind,
    Pending,
    Place,
    Provenance,
    Reason,
    Retire,
    Role,
    Scope,
    Source,
    SpokenWith,
    Strategy,
    Unread,
    Wait,
    project_scope,
)
from recollect.store import Postgres

_OF_TWO_THOUSAND = """
    INSERT INTO exchanges
    SELECT (jsonb_populate_record(said, jsonb_build_object('user_id', 'someone ' || number))).*
    FROM exchanges AS said, generate_series(2, 2000) AS number
"""


async def appended(store: Store, *exchanges: Exchange) -> None:
    for each in exchanges:
        assert await store.log.append(each)


async def waiting(store: Store, user_id: str | None = None, *, limit: int = 9) -> list[str]:
    return [each.exchange.turn.text for each in await store.inbox.pending(user_id or store.anna, limit=limit)]


async def complete(store: Store, said: Exchange, *changes: Change) -> list[list[Change]] | None:
    return await store.inbox.complete([Formed(said, changes)], at=LATER)


def verbatim(store: Store, said: Exchange) -> Add:
    """Return what is kept of an exchange that no model reads."""
    rests_on = Provenance("chat", (said.message_id, said.reply_id))
    copy = store.memory(
        "Q: I like tea\nA: I see.", kind=Kind.QA_TURN, source=Source.QA_TURN, provenance=rests_on
    )
    return Add(copy, Reason.KEPT_VERBATIM)


async def woken(store: Store, *, at: datetime = LATER) -> Exchange:
    """Wake what no model read, and return it."""
    assert await store.inbox.wake(store.anna, at=at, unread=True)
    return await next_exchange(store)


# -- pending ---------------------------------------------------------------------------------------


async def test_exchanges_come_in_the_order_they_were_said(store: Store) -> None:
    first, second, third = store.exchange("first"), store.exchange("second"), store.exchange("third")
    await appended(store, third, first, second)

    assert await waiting(store) == ["first", "second", "third"]
    assert await waiting(store, limit=2) == ["first", "second"]
    assert await waiting(store, limit=1) == ["first"]


async def test_those_of_one_chat_come_together_until_something_was_said_in_another(store: Store) -> None:
    here = [store.exchange(f"here {number}") for number in range(2)]
    elsewhere = [store.exchange(f"elsewhere {number}", store.anna.elsewhere) for number in range(2)]
    bens = store.exchange("Ben's", store.ben.scope)
    here += [store.exchange("here 2")]
    await appended(store, *elsewhere, *here, bens)

    batches = []
    while batch := await store.inbox.pending(store.anna, limit=9):
        batches.append([each.exchange.turn.text for each in batch])
        await store.inbox.complete([Formed(each.exchange) for each in batch], at=NOON)

    assert batches == [["here 0", "here 1"], ["elsewhere 0", "elsewhere 1"], ["here 2"]]


async def test_what_is_formed_or_held_parts_no_chat(store: Store) -> None:
    chats = (store.anna.scope, store.anna.elsewhere)
    said = [
        store.exchange(text, chats[n % 2]) for n, text in enumerate(("one", "two", "three", "four", "five"))
    ]
    await appended(store, *said)
    await complete(store, said[1])
    await store.inbox.postpone(said[3], error="broken", until=None)

    assert await waiting(store) == ["one", "three", "five"]


async def test_each_comes_with_what_was_said_before_it_in_its_chat(store: Store) -> None:
    turns = [await log(store, f"question {n}", reply=f"answer {n}" if n else "") for n in range(6)]
    await log(store, "elsewhere", store.anna.elsewhere)
    for each in turns[:2]:
        await complete(store, each)

    pending = await store.inbox.pending(store.anna, limit=9)

    def told(*numbers: int) -> list[str]:
        return [text for n in numbers for text in (f"question {n}", f"answer {n}") if text != "answer 0"]

    histories = [[message.text for message in each.exchange.turn.history] for each in pending]
    assert histories == [told(0, 1), told(0, 1, 2), told(1, 2, 3), told(2, 3, 4)]
    roles = [message.role for message in pending[0].exchange.turn.history]
    assert roles == [Role.USER, Role.USER, Role.ASSISTANT]


async def test_each_comes_with_the_newest_blocks_that_were_added_in_its_chat(store: Store) -> None:
    await log(store, "one")
    await log(store, "two")
    for number in range(22):
        place = Place.SYSTEM if number % 2 else Place.BESIDE
        at = NOON + timedelta(minutes=number)
        block = Injection(f"a:{number:02}", place, f"block {number}", (), 9, at)
        await note_block(store.log, store.anna.scope, block, ["a:21"] if number == 21 else [])
    await note_block(store.log, store.anna.scope, None, ["a:20"])  # it was shown, and may be shown again
    await note_block(
        store.log, store.anna.elsewhere, Injection("a:1", Place.SYSTEM, "elsewhere", (), 9, LATER), []
    )
    await note_block(store.log, store.ben.scope, Injection("a:1", Place.SYSTEM, "Ben's", (), 9, LATER), [])

    pending = await store.inbox.pending(store.anna, limit=9)

    expected = tuple(f"block {number}" for number in range(2, 22))
    assert [each.exchange.injected for each in pending] == [expected, expected]


# -- completing ------------------------------------------------------------------------------------


async def test_completing_applies_the_changes_and_ends_the_exchange(store: Store) -> None:
    said, new = store.exchange("I like tea"), store.memory("Likes tea")
    await appended(store, said)

    done = await complete(store, said, Add(new), Add(store.memory("likes tea")))

    assert done == [[Add(new), Ignore(Reason.EQUAL_CONTENT, target=new.id)]]
    assert await store.memories.get(store.anna, new.id) == new
    assert await waiting(store) == []


async def test_several_are_completed_together(own_store: Store) -> None:
    said = [own_store.exchange(each) for each in ("I like tea", "It rains", "I like tea!")]
    await appended(own_store, *said)
    new = own_store.memory("Likes tea")

    formed = [
        Formed(said[0], (Add(new),)),
        Formed(said[1], unread=Unread.OFF),
        Formed(said[2], (Add(own_store.memory("Likes tea")),)),
    ]
    done = await own_store.inbox.complete(formed, at=LATER)

    assert done == [[Add(new)], [], [Ignore(Reason.EQUAL_CONTENT, target=new.id)]]
    assert await waiting(own_store) == []
    assert await own_store.inbox.backlog() == Backlog(formed=3)


@pytest.mark.parametrize("position", [0, 1])
async def test_where_one_is_not_pending_nothing_is_changed(store: Store, position: int) -> None:
    said = [store.exchange("one"), store.exchange("two")]
    await appended(store, *said)
    await complete(store, said[position])

    formed = [Formed(each, (Add(store.memory(each.turn.text)),)) for each in said]
    assert await store.inbox.complete(formed, at=NOON) is None

    assert (await store.memories.page(store.anna, limit=9)).memories == ()
    assert await waiting(store) == [said[1 - position].turn.text]


async def test_one_exchange_is_not_completed_twice_together(store: Store) -> None:
    said = store.exchange("I like tea")
    await appended(store, said)

    assert await store.inbox.complete([Formed(said), Formed(said)], at=NOON) is None
    assert await store.inbox.complete([], at=NOON) == []

    assert await waiting(store) == ["I like tea"]


async def test_changes_that_can_not_be_applied_leave_all_exchanges_pending(store: Store) -> None:
    said = [store.exchange("I like tea"), store.exchange("It rains")]
    await appended(store, *said)

    bens = Add(store.memory("Ben's", store.ben.scope))
    with pytest.raises(StoreError):
        await store.inbox.complete(
            [Formed(said[0], (Add(store.memory("Likes tea")),)), Formed(said[1], (bens,))], at=NOON
        )

    assert await waiting(store) == ["I like tea", "It rains"]
    assert (await store.memories.page(store.anna, limit=9)).memories == ()
    assert await store.memories.history(store.anna, limit=9) == []


# -- postponing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("until", "counts", "tries"), [(LATER, True, 1), (LATER, False, 0), (NOON - timedelta(days=1), True, 1)]
)
async def test_one_postponed_counts_tries(store: Store, until: datetime, *, counts: bool, tries: int) -> None:
    said = store.exchange("I like tea")
    await appended(store, said)

    await store.inbox.postpone(said, error="busy", until=until, counts=counts)

    assert await store.inbox.pending(store.anna, limit=9) == [Pending(said, tries, until)]
    await store.inbox.postpone(said, error="waits for something else", until=until, counts=False)
    assert await store.inbox.pending(store.anna, limit=9) == [Pending(said, tries, until)], "due since it was"


async def test_an_error_of_any_length_and_letters_is_kept(store: Store) -> None:
    said = store.exchange("I like tea")
    await appended(store, said)

    await store.inbox.postpone(said, error="\x00\ud800" * 10_000, until=LATER)
    assert await store.inbox.pending(store.anna, limit=9) == [Pending(said, 1, LATER)]
    await store.inbox.wait([said], Wait(Awaits.MODEL, "\x00\ud800" * 10_000, None))
    assert await store.inbox.pending(store.anna, limit=9) == []


async def test_an_exchange_held_as_failed_waits_for_a_retry(own_store: Store) -> None:
    said = own_store.exchange("I like tea")
    await appended(own_store, said)

    await own_store.inbox.postpone(said, error="broken", until=None)

    assert await waiting(own_store) == []
    assert await own_store.inbox.backlog() == Backlog(failed=1)
    assert await complete(own_store, said) is None

    assert await own_store.inbox.retry_failed(at=LATER) == 1
    assert await own_store.inbox.pending(own_store.anna, limit=9) == [Pending(said, 0, LATER)]
    assert await own_store.inbox.retry_failed(at=LATER) == 0


async def test_the_backlog_counts_over_all_users(own_store: Store) -> None:
    said = [own_store.exchange("one", at=LATER), own_store.exchange("two", at=NOON)]
    said += [own_store.exchange(each, own_store.ben.scope) for each in ("three", "four", "five")]
    await appended(own_store, *said)
    await own_store.inbox.complete([Formed(said[2]), Formed(said[3], unread=Unread.OFF)], at=NOON)
    await own_store.inbox.postpone(said[4], error="broken", until=None)

    assert await own_store.inbox.backlog() == Backlog(pending=2, failed=1, formed=2, oldest_pending_at=NOON)
    await own_store.inbox.wait([said[0]], Wait(Awaits.KEY, "gone", None, counts=True))
    assert await own_store.inbox.backlog() == Backlog(
        pending=1, failed=1, formed=2, oldest_pending_at=NOON, waiting={"key": 1}, oldest_waiting_at=LATER
    )


async def test_what_was_said_long_ago_and_came_just_now_has_not_waited_for_long(own_store: Store) -> None:
    began = datetime.now(UTC)
    await appended(own_store, own_store.exchange("imported", at=NOON - timedelta(days=3_000)))

    backlog = await own_store.inbox.backlog()

    assert backlog.pending_since is not None
    assert began - timedelta(minutes=1) < backlog.pending_since < began + timedelta(minutes=10)


async def test_one_user_has_no_hold_on_the_inbox_of_another(store: Store) -> None:
    said = store.exchange("I like tea")
    await appended(store, said)
    stolen = store.exchange("x", store.ben.scope)
    stolen = Exchange(said.id, stolen.turn, "", said.message_id, said.reply_id)

    assert await waiting(store, store.ben) == []
    await store.inbox.postpone(stolen, error="x", until=None)
    assert await complete(store, stolen) is None

    assert await store.inbox.pending(store.anna, limit=9) == [Pending(said, 0, NOON)]


async def test_an_impossible_user_has_no_inbox(store: Store) -> None:
    with pytest.raises(StoreError):
        await store.inbox.pending("a\x00", limit=9)
    with pytest.raises(StoreError):
        async with store.inbox.lease("*"):
            pass


# -- leases ----------------------------------------------------------------------------------------


# -- without a model -------------------------------------------------------------------------------


async def test_what_was_kept_verbatim_is_formed_again_and_goes_undoably(own_store: Store) -> None:
    said, new = own_store.exchange("I like tea"), own_store.memory("Likes tea")
    await appended(own_store, said)
    kept = verbatim(own_store, said)
    await own_store.inbox.complete([Formed(said, (kept,), unread=Unread.NO_MODEL)], at=NOON)
    assert await own_store.inbox.wake_all() == [own_store.anna]

    formed = Formed(await woken(own_store), (Add(new),), is_read=True)
    done = await own_store.inbox.complete([formed], at=LATER)
    left = await own_store.memories.page(own_store.anna, limit=9)
    update, _ = await own_store.memories.history(own_store.anna, kept.memory.id, limit=9)
    await undo(own_store, update)

    assert done == [[Retire(kept.memory.id, Reason.KEPT_VERBATIM), Add(new)]]
    assert [each.id for each in left.memories] == [new.id]
    there = (await own_store.memories.page(own_store.anna, limit=9)).memories
    assert {each.id for each in there} == {new.id, kept.memory.id}
    assert await own_store.inbox.wake_all() == []


async def test_what_no_model_reads_again_stays_as_it_was_kept_once(own_store: Store) -> None:
    said = own_store.exchange("I like tea")
    await appended(own_store, said)
    first, again = verbatim(own_store, said), verbatim(own_store, said)

    await own_store.inbox.complete([Formed(said, (first,), unread=Unread.NO_MODEL)], at=NOON)
    for changes, unread in (((again,), Unread.NO_MODEL), ((), Unread.OFF)):
        await own_store.inbox.complete([Formed(await woken(own_store), changes, unread=unread)], at=LATER)

    left = await own_store.memories.page(own_store.anna, limit=9)
    assert [each.id for each in left.memories] == [first.memory.id]


async def test_what_was_forgotten_is_not_formed_again(own_store: Store) -> None:
    said = own_store.exchange("I like tea")
    await appended(own_store, said)
    await own_store.inbox.complete([Formed(said, unread=Unread.OFF)], at=NOON)
    hidden = [Hide((said.message_id,), Reason.FORGOTTEN)]
    await own_store.memories.apply(said.turn.scope, hidden, actor=Actor.USER, at=NOON)

    await own_store.inbox.wake_all(everything=True)

    assert not await own_store.inbox.wake(own_store.anna, at=LATER, unread=True)
    assert await waiting(own_store) == []


async def test_what_was_read_in_part_is_told_of_and_waits_for_the_rest(own_store: Store) -> None:
    said = own_store.exchange("I like tea and I live in Hull")
    await appended(own_store, said)
    tea = own_store.memory("Likes tea")
    rest = Wait(Awaits.UNREADABLE, "broke off", LATER, "small", counts=True)
    in_part = Formed(said, (Add(tea),), unread=Unread.UNREADABLE)

    assert await own_store.inbox.complete([in_part], at=NOON, rest=rest) == [[Add(tea)]]

    news = await own_store.inbox.take_news(said.turn.scope, said.turn.key)
    assert [each.after for each in news.updates] == ["Likes tea"]
    backlog = await own_store.inbox.backlog()
    assert (backlog.waiting, backlog.formed, backlog.pending) == ({"unreadable": 1}, 0, 0)
    assert await own_store.inbox.next_wake(own_store.anna) == LATER
    assert await own_store.inbox.wake(own_store.anna, at=LATER)
    [pending] = await own_store.inbox.pending(own_store.anna, limit=9)
    assert pending.waits == 1
    whole = Formed(pending.exchange, (Add(own_store.memory("Lives in Hull")),), is_read=True)
    await own_store.inbox.complete([whole], at=LATER)
    assert await own_store.inbox.backlog() == Backlog(formed=1)


@pytest.mark.parametrize(
    ("wake", "is_tried"),
    [
        ({"asked": "small #one"}, False),
        ({"asked": " #one"}, False),
        ({"asked": "large #one"}, True),
        ({"asked": "mall #one"}, True),
        ({"asked": " #two"}, True),
        ({"asked": "small #one", "everything": True}, True),
    ],
)
async def test_one_given_up_starts_over(own_store: Store, wake: dict[str, Any], *, is_tried: bool) -> None:
    said = own_store.exchange("I like tea")
    await appended(own_store, said)
    for _ in range(7):
        await own_store.inbox.wait([said], Wait(Awaits.UNREADABLE, "", None, "small #one", counts=True))

    given_up = await own_store.inbox.backlog()
    await own_store.inbox.wake_all(**wake)

    assert given_up.waiting == {Awaits.GIVEN_UP: 1}
    pending = await own_store.inbox.pending(own_store.anna, limit=9)
    assert [each.waits for each in pending] == ([0] if is_tried else [])


async def test_as_many_statements_wake_many_users_as_one(own_store: Store, own_postgres: Postgres) -> None:
    said = own_store.exchange("I like tea")
    await appended(own_store, said)
    await own_store.inbox.wait([said], Wait(Awaits.KEY, "gone", None))
    statements: list[str] = []
    async with own_postgres.database.over_all_users() as connection:
        connection.add_query_logger(lambda query: statements.append(query.query))
    await own_store.inbox.wake_all()  # the connection asks for its types once
    await own_store.inbox.wait([said], Wait(Awaits.KEY, "gone", None))
    statements.clear()
    await own_store.inbox.wake_all()
    of_one = len(statements)
    await own_store.inbox.wait([said], Wait(Awaits.KEY, "gone", None))
    async with own_postgres.database.over_all_users() as connection:
        await connection.execute(_OF_TWO_THOUSAND)
    statements.clear()

    woken = await own_store.inbox.wake_all()

    assert (len(woken), len(statements)) == (2_000, of_one)
    backlog = await own_store.inbox.backlog()
    assert (backlog.pending, backlog.waiting) == (2_000, {})


async def test_what_waits_in_a_project_waits_on_while_its_person_has_formation_off(own_store: Store) -> None:
    await own_store.flags.change_flags(own_store.anna, Flags(formation=Strategy.OFF), ("formation",), at=NOON)
    for project, awaits in (("boat", Awaits.KEY), ("house", Awaits.UNREADABLE)):
        said = own_store.exchange("I like tea", Scope(project_scope(own_store.anna, project), "chat"))
        await appended(own_store, said)
        await own_store.inbox.wait([said], Wait(awaits, "", None, "small #one", counts=True))

    assert await own_store.inbox.wake_all(everything=True) == []
    assert (await own_store.inbox.backlog()).pending == 0


async def test_the_model_that_somebody_chatted_with_last_is_known(store: Store) -> None:
    assert await store.inbox.spoken_with(store.anna) is None
    await appended(store, store.exchange("one", model="gpt"), store.exchange("two", model=""))

    assert await store.inbox.spoken_with(store.anna) == SpokenWith("gpt", "", authorized=True)
    assert await store.inbox.spoken_with(store.ben) is None
