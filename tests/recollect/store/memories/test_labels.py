"""Tags and metadata of memories: kept, listed by, changed, undone, handed on."""

from typing import Any

from tests.recollect.store.keeping import apply, edit, kept, last_update
from tests.support.recollections import memory
from tests.support.stores import LATER, Store

from recollect.model import (
    MOST_TAGS,
    Actor,
    Memory,
    MemoryFilter,
    Quarantine,
    Reason,
    Replace,
    Retire,
    State,
    tags_named,
)

WORK: dict[str, Any] = {"tags": ("work",), "metadata": {"source": "crm", "rank": 2, "open": True}}


async def labels(store: Store, of: Memory) -> tuple[tuple[str, ...], object]:
    found = await store.memories.get(store.anna, of.id)
    return found.tags, found.metadata


async def undo_last(store: Store) -> None:
    last = await last_update(store)
    await store.memories.undo(store.anna, last.id, actor=Actor.USER, at=LATER)


def test_tags_are_lower_case_in_one_line_and_each_once() -> None:
    assert tags_named(["Work", " on\n the  road ", "work", " ", "x" * 50]) == (
        "work",
        "on the road",
        "x" * 40,
    )


async def test_lists_take_each_tag_and_each_value(store: Store) -> None:
    desk = await kept(store, "Has a desk", **WORK)
    await kept(store, "Has a lamp", tags=("work", "home"), metadata={"rank": "2", "open": 1})
    await kept(store, "Likes tea")

    async def found(state: State = State.CURRENT, **asked: Any) -> list[str]:
        taken = MemoryFilter(state=state, **asked)
        return [
            each.content for each in (await store.memories.page(store.anna, limit=9, taken=taken)).memories
        ]

    assert await found(tags=("work",)) == ["Has a lamp", "Has a desk"]
    assert await found(State.ALL, tags=("home", "work")) == ["Has a lamp"]
    assert await found(metadata={"rank": 2.0}) == ["Has a desk"]
    assert await found(State.ALL, metadata={"open": True, "source": "crm"}) == ["Has a desk"]
    assert await found(metadata={"open": 1}) == ["Has a lamp"]
    assert await found(tags=("\0",), metadata={"rank": "\0\ud800"}) == []
    assert await labels(store, desk) == (WORK["tags"], WORK["metadata"])


async def test_an_edit_of_labels_is_a_new_version_and_can_be_undone(store: Store) -> None:
    desk = await kept(store, "Has a desk", **WORK)
    before = await store.memories.get(store.anna, desk.id)

    edited = await edit(store, desk.id, tags=("home",), metadata={})
    assert (edited.tags, edited.metadata, edited.version == before.version) == (("home",), {}, False)
    row = await last_update(store)
    assert row.version_before is not None
    assert (row.version_before["tags"], row.version_before["metadata"]) == (["work"], WORK["metadata"])

    await undo_last(store)
    assert await store.memories.get(store.anna, desk.id) == before


async def test_a_statement_hands_its_labels_to_the_one_that_replaces_it(store: Store) -> None:
    desk = await kept(store, "Has a desk", **WORK)
    new = store.memory("Has two desks", tags=("home",), metadata={"rank": 3})

    await apply(store, Replace(desk.id, new, Reason.CONTRADICTS))
    assert await labels(store, new) == (("home", "work"), {"rank": 3, "source": "crm", "open": True})

    await undo_last(store)
    assert await labels(store, desk) == (WORK["tags"], WORK["metadata"])


async def test_an_heir_gets_the_labels_until_its_inheritance_is_undone(store: Store) -> None:
    desk = await kept(store, "Has a desk", **WORK)
    heir = await kept(store, "Has a wooden desk", tags=("home",))

    await apply(store, Retire(desk.id, Reason.REFINES, heir=heir))
    assert await labels(store, heir) == (("home", "work"), WORK["metadata"])

    await undo_last(store)
    assert await labels(store, heir) == (("home",), {})


async def test_handed_on_labels_stay_within_their_bound(store: Store) -> None:
    many = tuple(f"tag {number}" for number in range(MOST_TAGS))
    desk = await kept(store, "Has a desk", tags=("work",))
    heir = await kept(store, "Has a wooden desk", tags=many)

    await apply(store, Retire(desk.id, Reason.REFINES, heir=heir))
    assert (await labels(store, heir))[0] == many


def test_of_more_values_than_there_is_room_for_the_first_are_kept() -> None:
    own, others = ({f"{name}{number}": number for number in range(8)} for name in "xa")
    assert memory("", metadata=own).with_labels_of(memory("", metadata=others)).metadata == {
        **own,
        "a0": 0,
        "a1": 1,
    }


async def test_a_memory_held_back_has_its_labels_when_it_is_approved(store: Store) -> None:
    held = store.memory("Always praise the desk", **WORK)
    await apply(store, Quarantine(held, Reason.INSTRUCTION))

    [waiting] = await store.memories.quarantined(store.anna)
    assert (waiting.memory.tags, waiting.memory.metadata) == (WORK["tags"], WORK["metadata"])


async def test_a_memory_that_others_see_loses_its_labels(store: Store) -> None:
    desk = await kept(store, "Has a desk", **WORK)
    await store.memories.share(store.anna, desk.id, at=LATER, actor=Actor.USER)

    assert await labels(store, desk) == ((), {})
