"""What one user has in memory, and how changes are applied to it. Never: another user."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from uuid_utils.compat import uuid7

from recollect.errors import StoreError
from recollect.model import (
    COMMONS,
    Action,
    Actor,
    Add,
    Change,
    Exchange,
    Ignore,
    Injection,
    Memory,
    Reason,
    Reinforce,
    Replace,
    RequestRecord,
    Retire,
    Role,
    Update,
)
from recollect.normalization import content_hash, storable_text
from recollect.testing.searching import Index, Said

_REINFORCED_BY = 0.05


@dataclass
class Logged:
    """An exchange of the log, and what became of it."""

    exchange: Exchange
    not_before: datetime
    alternates: dict[UUID, str] = field(default_factory=dict)
    state: str = "pending"
    attempts: int = 0
    error: str | None = None
    fallback: str | None = None

    def append_reply(self, exchange: Exchange) -> bool:
        """Keep another reply; return whether it became the turn's, as the first with text does."""
        if not exchange.reply.strip():
            return False
        reply = storable_text(exchange.reply)
        if not self.exchange.reply:
            self.exchange = replace(self.exchange, reply=reply, reply_id=exchange.reply_id)
            return True
        if exchange.reply_id != self.exchange.reply_id:
            self.alternates[exchange.reply_id] = reply
        return False


@dataclass
class Belongings:
    """Everything a user has; ``ids`` are those of retired memories, too."""

    user_id: str
    memories: dict[UUID, Memory] = field(default_factory=dict)
    ids: set[UUID] = field(default_factory=set)
    updates: list[Update] = field(default_factory=list)
    log: list[Logged] = field(default_factory=list)
    index: Index = field(default_factory=Index)
    carried: dict[UUID, int] = field(default_factory=dict)
    injections: dict[str, dict[str, Injection]] = field(default_factory=dict)
    detached: set[tuple[str, str]] = field(default_factory=set)
    requests: dict[UUID, RequestRecord] = field(default_factory=dict)

    @property
    def has_index(self) -> bool:
        """Whether anything was ever indexed."""
        return bool(self.ids or self.index.indexed)

    @property
    def said(self) -> list[Said]:
        """The messages of the log, alternates left out, each with its place in its session."""
        said: list[Said] = []
        turns: dict[str, int] = {}
        for logged in self.log:
            exchange = logged.exchange
            place = turns.get(exchange.turn.scope.session_id, 0)
            turns[exchange.turn.scope.session_id] = place + 2
            said.append(Said(exchange.message_id, exchange, Role.USER, place))
            if exchange.reply:
                said.append(Said(exchange.reply_id, exchange, Role.ASSISTANT, place + 1))
        return said

    def with_content(self, content: str) -> UUID | None:
        """Return the memory with this content, if any."""
        hashed = content_hash(content)
        equal = (known.id for known in self.memories.values() if content_hash(known.content) == hashed)
        return next(equal, None)

    def pending(self, exchange: Exchange) -> Logged | None:
        """Return the exchange of the log, if it is still to be formed."""
        same = (each for each in self.log if each.exchange.id == exchange.id and each.state == "pending")
        return next(same, None)

    def audit(
        self,
        action: Action,
        actor: Actor,
        reason: Reason,
        at: datetime,
        memory_id: UUID,
        *,
        replaced_id: UUID | None = None,
        before: str | None = None,
        after: str | None = None,
    ) -> None:
        """Write one audit row."""
        self.updates.append(Update(uuid7(), at, action, actor, reason, memory_id, replaced_id, before, after))

    def apply(self, change: Change, actor: Actor, at: datetime) -> Change:
        """Apply a change, and return what was really done."""
        match change:
            case Add():
                return self._add(change.memory, change.reason, actor, at)
            case Replace():
                return self._replace(change, actor, at)
            case Reinforce() | Retire():
                return self._reinforce_or_retire(change, actor, at)
            case Ignore(target=target, messages=messages):
                if target in self.memories:
                    self._rest_on(target, messages)
                return change

    def _add(self, memory: Memory, reason: Reason, actor: Actor, at: datetime) -> Change:
        equal = self.with_content(memory.content)
        if equal is not None:
            self._rest_on(equal, memory.provenance.message_ids)
            return Ignore(Reason.EQUAL_CONTENT, target=equal)
        kept = self._keep(memory)
        self.audit(Action.ADD, actor, reason, at, memory.id, after=kept.content)
        return Add(memory, reason)

    def _replace(self, change: Replace, actor: Actor, at: datetime) -> Change:
        old = self.memories.get(change.old)
        if old is None:
            return self._add(change.memory, change.reason, actor, at)
        equal = self.with_content(change.memory.content)
        if equal is not None and equal != change.old:
            self._rest_on(equal, change.memory.provenance.message_ids)
            self._inherit(equal, old)
            self.index.note_change(old.provenance.message_ids, self.said, at)
            return self._reinforce_or_retire(Retire(change.old, change.reason), actor, at)
        del self.memories[change.old]
        self.index.note_change(old.provenance.message_ids, self.said, at)
        new = self._keep(change.memory)
        self._inherit(new.id, old)
        self.audit(
            Action.REPLACE,
            actor,
            change.reason,
            at,
            new.id,
            replaced_id=old.id,
            before=old.content,
            after=new.content,
        )
        return change

    def _reinforce_or_retire(self, change: Reinforce | Retire, actor: Actor, at: datetime) -> Change:
        memory = self.memories.get(change.target)
        if memory is None:
            return Ignore(Reason.DELETED, target=change.target)
        if isinstance(change, Retire):
            del self.memories[memory.id]
            if change.reason is Reason.DELETED:
                self.index.hide(memory.provenance.message_ids, self.said)
                self._hide_answers({memory.id, *self.index.hidden})
                self.forget_injections({memory.id, *self.index.hidden})
            self.audit(Action.RETIRE, actor, change.reason, at, memory.id, before=memory.content)
            return change
        self._rest_on(memory.id, change.messages)
        memory = self.memories[memory.id]
        more = _REINFORCED_BY if memory.owner == self.user_id else 0.0
        self.memories[memory.id] = replace(
            memory,
            importance=min(1.0, memory.importance + more),
            reinforcement_count=memory.reinforcement_count + 1,
        )
        self.audit(
            Action.REINFORCE,
            actor,
            change.reason,
            at,
            memory.id,
            before=memory.content,
            after=memory.content,
        )
        return change

    def forget_injections(self, items: set[UUID]) -> None:
        """Forget what was added to prompts and speaks of one of these."""
        for session_id, known in self.injections.items():
            kept = {anchor: each for anchor, each in known.items() if not items & set(each.items)}
            self.detached -= {(session_id, anchor) for anchor in known.keys() - kept.keys()}
            self.injections[session_id] = kept

    def are_there(self, items: Iterable[UUID]) -> bool:
        """Return whether each is a memory the user sees, or a message of theirs that may be recalled."""
        recallable = {each.id for each in self.said} - self.index.hidden
        return set(items) <= recallable | self.memories.keys()

    def _hide_answers(self, items: set[UUID]) -> None:
        """Find no more what was answered in turns that were given one of these."""
        given = {
            (session_id, anchor)
            for session_id, known in self.injections.items()
            for anchor, each in known.items()
            if items & set(each.items)
        }
        exchanges = [logged.exchange for logged in self.log]
        answered = (each for each in exchanges if (each.turn.scope.session_id, each.turn.anchor) in given)
        self.index.hidden |= {each.reply_id for each in answered if each.reply}

    def _inherit(self, memory_id: UUID, old: Memory) -> None:
        """Let a memory rest on what the one it replaces did too."""
        if old.owner == self.user_id:
            self._rest_on(memory_id, old.provenance.message_ids)

    def _rest_on(self, memory_id: UUID, message_ids: tuple[UUID, ...]) -> None:
        memory = self.memories[memory_id]
        if memory.owner == self.user_id:
            further = tuple(each for each in message_ids if each not in memory.provenance.message_ids)
            resting = replace(memory.provenance, message_ids=memory.provenance.message_ids + further)
            self.memories[memory_id] = replace(memory, provenance=resting)

    def _keep(self, memory: Memory) -> Memory:
        if memory.owner not in {self.user_id, COMMONS}:
            raise StoreError("A memory of another user can't be given to this one.")
        if memory.id in self.ids and memory.owner == self.user_id:
            raise StoreError("There is a memory with this id already.")
        kept = replace(memory, content=storable_text(memory.content))
        self.memories[memory.id] = kept
        self.ids.add(memory.id)
        return kept
