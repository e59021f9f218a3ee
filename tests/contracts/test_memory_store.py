from dataclasses import replace

import pytest
from tests.contracts.stores import (
    ANNA,
    BEN,
    EAST,
    LATER,
    MODEL,
    NOON,
    NORTH,
    SOUTH,
    Store,
    exchange,
    memory,
    vector,
)
from uuid_utils.compat import uuid7

from recollect.errors import DuplicateMemoryError, MemoryNotFoundError, StoreError
from recollect.model import (
    COMMONS,
    Action,
    Actor,
    Add,
    Change,
    Ignore,
    Kind,
    Memory,
    Provenance,
    Reason,
    Reinforce,
    Replace,
    Retire,
    Scope,
)


async def apply(store: Store, *changes: Change, scope: Scope = ANNA) -> list[Change]:
    return await store.memories.apply(scope, changes, actor=Actor.FORMATION, at=NOON)


async def kept(store: Store, content: str, scope: Scope = ANNA, **changed: object) -> Memory:
    new = memory(content, scope, **changed)
    assert await apply(store, Add(new), scope=scope) == [Add(new)]
    return new


async def contents(store: Store, user_id: str = "anna") -> list[str]:
    page = await store.memories.page(user_id, limit=100)
    return [each.content for each in page.memories]


# -- reading ---------------------------------------------------------------------------------------


async def test_a_memory_comes_back_as_it_was_kept(store: Store) -> None:
    new = memory(
        "Likes tea 🍵",
        kind=Kind.PREFERENCE,
        importance=0.75,
        confidence=0.25,
        event_at=LATER,
        provenance=Provenance("chat-1", (uuid7(), uuid7()), "I like tea"),
    )
    await apply(store, Add(new))

    assert await store.memories.get("anna", new.id) == new


async def test_the_nearest_come_first_with_their_cosine(store: Store) -> None:
    for content, numbers in (
        ("far", SOUTH),
        ("near", NORTH),
        ("between", EAST),
        ("nearer", (3.0, 1.0, 0, 0)),
    ):
        await kept(store, content, embedding=vector(*numbers))

    found = await store.memories.nearest(ANNA, vector(*NORTH), MODEL, limit=3)

    assert [each.memory.content for each in found] == ["near", "nearer", "between"]
    assert [each.score for each in found] == pytest.approx([1, 0.9487, 0], abs=1e-3)


async def test_nearest_compares_only_vectors_of_the_same_model_and_length(store: Store) -> None:
    await kept(store, "another model", embedding_model="other/4")
    await kept(store, "another length", embedding=vector(1.0, 0.0))
    await kept(store, "no embedding", embedding=None, embedding_model=None)
    await kept(store, "the same")

    found = await store.memories.nearest(ANNA, vector(*NORTH), MODEL, limit=10)

    assert [each.memory.content for each in found] == ["the same"]


async def test_pages_follow_each_other_newest_first(store: Store) -> None:
    for number in range(5):
        await kept(store, f"number {number}")

    first = await store.memories.page("anna", limit=2)
    second = await store.memories.page("anna", limit=2, after=first.next)
    third = await store.memories.page("anna", limit=2, after=second.next)

    pages = [[each.content for each in page.memories] for page in (first, second, third)]
    assert pages == [["number 4", "number 3"], ["number 2", "number 1"], ["number 0"]]
    assert third.next is None


async def test_a_page_that_ends_the_list_has_no_next(store: Store) -> None:
    await kept(store, "one")
    await kept(store, "two")

    page = await store.memories.page("anna", limit=2)

    assert page.next is None


async def test_an_unknown_memory_is_not_found(store: Store) -> None:
    with pytest.raises(MemoryNotFoundError):
        await store.memories.get("anna", uuid7())


async def test_touched_memories_count_and_remember_the_last_time(store: Store) -> None:
    tea, rain = await kept(store, "tea"), await kept(store, "rain")

    await store.memories.touch("anna", [tea.id, tea.id], at=LATER)
    await store.memories.touch("anna", [tea.id], at=NOON)

    touched = await store.memories.get("anna", tea.id)
    assert (touched.recall_count, touched.last_recalled_at) == (2, LATER)
    assert (await store.memories.get("anna", rain.id)).recall_count == 0


# -- changing --------------------------------------------------------------------------------------


async def test_adding_is_audited(store: Store) -> None:
    new = await kept(store, "Likes tea")

    [update] = await store.memories.history("anna", limit=10)

    assert (update.action, update.actor, update.reason, update.at) == (
        Action.ADD,
        Actor.FORMATION,
        Reason.NEW,
        NOON,
    )
    assert (update.memory_id, update.replaced_id, update.before, update.after) == (
        new.id,
        None,
        None,
        "Likes tea",
    )


async def test_equal_content_is_ignored_and_leaves_no_trace(store: Store) -> None:
    first = await kept(store, "Likes tea")

    done = await apply(store, Add(memory("  likes TEA. ")))

    assert done == [Ignore(Reason.EQUAL_CONTENT, target=first.id)]
    assert await contents(store) == ["Likes tea"]
    assert len(await store.memories.history("anna", limit=10)) == 1


async def test_a_replacement_takes_the_place_of_the_old_memory(store: Store) -> None:
    old = await kept(store, "Lives in Rome")
    new = memory("Lives in Oslo", observed_at=LATER)

    done = await apply(store, Replace(old.id, new, Reason.CONTRADICTS))

    assert done == [Replace(old.id, new, Reason.CONTRADICTS)]
    assert await contents(store) == ["Lives in Oslo"]
    [update, _] = await store.memories.history("anna", limit=10)
    assert (update.action, update.memory_id, update.replaced_id) == (Action.REPLACE, new.id, old.id)
    assert (update.before, update.after) == ("Lives in Rome", "Lives in Oslo")
    with pytest.raises(MemoryNotFoundError):
        await store.memories.get("anna", old.id)


async def test_a_replacement_may_say_the_same_in_other_letters(store: Store) -> None:
    old = await kept(store, "lives in rome")

    await apply(store, Replace(old.id, memory("Lives in Rome."), Reason.REFINES))

    assert await contents(store) == ["Lives in Rome."]


async def test_replacing_what_is_gone_adds(store: Store) -> None:
    new = memory("Lives in Oslo")

    done = await apply(store, Replace(uuid7(), new, Reason.CONTRADICTS))

    assert done == [Add(new, Reason.CONTRADICTS)]
    assert await contents(store) == ["Lives in Oslo"]


async def test_replacing_what_is_gone_by_what_is_there_is_ignored(store: Store) -> None:
    there = await kept(store, "Lives in Oslo")

    done = await apply(store, Replace(uuid7(), memory("Lives in Oslo"), Reason.CONTRADICTS))

    assert done == [Ignore(Reason.EQUAL_CONTENT, target=there.id)]


async def test_replacing_by_what_is_there_retires_the_old_memory(store: Store) -> None:
    old, there = await kept(store, "Lives in Rome"), await kept(store, "Lives in Oslo")

    done = await apply(store, Replace(old.id, memory("Lives in Oslo"), Reason.CONTRADICTS))

    assert done == [Retire(old.id, Reason.CONTRADICTS)]
    assert [each.id for each in (await store.memories.page("anna", limit=9)).memories] == [there.id]


async def test_reinforcement_counts_and_raises_importance_up_to_one(store: Store) -> None:
    tea = await kept(store, "Likes tea", importance=0.92)

    done = await apply(store, Reinforce(tea.id), Reinforce(tea.id))

    assert done == [Reinforce(tea.id), Reinforce(tea.id)]
    reinforced = await store.memories.get("anna", tea.id)
    assert (reinforced.importance, reinforced.reinforcement_count) == (1.0, 2)
    [update, *_] = await store.memories.history("anna", limit=10)
    assert (update.action, update.before, update.after) == (Action.REINFORCE, "Likes tea", "Likes tea")


async def test_one_reinforcement_raises_importance_a_little(store: Store) -> None:
    tea = await kept(store, "Likes tea", importance=0.5)

    await apply(store, Reinforce(tea.id))

    assert (await store.memories.get("anna", tea.id)).importance == pytest.approx(0.55)


async def test_a_retired_memory_is_gone_but_audited(store: Store) -> None:
    tea = await kept(store, "Likes tea")

    assert await apply(store, Retire(tea.id, Reason.DELETED)) == [Retire(tea.id, Reason.DELETED)]

    assert await contents(store) == []
    assert await store.memories.nearest(ANNA, vector(*NORTH), MODEL, limit=9) == []
    [update, _] = await store.memories.history("anna", tea.id, limit=10)
    assert (update.action, update.before, update.after) == (Action.RETIRE, "Likes tea", None)


async def test_what_was_retired_may_be_added_again(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    await apply(store, Retire(tea.id, Reason.DELETED))

    await kept(store, "Likes tea")

    assert await contents(store) == ["Likes tea"]


@pytest.mark.parametrize("change", [Reinforce, lambda target: Retire(target, Reason.DELETED)])
async def test_changing_what_is_gone_is_ignored(store: Store, change: type[Reinforce]) -> None:
    gone = uuid7()

    assert await apply(store, change(gone)) == [Ignore(Reason.DELETED, target=gone)]

    assert await store.memories.history("anna", limit=10) == []


async def test_an_ignore_changes_nothing(store: Store) -> None:
    assert await apply(store, Ignore(Reason.EMPTY)) == [Ignore(Reason.EMPTY)]

    assert await store.memories.history("anna", limit=10) == []


async def test_an_id_is_used_once(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    await apply(store, Retire(tea.id, Reason.DELETED))

    with pytest.raises(StoreError):
        await apply(store, Add(replace(tea, content="Likes rain")))

    assert await contents(store) == []


async def test_changes_are_applied_all_or_none(store: Store) -> None:
    with pytest.raises(StoreError):
        await apply(store, Add(memory("mine")), Add(memory("not mine", BEN)))

    assert await contents(store) == []
    assert await store.memories.history("anna", limit=10) == []


async def test_a_memory_has_its_history_also_as_the_replaced_one(store: Store) -> None:
    old = await kept(store, "Lives in Rome")
    await kept(store, "Likes tea")
    await apply(store, Replace(old.id, memory("Lives in Oslo"), Reason.CONTRADICTS))

    updates = await store.memories.history("anna", old.id, limit=10)

    assert [each.action for each in updates] == [Action.REPLACE, Action.ADD]
    assert len(await store.memories.history("anna", limit=1)) == 1


# -- editing ---------------------------------------------------------------------------------------


async def test_an_edit_writes_over_the_memory_and_is_audited(store: Store) -> None:
    tea = await kept(store, "Likes tea")

    edited = await store.memories.edit(
        "anna",
        replace(
            tea,
            content="Likes coffee",
            kind=Kind.PREFERENCE,
            importance=0.25,
            event_at=LATER,
            embedding=vector(*EAST),
        ),
        actor=Actor.USER,
        at=LATER,
    )

    assert edited == await store.memories.get("anna", tea.id)
    assert (edited.content, edited.kind, edited.importance, edited.event_at) == (
        "Likes coffee",
        Kind.PREFERENCE,
        0.25,
        LATER,
    )
    [found] = await store.memories.nearest(ANNA, vector(*EAST), MODEL, limit=1)
    assert found.score == pytest.approx(1)
    [update, _] = await store.memories.history("anna", limit=10)
    assert (update.action, update.actor, update.reason) == (Action.EDIT, Actor.USER, Reason.EDITED)
    assert (update.before, update.after, update.at) == ("Likes tea", "Likes coffee", LATER)


async def test_an_edited_memory_is_known_by_its_new_content(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    await store.memories.edit("anna", replace(tea, content="Likes coffee"), actor=Actor.USER, at=NOON)

    assert await apply(store, Add(memory("likes coffee"))) == [Ignore(Reason.EQUAL_CONTENT, target=tea.id)]
    await kept(store, "Likes tea")


async def test_an_edit_beside_the_content_keeps_the_embedding(store: Store) -> None:
    tea = await kept(store, "Likes tea")

    await store.memories.edit("anna", replace(tea, importance=0.9, embedding=None), actor=Actor.USER, at=NOON)

    [found] = await store.memories.nearest(ANNA, vector(*NORTH), MODEL, limit=9)
    assert (found.memory.importance, found.memory.embedding_model) == (0.9, MODEL)


async def test_new_content_does_not_keep_the_old_embedding(store: Store) -> None:
    tea = await kept(store, "Likes tea")

    edited = await store.memories.edit(
        "anna", replace(tea, content="Likes coffee", embedding=None), actor=Actor.USER, at=NOON
    )

    assert edited.embedding_model is None
    assert await store.memories.nearest(ANNA, vector(*NORTH), MODEL, limit=9) == []


async def test_an_edit_can_not_make_two_memories_equal(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    await kept(store, "Likes coffee")

    with pytest.raises(DuplicateMemoryError):
        await store.memories.edit("anna", replace(tea, content="likes COFFEE"), actor=Actor.USER, at=NOON)

    assert await contents(store) == ["Likes coffee", "Likes tea"]


async def test_editing_the_unknown_finds_nothing(store: Store) -> None:
    with pytest.raises(MemoryNotFoundError):
        await store.memories.edit("anna", memory("tea"), actor=Actor.USER, at=NOON)


# -- two users -------------------------------------------------------------------------------------


async def test_nothing_of_one_user_is_seen_or_changed_by_another(store: Store) -> None:
    tea = await kept(store, "Likes tea")

    assert await store.memories.nearest(BEN, vector(*NORTH), MODEL, limit=9) == []
    assert (await store.memories.page("ben", limit=9)).memories == ()
    assert await store.memories.history("ben", limit=9) == []
    assert await store.memories.history("ben", tea.id, limit=9) == []
    with pytest.raises(MemoryNotFoundError):
        await store.memories.get("ben", tea.id)
    with pytest.raises(MemoryNotFoundError):
        await store.memories.edit("ben", replace(tea, content="stolen"), actor=Actor.USER, at=NOON)
    await store.memories.touch("ben", [tea.id], at=NOON)
    done = await apply(store, Reinforce(tea.id), Retire(tea.id, Reason.DELETED), scope=BEN)
    assert done == [Ignore(Reason.DELETED, target=tea.id)] * 2
    await store.memories.erase("ben", at=NOON)

    assert await store.memories.get("anna", tea.id) == tea


async def test_two_users_may_remember_the_same(store: Store) -> None:
    await kept(store, "Likes tea")
    await kept(store, "Likes tea", BEN)
    await apply(store, Replace(uuid7(), memory("Likes rain", BEN), Reason.REFINES), scope=BEN)

    assert await contents(store) == ["Likes tea"]
    assert await contents(store, "ben") == ["Likes rain", "Likes tea"]


async def test_a_memory_of_another_user_can_not_be_added(store: Store) -> None:
    with pytest.raises(StoreError):
        await apply(store, Add(memory("Ben's", BEN)), scope=ANNA)


async def test_what_is_shared_is_nobodys_to_edit_or_erase(store: Store) -> None:
    shared = memory("The office closes at six", owner=COMMONS)
    for scope in (ANNA, BEN):
        assert await apply(store, Add(shared), scope=scope) == [Add(shared)]

    with pytest.raises(MemoryNotFoundError):
        await store.memories.edit("anna", replace(shared, content="at five"), actor=Actor.USER, at=NOON)
    await apply(store, Reinforce(shared.id), Retire(shared.id, Reason.DELETED))
    await store.memories.erase("anna", at=NOON)

    [found] = await store.memories.nearest(BEN, vector(*NORTH), MODEL, limit=9)
    assert found.memory == shared
    assert await contents(store) == []


# -- erasing ---------------------------------------------------------------------------------------


async def test_erasing_leaves_nothing_of_the_user_and_counts_it(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    await apply(store, Replace(tea.id, memory("Likes coffee"), Reason.CONTRADICTS))
    await store.log.append(exchange("hello"))
    await kept(store, "Likes rain", BEN)

    erasure = await store.memories.erase("anna", at=LATER)

    assert erasure.at == LATER
    assert sum(count for _, count in erasure.rows) > 3
    assert await contents(store) == []
    assert await store.memories.history("anna", limit=9) == []
    assert await store.inbox.next("anna") is None
    assert sum(count for _, count in (await store.memories.erase("anna", at=LATER)).rows) == 0
    assert await contents(store, "ben") == ["Likes rain"]


# -- hostile input ---------------------------------------------------------------------------------


@pytest.mark.parametrize("user_id", ["", "*", "a\x00b", "a\ud800b"])
async def test_an_impossible_user_is_refused(store: Store, user_id: str) -> None:
    with pytest.raises(StoreError):
        await store.memories.page(user_id, limit=1)
    with pytest.raises(StoreError):
        await apply(store, Add(memory("x", owner=user_id)), scope=Scope(user_id, "chat-1"))
    with pytest.raises(StoreError):
        await store.memories.erase(user_id, at=NOON)


@pytest.mark.parametrize("user_id", ["%", "_", "'; --", "🎉" * 256, "\u202eanna", " anna"])
async def test_any_other_user_id_is_a_user_of_its_own(store: Store, user_id: str) -> None:
    scope = Scope(user_id, "chat-1")
    await kept(store, "Likes tea")

    await kept(store, "Likes rain", scope)

    assert await contents(store, user_id) == ["Likes rain"]
    await store.memories.erase(user_id, at=NOON)
    assert await contents(store) == ["Likes tea"]


async def test_content_that_can_not_be_stored_is_mended(store: Store) -> None:
    new = memory("a\x00b\ud800c", provenance=Provenance("s\x00", (), "\udfff"))

    await apply(store, Add(new))

    read = await store.memories.get("anna", new.id)
    assert read.content == "a\ufffdb\ufffdc"
    [update] = await store.memories.history("anna", limit=9)
    assert update.after == "a\ufffdb\ufffdc"
