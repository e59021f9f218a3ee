"""Whatever is done in whatever order: the audit tells which memories there are."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.recollect.store.keeping import history, revised
from tests.support.searching import lexicon_of
from tests.support.stores import LATER, NOON, Store

from recollect.audit import replay
from recollect.errors import StoreError
from recollect.model import (
    Action,
    Actor,
    Add,
    Caps,
    Change,
    Doubt,
    Exchange,
    Formed,
    Hide,
    Kind,
    Mark,
    Memory,
    Provenance,
    Quarantine,
    Reason,
    Reinforce,
    Replace,
    Retire,
    Scope,
    Source,
    Update,
)
from recollect.text.normalization import content_hash

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
