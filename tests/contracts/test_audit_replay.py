"""Whatever is done in whatever order: the audit tells which memories there are, and both stores do the same.

A walk of random changes is taken in the store and, step by step, in a store in memory beside it.
"""

import random
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.contracts.keeping import history
from tests.contracts.stores import LATER, NOON, Store, exchange, memory

from recollect.audit import replay
from recollect.errors import StoreError
from recollect.model import (
    Action,
    Actor,
    Add,
    Caps,
    Change,
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
    Standing,
)
from recollect.normalization import content_hash
from recollect.testing import InMemoryStore

STEPS = 60
CONTENTS = [f"Statement {number}" for number in range(16)]
CHATS = [Scope("anna", "chat-1"), Scope("anna", "chat-2")]


def in_memory() -> Store:
    """Return a store in memory."""
    memory = InMemoryStore()
    return Store(memory, memory, memory, memory, memory, memory, memory, memory.settings, memory.settings)


@dataclass
class Walk:
    """A walk of random changes of one user's, in two stores at once."""

    stores: tuple[Store, Store]
    chance: random.Random
    ids: list[UUID]
    said: list[Exchange]
    linked: tuple[UUID, ...] = ()
    step: int = 0

    async def both(self, method: str, *arguments: Any, port: str = "memories", **named: Any) -> list[Any]:
        """Do the same in both stores; they answer, or refuse, alike."""
        answers: list[Any] = []
        for store in self.stores:
            try:
                answers.append(await getattr(getattr(store, port), method)(*arguments, **named))
            except StoreError as error:
                answers.append(type(error))
        return answers

    async def state(self, store: Store) -> tuple[Any, ...]:
        """Return what a store holds, but for the ids of the audit."""
        updates = (await store.memories.history("anna", limit=10_000))[::-1]
        places = {update.id: place for place, update in enumerate(updates)}
        audit = [
            replace(update, id=UUID(int=0), undoes=update.undoes and UUID(int=places[update.undoes]))
            for update in updates
        ]
        page = await store.memories.page("anna", limit=10_000)
        self.linked = tuple(each.id for each in page.memories)
        lexicon = await store.memories.lexicon("anna", [])
        chats = [await store.chats.chat(chat, exchanges=10_000) for chat in CHATS]
        told = [[(each.said, each.reply) for each in chat.exchanges] for chat in chats]
        held = await store.memories.quarantined("anna")
        assert replay(updates) == {each.id for each in page.memories}
        assert len({content_hash(each.content) for each in page.memories}) == len(page.memories)
        assert lexicon.documents == len(page.memories)
        return audit, page, told, held, await store.inbox.backlog()

    def target(self) -> UUID:
        """Return a memory there is, or now and then one that is gone."""
        return self.chance.choice(self.linked or self.ids if self.chance.random() < 0.8 else self.ids)

    def new(self) -> Memory:
        chance, at = self.chance, NOON + timedelta(minutes=self.chance.randrange(9))
        resting = tuple(each.message_id for each in chance.sample(self.said, min(len(self.said), 2)))
        made = memory(
            chance.choice(CONTENTS),
            kind=chance.choice([Kind.FACT, Kind.FACT, Kind.SUMMARY]),
            source=chance.choice([Source.EXTRACTED, Source.EXTRACTED, Source.MANUAL, Source.QA_TURN]),
            importance=chance.choice([0.2, 0.5, 0.9]),
            observed_at=at,
            provenance=Provenance(chance.choice(CHATS).session_id, resting),
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
            Mark(target, chance.choice([None, *Standing]), Reason.SUSPECT, cause=target),
            Quarantine(self.new(), Reason.INSTRUCTION),
            Hide(said, Reason.CONFIDENTIAL),
        ]
        return chance.choice(changes)

    async def take(self) -> list[Any]:  # noqa: PLR0911 -- one for each way
        """Take one step."""
        chance, at = self.chance, LATER + timedelta(seconds=self.step)
        self.step += 1
        way = chance.choices(
            ["apply", "undo", "edit", "say", "form", "release", "share", "erase"],
            [24, 20, 8, 16, 12, 4, 4, 1],
        )
        match way[0]:
            case "apply":
                actor = chance.choice([Actor.FORMATION, Actor.FORMATION, Actor.USER])
                return await self.both("apply", CHATS[0], [self.change()], actor=actor, at=at)
            case "undo":
                return await self.undo(at)
            case "edit":
                changed: dict[str, Any] = {"importance": 0.3}
                if chance.random() < 0.5:
                    changed = {"content": chance.choice(CONTENTS)}
                return await self.both("edit", "anna", self.target(), actor=Actor.USER, at=at, **changed)
            case "say":
                parent = chance.choice(["a", "b", "c", None])
                said = exchange(f"Said {self.step}", chance.choice(CHATS), parent=parent, at=at)
                self.said.append(said)
                return await self.both("append", said, port="log")
            case "form":
                return await self.form(at)
            case "release":
                return await self.release(at)
            case "erase":
                return await self.erase(chance.choice(CHATS), at)
            case _:
                return await self.both("share", "anna", self.target(), at=at, actor=Actor.USER)

    async def undo(self, at: Any) -> list[Any]:
        answers: list[Any] = []
        rows = [(await store.memories.history("anna", limit=10_000))[::-1] for store in self.stores]
        if not rows[0]:
            return []
        oldest = len(rows[0]) - 8 if self.chance.random() < 0.7 else 0
        place = self.chance.randrange(max(0, oldest), len(rows[0]))
        for store, updates in zip(self.stores, rows, strict=True):
            try:
                done = await store.memories.undo("anna", updates[place].id, actor=Actor.USER, at=at)
                answers.append((done.action, done.memory_id, done.replaced_id))
            except StoreError as error:
                answers.append(type(error))
        return answers

    async def form(self, at: Any) -> list[Any]:
        pending = [each.exchange for each in await self.stores[0].inbox.pending("anna", limit=2)]
        caps = Caps(session=self.chance.choice([0, 3]), user=self.chance.choice([0, 5]))
        done = [Formed(each, (self.change(), self.change())) for each in pending]
        return await self.both("complete", done, port="inbox", at=at, caps=caps)

    async def erase(self, chat: Scope, at: Any) -> list[Any]:
        """Erase a chat; the proof of it counts other things in each store."""
        for store in self.stores:
            await store.memories.erase_session(chat, at=at)
            assert chat.session_id not in await store.memories.sessions("anna")
            assert all(each.session_id != chat.session_id for each in await history(store))
        return []

    async def release(self, at: Any) -> list[Any]:
        held = await self.stores[0].memories.quarantined("anna")
        if not held:
            return []
        given = self.chance.choice([None, held[0].memory])
        arguments = ("anna", held[0].memory.id, given)
        return await self.both("release", *arguments, actor=Actor.USER, at=at)


@pytest.mark.parametrize("seed", [1, 2, 3, 7])
async def test_the_audit_tells_which_memories_there_are_after_any_walk(store: Store, seed: int) -> None:
    walk = Walk((store, in_memory()), random.Random(seed), [memory("x").id], [])

    actions = set()
    for _ in range(STEPS):
        answers = await walk.take()
        assert not answers or answers[0] == answers[1]
        here, beside = [await walk.state(each) for each in walk.stores]
        assert here == beside
        actions |= {update.action for update in here[0]}

    assert {Action.ADD, Action.REPLACE, Action.RETIRE, Action.RESTORE, Action.QUARANTINE} <= actions
