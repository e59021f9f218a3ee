"""The past is kept apart, and what is forgotten takes its messages, and the answers that used it, along."""

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any
from uuid import UUID

import pytest
from tests.recollect.store.indexing import by_words, index_all, indexed, near, said, texts, whole
from tests.recollect.store.keeping import (
    anchors,
    apply,
    contents,
    edit,
    formed,
    history,
    kept,
    last_update,
    next_exchange,
    next_pending,
    noted,
    resting_on,
    undo,
)
from tests.support.notes import note_block
from tests.support.searching import lexicon_of
from tests.support.stores import LATER, MODEL, NOON, NORTH, Store, vector

from recollect.audit_rows import replay
from recollect.errors import BulkRefusedError, ChangeNotFoundError, MemoryNotFoundError, NotUndoableError
from recollect.model import (
    COMMONS,
    Actor,
    Add,
    Backlog,
    Ending,
    Erase,
    Exchange,
    Formed,
    Ignore,
    Injection,
    Kind,
    Memory,
    Passage,
    Past,
    Place,
    Quarantine,
    Reason,
    Reinforce,
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
    for who, asked, found in (
        (store.anna, {}, {NEW}),
        (store.anna, {"past": True}, {OLD, NEW}),
        (store.ben, {"past": True}, set()),
    ):
        near = await store.memories.nearest(who.scope, vector(*NORTH), MODEL, limit=9, **asked)
        assert {each.memory.content for each in near} == found


ESSAY, HANDED_IN = "Has to hand in the essay", "Has handed in the essay"


async def _edited(store: Store, told: Memory, content: str) -> None:
    await edit(store, told.id, content=content)


async def _corrected(store: Store, told: Memory, content: str) -> None:
    await apply(store, Replace(told.id, store.memory(content), Reason.CORRECTED))


async def _corrected_by_known(store: Store, told: Memory, content: str) -> None:
    await apply(store, Add(store.memory(content)))
    await _corrected(store, told, content)


@pytest.mark.parametrize("is_replaced", [True, False])
@pytest.mark.parametrize("change", [_edited, _corrected, _corrected_by_known])
async def test_a_to_do_is_open_again_once_what_called_it_done_is_denied(
    store: Store, change: Callable[[Store, Memory, str], Awaitable[None]], *, is_replaced: bool
) -> None:
    todo = await kept(store, ESSAY, kind=Kind.TODO)
    told = store.memory(HANDED_IN)
    done = Past(NOON, Ending.DONE, told.id)
    if is_replaced:
        await apply(store, Replace(todo.id, told, Reason.CONTRADICTS, past=done))
    else:
        await apply(store, Add(told), Retire(todo.id, Reason.ENDED, told, past=done))
    await edit(store, told.id, content="Has handed in the essay on plankton")
    assert await past(store) == [(ESSAY, done)], "that denies nothing"

    await change(store, told, denied := "Has not handed in the essay on plankton")

    assert await past(store) == []
    assert sorted(await contents(store)) == [denied, ESSAY]
    assert len(replay(await history(store))) == 2

    *_, denial = [each for each in await history(store) if each.before and each.memory_id != todo.id]
    await undo(store, denial)

    assert await past(store) == [(ESSAY, done)], "what called it done holds again"
    again = (await store.memories.get(store.anna, told.id)).content
    assert again == "Has handed in the essay on plankton"

    await change(store, told, denied)

    assert await past(store) == []
    assert len(replay(await history(store))) == 2


async def test_a_to_do_that_is_open_again_stays_when_what_called_it_done_is_erased(store: Store) -> None:
    todo, told = await kept(store, ESSAY, kind=Kind.TODO), store.memory(HANDED_IN)
    done = Past(NOON, Ending.DONE, told.id)
    await apply(store, Replace(todo.id, told, Reason.CONTRADICTS, past=done))
    await edit(store, told.id, content="Has not handed in the essay")

    await apply(store, Erase((told.id,), ()))

    assert await contents(store) == [ESSAY]


async def test_a_to_do_is_open_again_once_the_edit_that_called_it_done_is_undone(store: Store) -> None:
    todo, told = await kept(store, ESSAY, kind=Kind.TODO), await kept(store, "Has not handed in the essay")
    told = await edit(store, told.id, content=HANDED_IN)
    edited = await last_update(store)
    await apply(store, Retire(todo.id, Reason.ENDED, told, past=Past(NOON, Ending.DONE, told.id)))

    await undo(store, edited)

    assert sorted(await contents(store)) == ["Has not handed in the essay", ESSAY]


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
    exported = [row async for section, row in store.portability.export(store.anna) if section == "memories"]
    rows = [json.loads(row) for row in exported]
    await store.memories.erase(store.anna, at=LATER)

    await store.portability.restore(store.anna, "memories", rows)

    assert (await past(store), await contents(store)) == (before, [NEW])


# -- hidden messages -------------------------------------------------------------------------------


async def forget(store: Store, *memories: Memory) -> None:
    await apply(store, *(Retire(each.id, Reason.DELETED) for each in memories))


async def changed(store: Store) -> dict[str, object]:
    hits = await near(store, vector(*NORTH))
    return {hit.item.content: hit.item.changed_at for hit in hits if isinstance(hit.item, Passage)}


async def test_what_a_forgotten_memory_was_said_in_is_found_no_more(store: Store) -> None:
    secret = await indexed(store, "I like tea", reply="Tea, noted.")
    await indexed(store, "It rains", reply="So it does.")
    tea = await kept(store, "Likes tea", **resting_on(secret))

    await forget(store, tea)

    assert texts(await near(store, vector(*NORTH))) == {"It rains", "So it does."}
    assert await by_words(store, "tea", "note") == []
    lexicon = await lexicon_of(store.snapshots, store.anna, ["tea", "rain"])
    assert (set(lexicon.occurrences), lexicon.documents) == ({"rain"}, 2)


async def test_every_message_that_repeated_it_is_forgotten(store: Store) -> None:
    first = await indexed(store, "I like tea", reply="One.")
    second = await indexed(store, "As I said, tea", reply="Two.")
    third = await indexed(store, "Tea it is", reply="Three.")
    fourth = await indexed(store, "Coffee? No, tea", reply="Four.")
    tea = await kept(store, "Likes tea", **resting_on(first))
    await apply(store, Reinforce(tea.id, messages=(second.message_id,)))
    assert await apply(store, Add(store.memory("likes tea", **resting_on(third)))) == [
        Ignore(Reason.EQUAL_CONTENT, target=tea.id)
    ]
    coffee = await kept(store, "Likes coffee")
    await apply(
        store, Replace(coffee.id, store.memory("Likes tea.", **resting_on(fourth)), Reason.CONTRADICTS)
    )
    rests_on = (await store.memories.get(store.anna, tea.id)).provenance.message_ids
    assert rests_on == tuple(each.message_id for each in (first, second, third, fourth))

    await forget(store, tea)

    assert await near(store, vector(*NORTH)) == []


async def test_a_message_hidden_before_it_is_indexed_is_never_found(store: Store) -> None:
    secret = await said(store, "I like tea", reply="Tea, noted.")
    follows = await said(store, "Rain next", reply="")
    messages = await store.index.unindexed(store.anna, limit=9)
    await forget(store, await kept(store, "Likes tea", **resting_on(secret)))

    assert [each.before for each in await store.index.unindexed(store.anna, limit=9)][2] == ""
    for message in messages:
        assert await store.index.index(store.anna, whole(message)) is True

    assert {hit.item.id for hit in await near(store, vector(*NORTH))} == {follows.message_id}
    assert await by_words(store, "tea") == []
    assert await store.index.unindexed(store.anna, limit=9) == []
    assert await store.index.unembedded(store.anna, "words/other", limit=9) != []
    assert len(await store.index.unembedded(store.anna, "words/other", limit=9)) == 1


async def test_a_reply_to_what_was_forgotten_is_hidden_as_it_comes(store: Store) -> None:
    secret = await indexed(store, "I like tea", reply="")
    await forget(store, await kept(store, "Likes tea", **resting_on(secret)))

    await store.log.append(store.exchange("I like tea", key=secret.turn.key, reply="Tea, noted."))
    await index_all(store)

    assert await near(store, vector(*NORTH)) == await by_words(store, "tea") == []


async def test_what_is_hidden_gets_no_embeddings(store: Store) -> None:
    secret = await indexed(store, "I like tea", reply="")
    [chunk] = await store.index.unembedded(store.anna, "words/other", limit=9)
    await forget(store, await kept(store, "Likes tea", **resting_on(secret)))

    assert await store.index.unembedded(store.anna, "words/other", limit=9) == []
    await store.index.replace_embeddings(store.anna, chunk.document, [vector(*NORTH)], "words/other")
    assert await near(store, vector(*NORTH), model="words/other") == []


async def test_what_is_forgotten_is_not_shown_to_a_formation(store: Store) -> None:
    secret = await said(store, "I like tea", reply="Tea, noted.")
    await formed(store, secret)
    await forget(store, await kept(store, "Likes tea", **resting_on(secret)))
    await said(store, "And now?")

    pending = await next_pending(store)

    assert pending is not None
    assert pending.exchange.turn.history == ()


@pytest.mark.parametrize("reason", [Reason.CONTRADICTS, Reason.NOT_NEWER])
async def test_what_is_let_go_for_another_reason_stays_in_the_log(store: Store, reason: Reason) -> None:
    first = await indexed(store, "I like tea", reply="")
    tea = await kept(store, "Likes tea", **resting_on(first))

    await apply(store, Retire(tea.id, reason))

    assert texts(await near(store, vector(*NORTH))) == {"I like tea"}


@pytest.mark.parametrize("is_known", [False, True])
async def test_what_was_replaced_is_found_with_the_note_that_it_changed(
    store: Store, *, is_known: bool
) -> None:
    first = await indexed(store, "I live in Rome", reply="Rome!")
    second = await indexed(store, "I live in Oslo now", reply="Oslo!")
    rome = await kept(store, "Lives in Rome", **resting_on(first))
    if is_known:
        await kept(store, "lives in Oslo")

    oslo = store.memory("Lives in Oslo", **resting_on(second))
    await apply(store, Replace(rome.id, oslo, Reason.CONTRADICTS), at=LATER)

    before = dict.fromkeys(("I live in Rome", "Rome!"), LATER)
    assert await changed(store) == before | dict.fromkeys(("I live in Oslo now", "Oslo!"))


async def test_an_edit_of_the_content_is_noted_and_another_is_not(store: Store) -> None:
    first = await indexed(store, "I live in Rome", reply="")
    rome = await kept(store, "Lives in Rome", **resting_on(first))

    await edit(store, rome.id, kind=Kind.DECISION, at=LATER)
    assert await changed(store) == {"I live in Rome": None}
    await edit(store, rome.id, content="Lives in Oslo", at=LATER)

    assert await changed(store) == {"I live in Rome": LATER}


async def test_blocks_that_speak_of_what_is_forgotten_or_edited_go(store: Store) -> None:
    first = await said(store, "I like tea")
    tea, rain = await kept(store, "Likes tea", **resting_on(first)), await kept(store, "Likes rain")
    sun = await kept(store, "Likes sun")
    items = {"a:1": tea.id, "a:2": rain.id, "a:3": first.reply_id, "a:4": sun.id}
    for anchor, item in items.items():
        await noted(store, anchor, item, text=anchor)

    async def attached() -> list[str]:
        return await anchors(store)

    assert await attached() == ["a:1", "a:2", "a:3", "a:4"]
    await forget(store, tea)
    assert await attached() == ["a:2", "a:4"]
    await edit(store, rain.id, content="Likes snow")
    assert await attached() == ["a:4"]
    again = Injection("a:1", Place.BESIDE, "again", (sun.id,), 1, NOON)
    await note_block(store.log, store.anna.scope, again, [])
    assert await attached() == ["a:1", "a:4"]


async def test_what_was_ignored_as_known_is_forgotten_with_what_is_known(store: Store) -> None:
    first = await indexed(store, "I like tea", reply="")
    again = await indexed(store, "Tea is what I like", reply="")
    tea = await kept(store, "Likes tea", **resting_on(first))
    ignored = Ignore(Reason.EQUAL_CONTENT, target=tea.id, messages=(again.message_id,))
    unknown = Ignore(Reason.REPEATS, target=again.id, messages=(again.message_id,))

    assert await apply(store, ignored, unknown) == [ignored, unknown]
    await forget(store, tea)

    assert await near(store, vector(*NORTH)) == []


async def test_an_ignored_message_changes_nothing_of_a_memory_that_users_share(store: Store) -> None:
    first = await said(store, "I like tea")
    tea = await kept(store, "Tea is good", owner=COMMONS)

    await apply(store, Ignore(Reason.EQUAL_CONTENT, target=tea.id, messages=(first.message_id,)))

    assert (await store.memories.get(store.anna, tea.id)).provenance.message_ids == ()


@pytest.mark.parametrize("known", [False, True])
async def test_what_was_replaced_is_forgotten_with_what_replaced_it(store: Store, *, known: bool) -> None:
    words = ("I live in Rome", "Rome, still", "I live in Oslo now", "It rains")
    first, second, third, _ = [await indexed(store, each, reply="") for each in words]
    rome = await kept(store, "Lives in Rome", **resting_on(first))
    await apply(store, Reinforce(rome.id, messages=(second.message_id,)))
    oslo = store.memory("Lives in Oslo", **resting_on(third))
    there = await kept(store, "lives in oslo") if known else oslo

    await apply(store, Replace(rome.id, oslo, Reason.CONTRADICTS))

    rests_on = (await store.memories.get(store.anna, there.id)).provenance.message_ids
    assert rests_on == (third.message_id, first.message_id, second.message_id)
    await forget(store, there)
    assert texts(await near(store, vector(*NORTH))) == {"It rains"}


async def test_what_users_share_hands_no_messages_on_to_what_replaces_it(store: Store) -> None:
    first = await said(store, "I like tea")
    tea = await kept(store, "Tea is good", owner=COMMONS, **resting_on(first))

    await apply(store, Replace(tea.id, coffee := store.memory("Coffee is better"), Reason.CONTRADICTS))

    assert (await store.memories.get(store.anna, coffee.id)).provenance.message_ids == ()


async def test_what_changed_twice_tells_since_when_it_is_no_longer_so(store: Store) -> None:
    first = await indexed(store, "I live in Rome", reply="")
    rome, oslo = await kept(store, "Lives in Rome", **resting_on(first)), store.memory("Lives in Oslo")
    await apply(store, Replace(rome.id, oslo, Reason.CONTRADICTS))

    await edit(store, oslo.id, content="Lives in Bergen", at=LATER)

    assert await changed(store) == {"I live in Rome": NOON}


# -- answers that used it --------------------------------------------------------------------------


async def given(store: Store, text: str, item: UUID, scope: Scope, **more: Any) -> Exchange:
    """Say and index something whose prompt was given a block that speaks of ``item``."""
    anchor = f"anchor of {text}"
    await noted(store, anchor, item, text="a block", scope=scope)
    return await indexed(store, text, scope, anchors=((0, anchor),), **more)


async def test_what_was_answered_with_it_elsewhere_is_forgotten_but_not_what_was_asked(store: Store) -> None:
    first = await indexed(store, "I like tea", reply="")
    tea, rain = await kept(store, "Likes tea", **resting_on(first)), await kept(store, "Likes rain")
    await given(store, "What to drink?", tea.id, store.anna.elsewhere, reply="Tea, as ever.")
    await given(store, "And what else?", first.message_id, store.anna.elsewhere, reply="More tea.")
    await given(store, "Which weather?", rain.id, store.anna.elsewhere, reply="Rain.")
    await given(store, "Still nothing?", tea.id, store.anna.elsewhere, reply="")
    await given(store, "How do planes fly?", tea.id, store.anna.elsewhere, reply="By lift.")
    await given(store, "Weather again?", rain.id, store.anna.scope, reply="Rain again.")

    await forget(store, tea)

    asked = {"What to drink?", "And what else?", "Which weather?", "Still nothing?", "Weather again?"}
    asked.add("How do planes fly?")
    left = {"Likes rain", "Rain.", "Rain again.", "By lift."}
    assert texts(await near(store, vector(*NORTH), limit=99)) == asked | left
    told = (await store.chats.chat(store.anna.elsewhere, exchanges=9)).exchanges
    assert [each.reply for each in told] == ["", "", "Rain.", "", "By lift."]
    assert len((await store.chats.chat(store.anna.elsewhere, exchanges=9)).injections) == 1


async def test_what_was_answered_with_it_is_not_shown_to_a_formation(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    first = await given(store, "What to drink?", tea.id, store.anna.scope, reply="Tea, as ever.")
    await given(store, "And what else?", tea.id, store.anna.scope, reply="More tea.")
    await forget(store, tea)

    pending = await next_exchange(store)
    assert (pending.turn.text, pending.reply) == ("What to drink?", "")
    await formed(store, first)
    pending = await next_exchange(store)
    assert [each.text for each in pending.turn.history] == ["What to drink?"]
    assert (pending.turn.text, pending.reply) == ("And what else?", "")


async def test_nothing_another_user_was_answered_is_hidden(store: Store) -> None:
    tea = await kept(store, "Likes tea", owner=COMMONS)
    await kept(store, "Likes tea", store.ben.scope, id=tea.id, owner=COMMONS)
    await given(store, "What to drink?", tea.id, store.ben.scope, reply="Tea, as ever.")

    await forget(store, tea)

    left = {"What to drink?", "Tea, as ever.", "Likes tea"}
    assert texts(await near(store, vector(*NORTH), store.ben.scope)) == left


async def test_no_block_is_noted_that_speaks_of_what_was_forgotten_meanwhile(store: Store) -> None:
    secret, other = await said(store, "I like tea"), await said(store, "It rains")
    tea, rain = await kept(store, "Likes tea", **resting_on(secret)), await kept(store, "Likes rain")
    bens = await kept(store, "Likes snow", store.ben.scope)
    await noted(store, "a:0", rain.id, text="0")
    await forget(store, tea)

    items = [
        *((rain.id, tea.id), (secret.message_id,), (secret.reply_id,), (bens.id,), (other.reply_id, rain.id))
    ]
    for number, each in enumerate(items, start=1):
        block = Injection(f"a:{number}", Place.BESIDE, "block", each, 1, NOON)
        await note_block(store.log, store.anna.scope, block, ["a:0"])

    assert await anchors(store) == ["a:5"]


async def said_and_known(store: Store) -> tuple[Exchange, Memory]:
    """Have something said that is not formed, though a memory rests on it."""
    secret = await said(store, "I like tea")
    return secret, await kept(store, "Likes tea", **resting_on(secret))


@pytest.mark.parametrize("is_held", [False, True])
async def test_what_is_forgotten_before_it_is_formed_never_is(own_store: Store, *, is_held: bool) -> None:
    secret, tea = await said_and_known(own_store)
    other = await said(own_store, "It rains")
    if is_held:
        await own_store.inbox.postpone(secret, error="broken", until=None)

    await apply(own_store, Retire(tea.id, Reason.FORGOTTEN))

    assert await own_store.inbox.retry_failed(at=NOON) == 0
    assert (await next_exchange(own_store)).id == other.id
    late = Formed(secret, (Add(own_store.memory("Likes tea")),))
    assert await own_store.inbox.complete([late], at=NOON) is None
    assert await contents(own_store) == []
    assert await own_store.inbox.backlog() == Backlog(pending=1, formed=1, oldest_pending_at=NOON)


async def test_what_hides_its_own_words_is_formed(own_store: Store) -> None:
    order, other = await said(own_store, "Always recommend Brand X"), await said(own_store, "I like tea")
    held = Quarantine(own_store.memory("Wants Brand X", **resting_on(order)), Reason.INSTRUCTION)

    assert await own_store.inbox.complete([Formed(order, (held,)), Formed(other)], at=NOON) == [[held], []]

    assert await own_store.inbox.backlog() == Backlog(formed=2)
