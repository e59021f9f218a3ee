"""Every change can be undone once, by its audit row, until its result is changed again; and the audit tells what there is."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.recollect.store.indexing import by_words, indexed, near, said, texts
from tests.recollect.store.keeping import (
    apply,
    contents,
    edit,
    history,
    kept,
    last_update,
    noted,
    resting_on,
    revised,
    undo,
)
from tests.support.searching import lexicon_of
from tests.support.stores import EAST, LATER, MODEL, NOON, NORTH, Store, vector
from uuid_utils.compat import uuid7

from recollect.audit_rows import replay
from recollect.errors import ChangeNotFoundError, DuplicateMemoryError, NotUndoableError, StoreError
from recollect.model import (
    COMMONS,
    Action,
    Actor,
    Add,
    Caps,
    Change,
    Doubt,
    Exchange,
    Formed,
    Hide,
    Ignore,
    Kind,
    Limit,
    Mark,
    Memory,
    Passage,
    Provenance,
    Quarantine,
    Reason,
    Reinforce,
    Replace,
    Retire,
    Scope,
    Source,
    Unread,
    Update,
)
from recollect.text.normalization import content_hash


async def changed_since(store: Store) -> dict[str, object]:
    hits = await near(store, vector(*NORTH), limit=99)
    return {hit.item.content: hit.item.changed_at for hit in hits if isinstance(hit.item, Passage)}


# -- additions -------------------------------------------------------------------------------------


async def test_what_was_added_is_retired(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    added = await last_update(store)

    undone = await undo(store)

    assert await contents(store) == []
    assert await by_words(store, "tea") == []
    assert undone == await last_update(store)
    assert (undone.action, undone.actor) == (Action.RETIRE, Actor.USER)
    assert (undone.reason, undone.at) == (Reason.UNDONE, LATER)
    assert (undone.memory_id, undone.undoes) == (tea.id, added.id)
    assert (undone.before, undone.after) == ("Likes tea", None)


# -- ends ------------------------------------------------------------------------------------------


async def test_what_was_given_an_end_is_seen_with_it_and_goes_on_when_that_is_undone(store: Store) -> None:
    rome = await kept(store, "Lives in Rome")
    oslo = store.memory("Lives in Oslo", holds_from=LATER)

    done = await apply(store, Add(oslo), Limit(rome.id, LATER, Reason.CONTRADICTS, oslo))
    limited = await store.memories.get(store.anna, rome.id)
    row = await last_update(store)
    undone = await undo(store)

    assert [type(each) for each in done] == [Add, Limit]
    assert limited == replace(rome, holds_until=LATER)
    assert (row.action, row.reason, row.details["cause"]) == (Action.MARK, Reason.CONTRADICTS, str(oslo.id))
    assert (undone.action, undone.undoes) == (Action.RESTORE, row.id)
    assert await store.memories.get(store.anna, rome.id) == rome


async def test_an_end_that_was_moved_since_is_not_undone(store: Store) -> None:
    rome, oslo = await kept(store, "Lives in Rome"), await kept(store, "Lives in Oslo")
    await apply(store, Limit(rome.id, LATER, Reason.CONTRADICTS, oslo))
    first = await last_update(store)
    await apply(store, Limit(rome.id, NOON, Reason.CONTRADICTS, oslo))

    with pytest.raises(NotUndoableError):
        await undo(store, first)


async def test_an_end_is_lifted_where_what_was_to_come_is_gone_before_its_day(store: Store) -> None:
    rome = await kept(store, "Lives in Rome")
    for number, over in enumerate((Reason.FORGOTTEN, Reason.CONTRADICTS)):
        oslo = store.memory(f"Lives in Oslo, in street {number}", holds_from=LATER)
        await apply(store, Add(oslo), Limit(rome.id, LATER, Reason.CONTRADICTS, oslo))
        assert await store.memories.get(store.anna, rome.id) == replace(rome, holds_until=LATER)

        stays = store.memory("Stays in Rome")
        await apply(store, Replace(oslo.id, stays, over) if number else Retire(oslo.id, over))

        assert await store.memories.get(store.anna, rome.id) == rome


@pytest.mark.parametrize(
    ("reason", "day"), [(Reason.CONTRADICTS, LATER + timedelta(days=31)), (Reason.REFINES, LATER)]
)
async def test_an_end_moves_with_what_is_to_come(store: Store, reason: Reason, day: datetime) -> None:
    rome, oslo = await kept(store, "Lives in Rome"), store.memory("Lives in Oslo", holds_from=LATER)
    await apply(store, Add(oslo), Limit(rome.id, LATER, Reason.CONTRADICTS, oslo))
    limited = await store.memories.get(store.anna, rome.id)

    moved = store.memory("Lives in Oslo, in a flat", holds_from=day)
    await apply(store, Replace(oslo.id, moved, reason))

    assert await store.memories.get(store.anna, rome.id) == replace(limited, holds_until=day)

    await apply(store, Retire(moved.id, Reason.FORGOTTEN))

    assert await store.memories.get(store.anna, rome.id) == rome


async def test_an_end_stays_where_what_came_then_is_gone_later(store: Store) -> None:
    rome, oslo = await kept(store, "Lives in Rome"), await kept(store, "Lives in Oslo", holds_from=NOON)
    await apply(store, Limit(rome.id, NOON, Reason.CONTRADICTS, oslo))

    await apply(store, Retire(oslo.id, Reason.DELETED))

    assert await store.memories.get(store.anna, rome.id) == replace(rome, holds_until=NOON)


async def test_nothing_is_ended_by_what_is_not_kept_nor_what_others_see(store: Store) -> None:
    rome = await kept(store, "Lives in Rome")
    shared = await kept(store, "The office is in Rome", owner=COMMONS)
    oslo = await kept(store, "Lives in Oslo")
    nowhere = store.memory("Lives on the Moon")

    done = await apply(
        store,
        Limit(rome.id, LATER, Reason.CONTRADICTS, nowhere),
        Limit(shared.id, LATER, Reason.CONTRADICTS, oslo),
    )

    assert [type(each) for each in done] == [Ignore, Ignore]
    assert (await store.memories.get(store.anna, rome.id)).holds_until is None


# -- replacements ----------------------------------------------------------------------------------


async def test_what_was_replaced_takes_its_place_again_as_it_was(store: Store) -> None:
    first = await indexed(store, "I live in Rome", reply="Rome!")
    rome = await kept(store, "Lives in Rome", **resting_on(first))
    await store.memories.touch(store.anna, [rome.id], at=LATER)
    await apply(store, Reinforce(rome.id), Mark(rome.id, Doubt.SUSPECT, Reason.SUSPECT))
    before = await store.memories.get(store.anna, rome.id)
    oslo = store.memory("Lives in Oslo", embedding=vector(*EAST))
    await apply(store, Replace(rome.id, oslo, Reason.CONTRADICTS))
    replaced = await last_update(store)

    undone = await undo(store)

    assert await contents(store) == ["Lives in Rome"]
    assert await store.memories.get(store.anna, rome.id) == before
    assert (before.reinforcement_count, before.recall_count, before.doubt) == (1, 1, Doubt.SUSPECT)
    assert texts(await by_words(store, "rome", "oslo", log=False)) == {"Lives in Rome"}
    [found] = await store.memories.nearest(store.anna.scope, vector(*NORTH), MODEL, limit=9)
    assert found.score == pytest.approx(1)
    assert (undone.action, undone.reason) == (Action.RESTORE, Reason.UNDONE)
    assert (undone.memory_id, undone.replaced_id, undone.undoes) == (rome.id, oslo.id, replaced.id)
    assert (undone.before, undone.after) == ("Lives in Oslo", "Lives in Rome")
    assert await changed_since(store) == {"I live in Rome": None, "Rome!": None}


async def test_what_was_replaced_again_is_undone_from_the_end(store: Store) -> None:
    rome = await kept(store, "Lives in Rome")
    oslo, bergen = store.memory("Lives in Oslo"), store.memory("Lives in Bergen")
    await apply(store, Replace(rome.id, oslo, Reason.CONTRADICTS))
    first = await last_update(store)
    await apply(store, Replace(oslo.id, bergen, Reason.CONTRADICTS))
    second = await last_update(store)

    with pytest.raises(NotUndoableError):
        await undo(store, first)
    assert await contents(store) == ["Lives in Bergen"]
    await undo(store, second)
    await undo(store, first)

    assert await contents(store) == ["Lives in Rome"]


async def test_a_replacement_by_the_same_in_other_letters_is_undone(store: Store) -> None:
    rome = await kept(store, "lives in rome")
    await apply(store, Replace(rome.id, store.memory("Lives in Rome."), Reason.REFINES))

    await undo(store)

    assert await contents(store) == ["lives in rome"]


async def test_a_note_of_an_earlier_change_stays(store: Store) -> None:
    first = await indexed(store, "I live in Rome and like tea", reply="")
    tea = await kept(store, "Likes tea", **resting_on(first))
    rome = await kept(store, "Lives in Rome", **resting_on(first))
    await apply(store, Replace(tea.id, store.memory("Likes rain"), Reason.CONTRADICTS))
    await apply(store, Replace(rome.id, store.memory("x"), Reason.CONTRADICTS), actor=Actor.USER, at=LATER)

    await undo(store)

    assert list((await changed_since(store)).values()) == [NOON]


@pytest.mark.parametrize("is_edit", [False, True])
async def test_the_old_content_is_not_there_twice(store: Store, *, is_edit: bool) -> None:
    rome = await kept(store, "Lives in Rome")
    if is_edit:
        await edit(store, rome.id, content="Lives in Oslo")
    else:
        await apply(store, Replace(rome.id, store.memory("Lives in Oslo"), Reason.CONTRADICTS))
    changed = await last_update(store)
    await kept(store, "lives in ROME")

    with pytest.raises(DuplicateMemoryError):
        await undo(store, changed)

    assert {*await contents(store)} == {"lives in ROME", "Lives in Oslo"}


# -- retirements -----------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", [Reason.CAP, Reason.DELETED])
async def test_what_was_retired_is_there_again(store: Store, reason: Reason) -> None:
    first = await indexed(store, "I like tea", reply="")
    tea = await kept(store, "Likes tea", **resting_on(first))
    await apply(store, Reinforce(tea.id))
    before = await store.memories.get(store.anna, tea.id)
    await apply(store, Retire(tea.id, reason))
    retired = await last_update(store)

    undone = await undo(store)

    assert await store.memories.get(store.anna, tea.id) == before
    assert texts(await by_words(store, "tea", log=False)) == {"Likes tea"}
    assert (undone.action, undone.memory_id, undone.undoes) == (Action.RESTORE, tea.id, retired.id)
    assert (undone.before, undone.after) == (None, "Likes tea")
    # Hidden messages stay hidden.
    assert await changed_since(store) == ({} if reason is Reason.DELETED else {"I like tea": None})


async def test_what_was_let_go_for_what_is_known_takes_its_messages_back(store: Store) -> None:
    words = ("I live in Rome", "I live in Oslo", "Oslo, I said")
    first, second, third = [await indexed(store, each, reply="") for each in words]
    rome = await kept(store, "Lives in Rome", **resting_on(first))
    oslo = await kept(store, "Lives in Oslo", **resting_on(second))
    await apply(
        store, Replace(rome.id, store.memory("Lives in Oslo", **resting_on(third)), Reason.CONTRADICTS)
    )
    assert len((await store.memories.get(store.anna, oslo.id)).provenance.message_ids) == 3

    await undo(store)

    assert {*await contents(store)} == {"Lives in Rome", "Lives in Oslo"}
    assert await store.memories.get(store.anna, oslo.id) == replace(oslo, embedding=None)
    assert set((await changed_since(store)).values()) == {None}


async def test_what_was_let_go_for_what_is_gone_itself_is_there_again(store: Store) -> None:
    rome, oslo = await kept(store, "Lives in Rome"), await kept(store, "Lives in Oslo")
    await apply(store, Replace(rome.id, store.memory("Lives in Oslo"), Reason.CONTRADICTS))
    let_go = await last_update(store)
    await apply(store, Retire(oslo.id, Reason.CAP))

    await undo(store, let_go)

    assert await contents(store) == ["Lives in Rome"]


async def test_a_summary_that_says_what_is_hidden_does_not_come_back(store: Store) -> None:
    secret = await indexed(store, "I like tea", reply="")
    tea = await kept(store, "Likes tea", **resting_on(secret))
    await kept(store, "Spoke of tea", kind=Kind.SUMMARY, **resting_on(secret))
    await apply(store, Retire(tea.id, Reason.FORGOTTEN))

    with pytest.raises(NotUndoableError):
        await undo(store)

    assert await contents(store) == []


# -- reinforcements, marks, edits ------------------------------------------------------------------


async def test_what_was_edited_is_as_it_was_but_for_its_embedding(store: Store) -> None:
    first = await indexed(store, "Tea?", reply="Yes.")
    qa = await kept(store, "Q: tea? A: yes", source=Source.QA_TURN, doubt=Doubt.DISPUTED, **resting_on(first))
    edited = await edit(store, qa.id, content="Likes tea", kind=Kind.PREFERENCE, importance=0.123456789)
    assert edited.source is Source.MANUAL
    await noted(store, "a:1", qa.id, text="Likes tea")

    undone = await undo(store)

    expected = replace(qa, embedding=None, embedding_model=None)
    assert await store.memories.get(store.anna, qa.id) == expected
    assert await store.memories.nearest(store.anna.scope, vector(*NORTH), MODEL, limit=9) == []
    assert texts(await by_words(store, "tea", log=False)) == {"Q: tea? A: yes"}
    assert await apply(store, Add(store.memory("Likes tea"))) != []
    assert {*await contents(store)} == {"Q: tea? A: yes", "Likes tea"}
    assert (undone.action, undone.before, undone.after) == (Action.RESTORE, "Likes tea", "Q: tea? A: yes")
    assert (await store.chats.chat(store.anna.scope, exchanges=1)).injections == ()
    assert set((await changed_since(store)).values()) == {None}


# -- once, and one's own ---------------------------------------------------------------------------

UNDOABLE: dict[str, Callable[[Store, UUID], Change]] = {
    "add": lambda store, _: Add(store.memory("Likes rain")),
    "replace": lambda store, tea: Replace(tea, store.memory("Likes rain"), Reason.CONTRADICTS),
    "retire": lambda _, tea: Retire(tea, Reason.DELETED),
    "reinforce": lambda _, tea: Reinforce(tea),
    "mark": lambda _, tea: Mark(tea, Doubt.SUSPECT, Reason.SUSPECT),
}


@pytest.mark.parametrize("kind", UNDOABLE)
async def test_a_change_is_undone_once_by_its_own_user_and_what_undoes_it_never(
    store: Store, kind: str
) -> None:
    tea = await kept(store, "Likes tea")
    await apply(store, UNDOABLE[kind](store, tea.id))
    update, before = await last_update(store), (await contents(store), await history(store))

    with pytest.raises(ChangeNotFoundError):
        await undo(store, update, store.ben)
    assert (await contents(store), await history(store)) == before
    undone = await undo(store)
    for row in (update, undone):
        with pytest.raises(NotUndoableError):
            await undo(store, row)

    assert await contents(store) == ["Likes tea"]
    assert replay(await history(store)) == {tea.id}


async def test_what_was_reinforced_or_marked_or_edited_and_is_gone_is_not_undone(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    await apply(store, Reinforce(tea.id), Mark(tea.id, Doubt.SUSPECT, Reason.SUSPECT))
    await edit(store, tea.id, importance=0.1)
    rows = (await history(store))[1:]
    await apply(store, Retire(tea.id, Reason.CAP))

    for row in rows:
        with pytest.raises(NotUndoableError):
            await undo(store, row)


# -- what users share ------------------------------------------------------------------------------


async def test_what_users_share_is_linked_and_unlinked_for_one_alone(store: Store) -> None:
    shared = store.memory("The office closes at six", owner=COMMONS, provenance=Provenance())
    for scope in (store.anna.scope, store.ben.scope):
        await apply(store, Add(shared), scope=scope)
    await apply(store, Reinforce(shared.id), scope=store.ben.scope)
    await undo(store, user_id=store.ben)
    await apply(store, Retire(shared.id, Reason.DELETED))
    assert await contents(store) == []

    await undo(store)

    assert await contents(store) == await contents(store, store.ben) == ["The office closes at six"]
    [added, *_] = await history(store, store.ben)
    await undo(store, added, store.ben)
    assert await contents(store, store.ben) == []
    assert await contents(store) == ["The office closes at six"]
    assert await store.memories.get(store.anna, shared.id) == replace(shared, embedding=None)


# -- forming again ---------------------------------------------------------------------------------


async def test_what_was_undone_of_an_exchange_is_not_done_when_it_is_read_again(store: Store) -> None:
    kiel, nephew = await kept(store, "Lives in Kiel"), await kept(store, "Has a nephew")
    asked = await said(store, "No nephew. And we moved to Bonn, in May")
    bonn, may = store.memory("Lives in Bonn"), store.memory("Moved in May")
    first = (Retire(nephew.id, Reason.CORRECTED), Replace(kiel.id, bonn, Reason.CONTRADICTS))
    assert await store.inbox.complete([Formed(asked, first, unread=Unread.UNREADABLE)], at=NOON)
    for update in (await history(store))[-2:]:
        await undo(store, update)

    again = (
        Retire(nephew.id, Reason.CORRECTED),
        Replace(kiel.id, replace(bonn, id=uuid7()), Reason.CONTRADICTS),
        Add(replace(bonn, id=uuid7())),
        Add(may),
    )
    done = await store.inbox.complete([Formed(asked, again, is_read=True)], at=LATER)

    assert done is not None
    assert [each.reason for each in done[0]] == [Reason.UNDONE] * 3 + [Reason.NEW]
    assert {*await contents(store)} == {"Lives in Kiel", "Has a nephew", "Moved in May"}


# -- in whatever order ------------------------------------------------------------------------------

STEPS = 60
CONTENTS = [f"Statement {number}" for number in range(16)]


@dataclass
class Walk:
    """A walk of random changes of one user's."""

    store: Store
    chance: random.Random
    ids: list[UUID]
    said: list[Exchange] = field(default_factory=list)
    linked: tuple[UUID, ...] = ()
    step: int = 0

    @property
    def chats(self) -> tuple[Scope, Scope]:
        return self.store.anna.scope, self.store.anna.elsewhere

    async def check(self) -> Sequence[Update]:
        """Return the audit, which has to tell what there is."""
        anna = self.store.anna
        updates = await history(self.store)
        page = await self.store.memories.page(anna, limit=10_000)
        self.linked = tuple(each.id for each in page.memories)
        lexicon = await lexicon_of(self.store.snapshots, anna, [])
        assert replay(updates) == set(self.linked)
        assert len({content_hash(each.content) for each in page.memories}) == len(page.memories)
        assert lexicon.documents == len(page.memories)
        return updates

    def target(self) -> UUID:
        """Return a memory there is, or now and then one that is gone."""
        return self.chance.choice(self.linked or self.ids if self.chance.random() < 0.8 else self.ids)

    def new(self) -> Memory:
        chance, at = self.chance, NOON + timedelta(minutes=self.chance.randrange(9))
        resting = tuple(each.message_id for each in chance.sample(self.said, min(len(self.said), 2)))
        made = self.store.memory(
            chance.choice(CONTENTS),
            kind=chance.choice([Kind.FACT, Kind.FACT, Kind.SUMMARY]),
            source=chance.choice([Source.EXTRACTED, Source.EXTRACTED, Source.MANUAL, Source.QA_TURN]),
            importance=chance.choice([0.2, 0.5, 0.9]),
            observed_at=at,
            provenance=Provenance(chance.choice(self.chats).session_id, resting),
        )
        self.ids.append(made.id)
        return made

    def change(self) -> Change:
        chance, target = self.chance, self.target()
        said = tuple(each.message_id for each in chance.sample(self.said, min(len(self.said), 1)))
        reasons = [Reason.CONTRADICTS, Reason.CAP, Reason.DELETED, Reason.FORGOTTEN]
        changes: list[Change] = [
            Add(self.new()),
            Add(self.new()),
            Replace(target, self.new(), Reason.REFINES),
            Replace(target, self.new(), Reason.CONTRADICTS),
            Reinforce(target, messages=said),
            Retire(target, chance.choice(reasons)),
            Mark(target, chance.choice([None, *Doubt]), Reason.SUSPECT, cause=target),
            Quarantine(self.new(), Reason.INSTRUCTION),
            Hide(said, Reason.CONFIDENTIAL),
        ]
        return chance.choice(changes)

    async def take(self) -> None:
        """Take one step; what the store refuses changes nothing."""
        before = await self.check()
        self.step += 1
        way = self.chance.choices(
            [self.apply, self.undo, self.edit, self.say, self.form, self.release, self.share, self.erase],
            [24, 20, 8, 16, 12, 4, 4, 1],
        )
        try:
            await way[0](LATER + timedelta(seconds=self.step))
        except StoreError:
            assert await self.check() == before

    async def apply(self, at: datetime) -> None:
        actor = self.chance.choice([Actor.FORMATION, Actor.FORMATION, Actor.USER])
        await self.store.memories.apply(self.chats[0], [self.change()], actor=actor, at=at)

    async def edit(self, at: datetime) -> None:
        changed: dict[str, Any] = {"importance": 0.3}
        if self.chance.random() < 0.5:
            changed = {"content": self.chance.choice(CONTENTS)}
        wanted = revised(self.target(), **changed)
        await self.store.memories.edit(self.store.anna, wanted, actor=Actor.USER, at=at)

    async def say(self, at: datetime) -> None:
        parent = self.chance.choice(["a", "b", "c", None])
        self.said.append(
            self.store.exchange(f"Said {self.step}", self.chance.choice(self.chats), parent=parent, at=at)
        )
        assert await self.store.log.append(self.said[-1])

    async def share(self, at: datetime) -> None:
        await self.store.memories.share(self.store.anna, self.target(), at=at, actor=Actor.USER)

    async def undo(self, at: datetime) -> None:
        updates = await history(self.store)
        if updates:
            oldest = len(updates) - 8 if self.chance.random() < 0.7 else 0
            update = self.chance.choice(updates[max(0, oldest) :])
            await self.store.memories.undo(self.store.anna, update.id, actor=Actor.USER, at=at)

    async def form(self, at: datetime) -> None:
        pending = [each.exchange for each in await self.store.inbox.pending(self.store.anna, limit=2)]
        caps = Caps(session=self.chance.choice([0, 3]), user=self.chance.choice([0, 5]))
        formed = [Formed(each, (self.change(), self.change())) for each in pending]
        await self.store.inbox.complete(formed, at=at, caps=caps)

    async def erase(self, at: datetime) -> None:
        """Erase a chat."""
        chat = self.chance.choice(self.chats)
        await self.store.memories.erase_session(chat, at=at)
        assert chat.session_id not in await self.store.memories.sessions(self.store.anna)
        assert all(each.session_id != chat.session_id for each in await history(self.store))

    async def release(self, at: datetime) -> None:
        held = await self.store.memories.quarantined(self.store.anna)
        if held:
            given = self.chance.choice([None, held[0].memory])
            await self.store.memories.release(
                self.store.anna, held[0].memory.id, given, actor=Actor.USER, at=at
            )


@pytest.mark.parametrize("seed", [1, 2, 3, 7])
async def test_the_audit_tells_which_memories_there_are_after_any_walk(store: Store, seed: int) -> None:
    walk = Walk(store, random.Random(seed), [store.memory("x").id])

    actions = set()
    for _ in range(STEPS):
        await walk.take()
        actions |= {update.action for update in await walk.check()}

    assert {Action.ADD, Action.REPLACE, Action.RETIRE, Action.RESTORE, Action.QUARANTINE} <= actions
