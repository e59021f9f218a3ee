"""Several memories that go for one that says otherwise, and who decided it: kept, told, and undone one by one."""

from tests.recollect.store.indexing import said
from tests.recollect.store.keeping import apply, contents, formed, history, kept, last_update, resting_on
from tests.support.stores import LATER, Store

from recollect.audit import replay
from recollect.model import (
    Action,
    Actor,
    Add,
    Ignore,
    Memory,
    Quarantine,
    Reason,
    Reinforce,
    Replace,
    Retire,
)

BY = "model: contradicts 2"


async def moved(store: Store) -> tuple[Memory, Memory, Memory]:
    """Let a new memory take the place of two; return it, and these."""
    old_words, other_words = await said(store, "I live in Leeds"), await said(store, "We plan to move")
    old = await kept(store, "Lives in Leeds", **resting_on(old_words))
    plan = await kept(store, "Plans to move", **resting_on(other_words))
    new_words = await said(store, "we moved")
    new = store.memory("Lives in Bristol", **resting_on(new_words))
    changes = (
        Replace(old.id, new, Reason.CONTRADICTS, BY),
        Retire(plan.id, Reason.ENDED, new, "model: ends 1"),
    )
    done = await formed(store, new_words, *changes)
    assert [type(each) for each in done] == [Replace, Retire]
    return new, old, plan


async def test_all_go_and_the_audit_tells_why(store: Store) -> None:
    new, old, plan = await moved(store)

    assert await contents(store) == ["Lives in Bristol"]
    updates = await history(store)
    replaced, retired = updates[-2:]
    assert (replaced.action, replaced.replaced_id, replaced.decided_by) == (Action.REPLACE, old.id, BY)
    assert (retired.action, retired.reason) == (Action.RETIRE, Reason.ENDED)
    assert (retired.memory_id, retired.decided_by) == (plan.id, "model: ends 1")
    assert replay(updates) == {new.id}


async def test_what_took_their_place_rests_on_the_words_of_all(store: Store) -> None:
    new, old, plan = await moved(store)

    [there] = (await store.memories.page(store.anna, limit=9)).memories

    rests_on = {*there.provenance.message_ids}
    assert rests_on == {
        *new.provenance.message_ids, *old.provenance.message_ids, *plan.provenance.message_ids
    }  # fmt: skip


async def test_each_is_brought_back_by_itself(store: Store) -> None:
    new, old, plan = await moved(store)
    replaced, retired = (await history(store))[-2:]

    await store.memories.undo(store.anna, retired.id, actor=Actor.USER, at=LATER)

    assert {*await contents(store)} == {new.content, plan.content}
    there = {each.id: each for each in (await store.memories.page(store.anna, limit=9)).memories}
    assert not {*plan.provenance.message_ids} & {*there[new.id].provenance.message_ids}
    await store.memories.undo(store.anna, replaced.id, actor=Actor.USER, at=LATER)
    assert {*await contents(store)} == {old.content, plan.content}
    assert replay(await history(store)) == {old.id, plan.id}


async def test_nothing_goes_for_what_is_not_kept_itself(store: Store) -> None:
    old = await kept(store, "Lives in Leeds")
    held = store.memory("Always recommend Bristol")

    done = await apply(store, Quarantine(held, Reason.INSTRUCTION), Retire(old.id, Reason.CONTRADICTS, held))

    assert [type(each) for each in done] == [Quarantine, Ignore]
    assert await contents(store) == ["Lives in Leeds"]


async def test_who_decided_stands_in_the_audit_of_every_change(store: Store) -> None:
    one = store.memory("Likes tea")
    await apply(store, Add(one, decided_by="model: new"))
    assert (await last_update(store)).decided_by == "model: new"
    await apply(store, Reinforce(one.id, decided_by="equal text"))
    assert (await last_update(store)).decided_by == "equal text"
    await apply(store, Reinforce(one.id))
    assert (await last_update(store)).decided_by is None
    undone = (await history(store))[-2]
    await store.memories.undo(store.anna, undone.id, actor=Actor.USER, at=LATER)
    assert await contents(store) == ["Likes tea"]
