"""Hints, tags and metadata of memories: written, read, listed by, changed, undone, handed on, shared and erased."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from tests.recollect.store.keeping import apply, formed, history, kept, last_update, resting_on, revised, undo
from tests.support.recollections import memory
from tests.support.stores import EAST, LATER, MODEL, NORTH, SOUTH, Store, vector

from recollect.index import StoredMemory
from recollect.model import (
    MOST_TAGS,
    STATEMENTS,
    Actor,
    Add,
    Ending,
    Erase,
    Hints,
    Kind,
    Memory,
    MemoryFilter,
    Past,
    Reason,
    Reinforce,
    Replace,
    Retire,
    State,
    Use,
    tags_named,
)
from recollect.store import Postgres
from recollect.store.snapshots import PostgresSnapshots

TEA = Hints(Use.TOPIC, ("tea time", "gift ideas"), ("Was trinke ich?", "What do I drink?"))
OWN = np.stack([vector(*NORTH)])
VECTORS = np.stack([vector(*NORTH), vector(*EAST), vector(*SOUTH)])
EMBEDDED: dict[str, Any] = {"embedding": vector(*NORTH), "embedding_model": MODEL}
HINTED: dict[str, Any] = {"hints": TEA, "embedding": np.concatenate([OWN, VECTORS]), "embedding_model": MODEL}
PINNED = Hints(Use.ALWAYS, ("tea",))
ONE = np.stack([vector(*SOUTH)])
NEW: dict[str, Any] = {"hints": PINNED, "embedding": np.concatenate([OWN, ONE]), "embedding_model": MODEL}


async def loaded(postgres: Postgres, store: Store, user_id: str | None = None) -> dict[str, StoredMemory]:
    rows = await PostgresSnapshots(postgres.database).load(user_id or store.anna, None, most_bytes=10**9)
    return {each.memory.content: each for each in rows.memories}


def pieces(stored: StoredMemory) -> list[list[float]] | None:
    """Return the embeddings that recall compares, from the front."""
    if (sent := stored.vectors) is None:
        return None
    return rounded(np.frombuffer(sent.halves, ">f2").reshape(sent.pieces, -1))


def rounded(vectors: np.ndarray[Any, Any] | None) -> list[list[float]] | None:
    return None if vectors is None else vectors.astype(np.float16).round(2).tolist()


async def edit(store: Store, memory_id: UUID, **changed: Any) -> Memory:
    changed = {"of": changed.get("content", "Drinks tea"), **changed}
    return await store.memories.edit(store.anna, revised(memory_id, **changed), actor=Actor.USER, at=LATER)


async def test_hints_are_read_with_their_statement_and_as_columns(postgres: Postgres, store: Store) -> None:
    tea = await kept(store, "Drinks tea", **HINTED)
    await kept(store, "Likes rain", **EMBEDDED)

    assert (await store.memories.get(store.anna, tea.id)).hints == TEA
    found = await loaded(postgres, store)
    assert [found[each].memory.hints for each in ("Drinks tea", "Likes rain")] == [TEA, None]
    assert pieces(found["Drinks tea"]) == rounded(VECTORS)
    assert pieces(found["Likes rain"]) == rounded(OWN)


@pytest.mark.parametrize(
    ("changed", "hints", "vectors"),
    [
        ({"importance": 0.9}, TEA, VECTORS),
        ({"content": "Drinks mate", **EMBEDDED}, None, OWN),
        ({"content": "Drinks mate", **NEW}, PINNED, ONE),
        (NEW, PINNED, ONE),
        ({"hints": PINNED}, PINNED, None),
    ],
)
async def test_an_edit_keeps_clears_or_writes_hints(
    postgres: Postgres, store: Store, changed: dict[str, Any], hints: Hints | None, vectors: Any
) -> None:
    tea = await kept(store, "Drinks tea", **HINTED)

    edited = await edit(store, tea.id, **changed)

    assert edited.hints == hints
    stored = (await loaded(postgres, store))[edited.content]
    assert stored.memory.hints == hints
    assert pieces(stored) == rounded(vectors)
    await undo(store)
    assert (await store.memories.get(store.anna, tea.id)).hints == TEA


@pytest.mark.parametrize("use", [Use.ALWAYS, Use.ASKED])
async def test_new_words_keep_a_choice_of_when_a_statement_is_recalled(store: Store, use: Use) -> None:
    tea = await kept(store, "Drinks tea", hints=replace(TEA, use=use))

    edited = await edit(store, tea.id, content="Drinks mate", **EMBEDDED)

    assert edited.hints == Hints(use)


async def test_hints_take_no_embeddings_of_another_content(postgres: Postgres, store: Store) -> None:
    tea = await kept(store, "Drinks tea", **EMBEDDED)
    await edit(store, tea.id, content="Drinks mate", **EMBEDDED)

    await edit(store, tea.id, **NEW)
    await edit(store, tea.id, topics=("herbs",))

    stored = (await loaded(postgres, store))["Drinks mate"]
    assert (stored.memory.hints, stored.vectors) == (replace(PINNED, topics=("herbs",)), None)


async def test_an_edit_can_be_undone_after_a_model_wrote_hints_of_the_new_content(store: Store) -> None:
    tea = await kept(store, "Drinks tea", **HINTED)
    edited = await edit(store, tea.id, content="Drinks mate")
    await store.memories.give_hints(store.anna, [replace(edited, hints=PINNED)])

    await undo(store)

    assert (await store.memories.get(store.anna, tea.id)).hints == TEA


async def test_to_undo_another_change_leaves_hints_that_a_model_wrote_since(store: Store) -> None:
    tea = await kept(store, "Drinks tea")
    await edit(store, tea.id, importance=0.9)
    await store.memories.give_hints(store.anna, [replace(tea, hints=TEA)])

    await undo(store)

    memory = await store.memories.get(store.anna, tea.id)
    assert (memory.importance, memory.hints) == (0.5, TEA)


async def test_what_is_told_again_or_comes_back_has_hints(postgres: Postgres, store: Store) -> None:
    tea = await kept(store, "Drinks tea", **HINTED)
    await apply(store, Reinforce(tea.id), Retire(tea.id, Reason.DELETED))
    await undo(store)
    mate = store.memory("Drinks mate", **NEW)
    await apply(store, Replace(tea.id, mate, Reason.CONTRADICTS))
    assert pieces((await loaded(postgres, store))["Drinks mate"]) == rounded(ONE)
    await undo(store)

    assert pieces((await loaded(postgres, store))["Drinks tea"]) == rounded(VECTORS)
    assert (await store.memories.get(store.anna, tea.id)).hints == TEA


async def test_a_shared_copy_has_no_hints_of_its_owner(postgres: Postgres, store: Store) -> None:
    tea = await kept(store, "Drinks tea", **HINTED)

    shared = await store.memories.share(store.anna, tea.id, at=LATER, actor=Actor.USER)
    await apply(store, Add(shared), scope=store.ben.scope)

    for user_id in (store.anna, store.ben):
        assert (await store.memories.get(user_id, tea.id)).hints is None
        stored = (await loaded(postgres, store, user_id))["Drinks tea"]
        assert (stored.memory.hints, pieces(stored)) == (None, rounded(OWN))


async def test_hints_without_vectors_wait_for_them(postgres: Postgres, store: Store) -> None:
    tea = await kept(store, "Drinks tea", **EMBEDDED)
    assert await store.memories.unhinted(store.anna, STATEMENTS, limit=9) == [tea]
    await store.memories.give_hints(store.anna, [replace(tea, hints=TEA)])
    assert await store.memories.unhinted(store.anna, STATEMENTS, limit=9) == []

    [waiting] = await store.index.unembedded_memories(store.anna, MODEL, limit=9)
    assert await store.index.count_unembedded(store.anna, MODEL, MODEL) == 1
    await store.index.embed_memory(store.anna, replace(waiting, **HINTED))

    assert await store.index.unembedded_memories(store.anna, MODEL, limit=9) == []
    assert pieces((await loaded(postgres, store))["Drinks tea"]) == rounded(VECTORS)


async def test_statements_are_asked_about_three_times_the_least_often_asked_first(store: Store) -> None:
    tea, rain = await kept(store, "Drinks tea"), await kept(store, "Likes rain")
    await kept(store, "A question and its answer", kind=Kind.QA_TURN)
    await kept(store, "Drinks mate", store.ben.scope)
    shared = await kept(store, "Is in the choir")
    await store.memories.share(store.anna, shared.id, at=LATER, actor=Actor.USER)

    async def unhinted() -> list[str]:
        found = await store.memories.unhinted(store.anna, STATEMENTS, limit=9)
        return [each.content for each in found]

    assert await unhinted() == ["Likes rain", "Drinks tea"]
    await store.memories.count_hints_asked(store.anna, [rain.id])
    assert await unhinted() == ["Drinks tea", "Likes rain"]
    await store.memories.count_hints_asked(store.ben, [tea.id])
    for _ in range(2):
        await store.memories.count_hints_asked(store.anna, [rain.id])
    assert await unhinted() == ["Drinks tea"]
    assert await store.memories.unhinted(store.anna, {Kind.PREFERENCE}, limit=9) == []
    await edit(store, rain.id, importance=0.9)
    assert await unhinted() == ["Drinks tea"]
    await edit(store, rain.id, content="Likes snow")
    assert await unhinted() == ["Likes snow", "Drinks tea"]


@pytest.mark.parametrize("changed", [{"content": "Drinks mate"}, {"hints": PINNED}])
async def test_late_vectors_are_dropped(postgres: Postgres, store: Store, changed: dict[str, Any]) -> None:
    tea = await kept(store, "Drinks tea", hints=TEA)
    edited = await edit(store, tea.id, **changed)

    await store.index.embed_memory(store.anna, replace(tea, **HINTED))

    stored = (await loaded(postgres, store))[edited.content]
    assert stored.vectors is None


async def test_a_model_writes_no_hints_over_others(postgres: Postgres, store: Store) -> None:
    tea, rain = await kept(store, "Drinks tea", **HINTED), await kept(store, "Likes rain")
    await edit(store, rain.id, content="Likes snow")
    hinted = [replace(each, **NEW) for each in (tea, rain)]

    await store.memories.give_hints(store.anna, hinted)
    await store.memories.give_hints(store.ben, hinted)

    found = await loaded(postgres, store)
    assert [found[each].memory.hints for each in ("Drinks tea", "Likes snow")] == [TEA, None]


async def test_a_statement_with_hints_is_near_by_its_own_words_also_once_it_is_past(store: Store) -> None:
    tea = await kept(store, "Drinks tea", **HINTED)
    await kept(store, "Likes rain", embedding=vector(*EAST), embedding_model=MODEL)

    async def near() -> list[tuple[str, float]]:
        found = await store.memories.nearest(store.anna.scope, vector(*NORTH), MODEL, limit=9, past=True)
        return [(each.memory.content, round(each.score, 2)) for each in found]

    assert await near() == [("Drinks tea", 1.0), ("Likes rain", 0.0)]
    mate = store.memory("Drinks mate", embedding=vector(*EAST))
    over = Past(LATER, Ending.CHANGED)
    await apply(store, Replace(tea.id, mate, Reason.CONTRADICTS, past=over))
    assert (await near())[0] == ("Drinks tea", 1.0)


@pytest.mark.parametrize(
    ("is_edited", "is_told_first", "left", "vectors"),
    [(False, True, None, OWN), (True, True, PINNED, ONE), (False, False, TEA, VECTORS)],
)
async def test_hints_go_with_their_chat(
    postgres: Postgres,
    store: Store,
    left: Hints | None,
    vectors: Any,
    *,
    is_edited: bool,
    is_told_first: bool,
) -> None:
    told = [store.exchange("I drink tea"), store.exchange("Tea!", store.anna.elsewhere)]
    said, again = told if is_told_first else reversed(told)
    for each in (said, again):
        await store.log.append(each)
    tea = store.memory("Drinks tea", **HINTED, **resting_on(said))
    await formed(store, said, Add(tea))
    await formed(store, again, Reinforce(tea.id, messages=(again.message_id,)))
    other = await kept(store, "Has a kettle", store.anna.elsewhere)
    await edit(store, tea.id if is_edited else other.id, of="Drinks tea", **NEW)

    await store.memories.erase_session(store.anna.scope, at=LATER)

    assert (await store.memories.get(store.anna, tea.id)).hints == left
    own = (await loaded(postgres, store))["Drinks tea"]
    assert pieces(own) == rounded(vectors), "nothing else is left of embeddings"


@pytest.mark.parametrize(("is_edited", "left", "vectors"), [(False, None, OWN), (True, PINNED, ONE)])
async def test_hints_go_with_words_that_told_two_statements(
    postgres: Postgres, store: Store, left: Hints | None, vectors: Any, *, is_edited: bool
) -> None:
    said = store.exchange("I drink tea and my sister is called Mia")
    await store.log.append(said)
    tea, mia = (
        store.memory(content, **HINTED, **resting_on(said)) for content in ("Drinks tea", "Has a sister")
    )
    await formed(store, said, Add(tea), Add(mia))
    other = await kept(store, "Has a kettle")
    await edit(store, tea.id if is_edited else other.id, of="Drinks tea", **NEW)

    await apply(store, Erase((mia.id,), (said.message_id,)))

    assert (await store.memories.get(store.anna, tea.id)).hints == left
    assert pieces((await loaded(postgres, store))["Drinks tea"]) == rounded(vectors)


async def test_the_audit_has_no_hints_of_what_an_erased_chat_said(store: Store) -> None:
    said = store.exchange("I drink tea")
    await store.log.append(said)
    tea = store.memory("Drinks tea", hints=TEA, **resting_on(said))
    await formed(store, said, Add(tea))
    await edit(store, tea.id, content="Drinks mate")

    await store.memories.erase_session(store.anna.scope, at=LATER)

    assert (await store.memories.get(store.anna, tea.id)).content == "Drinks mate"
    assert "gift ideas" not in str(await history(store))


# -- tags and metadata ------------------------------------------------------------------------------

WORK: dict[str, Any] = {"tags": ("work",), "metadata": {"source": "crm", "rank": 2, "open": True}}


async def labels(store: Store, of: Memory) -> tuple[tuple[str, ...], object]:
    found = await store.memories.get(store.anna, of.id)
    return found.tags, found.metadata


def test_tags_are_lower_case_in_one_line_and_each_once() -> None:
    named = tags_named(["Work", " on\n the  road ", "work", " ", "x" * 50])
    assert named == ("work", "on the road", "x" * 40)


async def test_lists_take_each_tag_and_each_value(store: Store) -> None:
    desk = await kept(store, "Has a desk", **WORK)
    await kept(store, "Has a lamp", tags=("work", "home"), metadata={"rank": "2", "open": 1})
    await kept(store, "Likes tea")

    async def found(state: State = State.CURRENT, **asked: Any) -> list[str]:
        taken = MemoryFilter(state=state, **asked)
        page = await store.memories.page(store.anna, limit=9, taken=taken)
        return [each.content for each in page.memories]

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

    await undo(store)
    assert await store.memories.get(store.anna, desk.id) == before


async def test_a_statement_hands_its_labels_to_the_one_that_replaces_it(store: Store) -> None:
    desk = await kept(store, "Has a desk", **WORK)
    new = store.memory("Has two desks", tags=("home",), metadata={"rank": 3})

    await apply(store, Replace(desk.id, new, Reason.CONTRADICTS))
    assert await labels(store, new) == (("home", "work"), {"rank": 3, "source": "crm", "open": True})

    await undo(store)
    assert await labels(store, desk) == (WORK["tags"], WORK["metadata"])


async def test_an_heir_gets_the_labels_until_its_inheritance_is_undone(store: Store) -> None:
    desk = await kept(store, "Has a desk", **WORK)
    heir = await kept(store, "Has a wooden desk", tags=("home",))

    await apply(store, Retire(desk.id, Reason.REFINES, heir=heir))
    assert await labels(store, heir) == (("home", "work"), WORK["metadata"])

    await undo(store)
    assert await labels(store, heir) == (("home",), {})


def test_of_more_values_than_there_is_room_for_the_first_are_kept() -> None:
    own, others = ({f"{name}{number}": number for number in range(8)} for name in "xa")
    both = memory("", metadata=own).with_labels_of(memory("", metadata=others)).metadata
    assert both == {**own, "a0": 0, "a1": 1}
    many = tuple(f"tag {number}" for number in range(MOST_TAGS))
    assert memory("", tags=many).with_labels_of(memory("", tags=("work",))).tags == many
