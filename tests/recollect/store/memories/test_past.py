"""The past: what was true until it changed is kept apart, and what is not wanted never comes back."""

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from uuid import UUID

import pytest
from tests.recollect.store.indexing import said
from tests.recollect.store.keeping import apply, contents, formed, kept, last_update, resting_on, undo
from tests.support.stores import LATER, MODEL, NOON, NORTH, Store, vector

from recollect.errors import BulkRefusedError, ChangeNotFoundError, MemoryNotFoundError, NotUndoableError
from recollect.model import (
    Actor,
    Add,
    Ending,
    Erase,
    Erasure,
    Memory,
    Past,
    Reason,
    Removal,
    Replace,
    Retire,
    Scope,
)

OLD, NEW = "Lives in Porto", "Lives in Berlin"


async def past(store: Store, user_id: str | None = None) -> list[tuple[str, Past | None]]:
    snapshot = await store.snapshots.get(user_id or store.anna)
    return [(each.content, each.past) for each in snapshot.past.items]


async def moved(store: Store) -> tuple[Memory, Memory]:
    """Let one statement take another's place by a change; return both."""
    old = await kept(store, OLD, **resting_on(await said(store, "I live in Porto")))
    words = await said(store, "I moved to Berlin", Scope(store.anna, "chat-2"))
    new = store.memory(NEW, **resting_on(words))
    ended = Past(NOON, Ending.CHANGED, new.id)
    await formed(store, words, Replace(old.id, new, Reason.CONTRADICTS, past=ended))
    return old, new


async def test_what_changed_is_past_and_in_no_list(store: Store) -> None:
    _, new = await moved(store)

    assert await past(store) == [(OLD, Past(NOON, Ending.CHANGED, new.id))]
    assert await past(store, store.ben) == []
    assert await contents(store) == [NEW]
    snapshot = await store.snapshots.get(store.anna)
    assert [each.content for each in snapshot.memories.items] == [NEW]
    near = await store.memories.nearest(store.anna.scope, vector(*NORTH), MODEL, limit=9)
    assert [each.memory.content for each in near] == [NEW]


def _forgotten(memory_id: UUID) -> Retire:
    return Retire(memory_id, Reason.FORGOTTEN)


def _erased(memory_id: UUID) -> Erase:
    return Erase((memory_id,))


@pytest.mark.parametrize("which", [0, 1], ids=["itself", "what took its place"])
@pytest.mark.parametrize(
    "change",
    [
        _forgotten,
        lambda memory_id: Retire(memory_id, Reason.DELETED),
        lambda memory_id: Retire(memory_id, Reason.CORRECTED),
        _erased,
    ],
    ids=["forgotten", "deleted", "denied", "erased"],
)
async def test_what_is_not_wanted_is_not_past(
    store: Store, change: Callable[[UUID], Retire | Erase], which: int
) -> None:
    both = await moved(store)
    await past(store)  # a snapshot that has it is kept

    await apply(store, change(both[which].id))

    assert await past(store) == []


async def merged(store: Store) -> tuple[Memory, Memory]:
    """Let one statement end another that it took the place of by a change: it was kept before; return both."""
    old = await kept(store, OLD, **resting_on(await said(store, "I live in Porto")))
    words = await said(store, "I moved to Berlin", Scope(store.anna, "chat-2"))
    new = store.memory(NEW, **resting_on(words))
    ending = Retire(old.id, Reason.ENDED, new, past=Past(NOON, Ending.CHANGED))
    await formed(store, words, Add(new), ending)
    return old, new


@pytest.mark.parametrize("forget", [_forgotten, _erased])
@pytest.mark.parametrize("how", ["its chat is erased", "the change is undone"])
@pytest.mark.parametrize(
    ("change", "which"), [(moved, 0), (merged, 0), (merged, 1)], ids=["past", "ended", "what ended it"]
)
async def test_what_is_not_wanted_is_not_current_again(
    store: Store,
    change: Callable[[Store], Awaitable[tuple[Memory, Memory]]],
    which: int,
    how: str,
    forget: Callable[[UUID], Retire | Erase],
) -> None:
    both = await change(store)
    ended = await last_update(store)
    await apply(store, forget(both[which].id))

    if how == "its chat is erased":
        await store.memories.erase_session(Scope(store.anna, "chat-2"), at=LATER)
    else:
        with suppress(NotUndoableError, ChangeNotFoundError):
            await undo(store, ended)

    assert OLD not in await contents(store)
    assert await past(store) == []


async def test_what_is_erased_among_others_brings_nothing_back(store: Store) -> None:
    _, new = await merged(store)
    tea = await kept(store, "Likes tea")
    await apply(store, Erase((tea.id, new.id)))

    await store.memories.erase_session(Scope(store.anna, "chat-2"), at=LATER)

    assert (await contents(store), await past(store)) == ([], [])


async def test_who_takes_a_deletion_back_can_take_the_change_before_it_back(store: Store) -> None:
    _, new = await moved(store)
    replaced = await last_update(store)
    await apply(store, Retire(new.id, Reason.DELETED))

    for update in (await last_update(store), replaced):
        await undo(store, update)

    assert await contents(store) == [OLD]


@pytest.mark.parametrize("reason", [Reason.REFINES, Reason.CORRECTED, Reason.REPEATS])
@pytest.mark.parametrize("is_known", [False, True], ids=["new", "known"])
async def test_forgetting_reaches_an_earlier_past(store: Store, reason: Reason, *, is_known: bool) -> None:
    _, new = await moved(store)
    last = await kept(store, "Lives in Berlin Mitte") if is_known else store.memory("Lives in Berlin Mitte")
    await apply(store, Replace(new.id, last, reason))
    assert [content for content, _ in await past(store)] == [OLD]

    await apply(store, Retire(last.id, Reason.FORGOTTEN))

    assert await past(store) == []


@pytest.mark.parametrize(
    "erase",
    [
        lambda store: store.memories.erase_session(store.anna.scope, at=LATER),
        lambda store: store.memories.erase(store.anna, at=LATER),
    ],
    ids=["chat", "person"],
)
async def test_what_is_erased_is_not_past(store: Store, erase: Callable[[Store], Awaitable[Erasure]]) -> None:
    await moved(store)
    await past(store)

    erasure = await erase(store)

    assert not any(rows for _, rows in erasure.left)
    assert await past(store) == []


@pytest.mark.parametrize("reason", [Reason.CORRECTED, Reason.REFINES, Reason.CONTRADICTS, Reason.CAP])
async def test_what_goes_without_a_past_has_none(store: Store, reason: Reason) -> None:
    old = await kept(store, OLD)

    await apply(store, Replace(old.id, store.memory(NEW), reason))

    assert await past(store) == []


async def test_undone_it_is_current_again(store: Store) -> None:
    await moved(store)

    await undo(store)

    assert (await contents(store), await past(store)) == ([OLD], [])
    [kept_again] = (await store.memories.page(store.anna, limit=9)).memories
    assert (kept_again.past, kept_again.known_until) == (None, None)


async def test_the_forgetting_of_the_past_is_not_undone(store: Store) -> None:
    old, _ = await moved(store)
    await apply(store, Retire(old.id, Reason.FORGOTTEN))

    with pytest.raises(NotUndoableError):
        await undo(store)


async def test_its_person_deletes_it_alone(store: Store) -> None:
    old, _ = await moved(store)
    removal = Removal(old.id, frozenset({"another"}))
    with pytest.raises(BulkRefusedError):  # its version is none of these
        await store.memories.change_all(store.anna, [removal], actor=Actor.USER, at=LATER)
    assert await past(store) != []

    stored = await store.memories.get(store.anna, old.id, past=True)
    removal = Removal(old.id, frozenset({stored.version}))
    await store.memories.change_all(store.anna, [removal], actor=Actor.USER, at=LATER)

    assert (await past(store), await contents(store)) == ([], [NEW])


async def test_it_is_got_where_the_past_is_asked_for_too(store: Store) -> None:
    old, _ = await moved(store)
    get = store.memories.get

    assert (await get(store.anna, old.id, past=True)).content == OLD
    for user_id, asked in ((store.anna, False), (store.ben, True)):
        with pytest.raises(MemoryNotFoundError):
            await get(user_id, old.id, past=asked)
    await apply(store, Retire(old.id, Reason.DELETED))
    with pytest.raises(MemoryNotFoundError):
        await get(store.anna, old.id, past=True)


async def test_an_export_brings_it_back(store: Store) -> None:
    await moved(store)
    before = await past(store)
    rows = [
        json.loads(row)
        async for section, row in store.portability.export(store.anna)
        if section == "memories"
    ]
    await store.memories.erase(store.anna, at=LATER)

    await store.portability.restore(store.anna, "memories", rows)

    assert (await past(store), await contents(store)) == (before, [NEW])


async def test_who_forgets_finds_it_among_the_nearest(store: Store) -> None:
    await moved(store)

    near = await store.memories.nearest(store.anna.scope, vector(*NORTH), MODEL, limit=9, past=True)

    assert {each.memory.content for each in near} == {OLD, NEW}
    assert await store.memories.nearest(store.ben.scope, vector(*NORTH), MODEL, limit=9, past=True) == []
