"""Hints of statements in the store: written, read, changed, undone, held back, shared and erased."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from tests.recollect.store.keeping import apply, formed, history, kept, last_update, resting_on, revised
from tests.support.stores import EAST, LATER, MODEL, NORTH, SOUTH, Store, vector

from recollect.index import StoredMemory
from recollect.model import (
    STATEMENTS,
    Actor,
    Add,
    Ending,
    Erase,
    Hints,
    Kind,
    Memory,
    Past,
    Quarantine,
    Reason,
    Reinforce,
    Replace,
    Retire,
    Use,
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
    return rounded(None if stored.vectors is None else stored.vectors.pieces)


def rounded(vectors: np.ndarray[Any, Any] | None) -> list[list[float]] | None:
    return None if vectors is None else vectors.astype(np.float16).round(2).tolist()


async def edit(store: Store, memory_id: UUID, **changed: Any) -> Memory:
    changed = {"of": changed.get("content", "Drinks tea"), **changed}
    return await store.memories.edit(store.anna, revised(memory_id, **changed), actor=Actor.USER, at=LATER)


async def undo_last(store: Store) -> None:
    update = await last_update(store)
    await store.memories.undo(store.anna, update.id, actor=Actor.USER, at=LATER)


async def test_hints_are_read_with_their_statement_and_as_columns(postgres: Postgres, store: Store) -> None:
    tea = await kept(store, "Drinks tea", **HINTED)
    await kept(store, "Likes rain", **EMBEDDED)

    assert (await store.memories.get(store.anna, tea.id)).hints == TEA
    found = await loaded(postgres, store)
    assert {content: each.memory.hints for content, each in found.items()} == {
        "Drinks tea": TEA,
        "Likes rain": None,
    }
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
    await undo_last(store)
    assert (await store.memories.get(store.anna, tea.id)).hints == TEA


async def test_hints_are_not_given_embeddings_of_another_content_nor_take_others_away(
    postgres: Postgres, store: Store
) -> None:
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

    await undo_last(store)

    assert (await store.memories.get(store.anna, tea.id)).hints == TEA


async def test_to_undo_another_change_leaves_hints_that_a_model_wrote_since(store: Store) -> None:
    tea = await kept(store, "Drinks tea")
    await edit(store, tea.id, importance=0.9)
    await store.memories.give_hints(store.anna, [replace(tea, hints=TEA)])

    await undo_last(store)

    memory = await store.memories.get(store.anna, tea.id)
    assert (memory.importance, memory.hints) == (0.5, TEA)


async def test_a_statement_that_is_told_again_or_comes_back_has_its_hints(
    postgres: Postgres, store: Store
) -> None:
    tea = await kept(store, "Drinks tea", **HINTED)
    await apply(store, Reinforce(tea.id), Retire(tea.id, Reason.DELETED))
    await undo_last(store)
    mate = store.memory("Drinks mate", **NEW)
    await apply(store, Replace(tea.id, mate, Reason.CONTRADICTS))
    assert pieces((await loaded(postgres, store))["Drinks mate"]) == rounded(ONE)
    await undo_last(store)

    assert pieces((await loaded(postgres, store))["Drinks tea"]) == rounded(VECTORS)
    assert (await store.memories.get(store.anna, tea.id)).hints == TEA


async def test_what_is_held_back_keeps_its_hints_until_it_is_refused(store: Store) -> None:
    tea, mate = (store.memory(content, hints=TEA) for content in ("Drinks tea", "Drinks mate"))
    await apply(store, *(Quarantine(each, Reason.INSTRUCTION) for each in (tea, mate)))

    held = await store.memories.held(store.anna, tea.id)
    assert held.memory.hints == TEA
    await store.memories.release(store.anna, tea.id, held.memory, actor=Actor.USER, at=LATER)
    assert (await store.memories.get(store.anna, tea.id)).hints == TEA
    await store.memories.release(store.anna, mate.id, None, actor=Actor.USER, at=LATER)
    rows = [row async for row in store.portability.export(store.anna)]
    assert [row for section, row in rows if section == "quarantine" and "gift ideas" in row] == []


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
async def test_late_vectors_are_not_given_to_what_was_changed_meanwhile(
    postgres: Postgres, store: Store, changed: dict[str, Any]
) -> None:
    tea = await kept(store, "Drinks tea", hints=TEA)
    edited = await edit(store, tea.id, **changed)

    await store.index.embed_memory(store.anna, replace(tea, **HINTED))

    stored = (await loaded(postgres, store))[edited.content]
    assert stored.vectors is None


async def test_a_model_writes_no_hints_over_others_nor_of_an_earlier_content(
    postgres: Postgres, store: Store
) -> None:
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


@pytest.mark.parametrize("left", [None, PINNED])
async def test_hints_go_with_the_chat_that_they_were_written_in_unless_the_user_edited_them(
    postgres: Postgres, store: Store, left: Hints | None
) -> None:
    said, again = (
        store.exchange("I drink tea"),
        store.exchange("Tea!", replace(store.anna.scope, session_id="chat-2")),
    )
    for each in (said, again):
        await store.log.append(each)
    tea = store.memory("Drinks tea", **HINTED, **resting_on(said))
    await formed(store, said, Add(tea))
    await formed(store, again, Reinforce(tea.id, messages=(again.message_id,)))
    if left is not None:
        await edit(store, tea.id, hints=left)

    await store.memories.erase_session(store.anna.scope, at=LATER)

    assert (await store.memories.get(store.anna, tea.id)).hints == left
    own = (await loaded(postgres, store))["Drinks tea"]
    assert pieces(own) == (rounded(OWN) if left is None else None), "nothing is left of the hints' embeddings"


async def test_hints_of_a_statement_go_with_the_words_that_told_it_and_another(
    postgres: Postgres, store: Store
) -> None:
    said = store.exchange("I drink tea and my sister is called Mia")
    await store.log.append(said)
    tea, mia = (
        store.memory(content, **HINTED, **resting_on(said)) for content in ("Drinks tea", "Has a sister")
    )
    await formed(store, said, Add(tea), Add(mia))

    await apply(store, Erase((mia.id,), (said.message_id,)))

    assert (await store.memories.get(store.anna, tea.id)).hints is None
    assert pieces((await loaded(postgres, store))["Drinks tea"]) == rounded(OWN)


async def test_the_audit_has_no_hints_of_what_an_erased_chat_said(store: Store) -> None:
    said = store.exchange("I drink tea")
    await store.log.append(said)
    tea = store.memory("Drinks tea", hints=TEA, **resting_on(said))
    await formed(store, said, Add(tea))
    await edit(store, tea.id, content="Drinks mate")

    await store.memories.erase_session(store.anna.scope, at=LATER)

    assert (await store.memories.get(store.anna, tea.id)).content == "Drinks mate"
    assert "gift ideas" not in str(await history(store))
