"""What one user has in memory, and how it is linked, written over and audited. Never: another user."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from uuid_utils.compat import uuid7

from recollect.audit import removal_details, resting_on
from recollect.errors import StoreError
from recollect.model import (
    COMMONS,
    Action,
    Actor,
    Exchange,
    Injection,
    Kind,
    Memory,
    Outline,
    Quarantined,
    Reason,
    RequestRecord,
    Role,
    Source,
    Update,
)
from recollect.normalization import content_hash, storable_text
from recollect.testing.searching import Index, Said


@dataclass
class Logged:
    """An exchange of the log, and what became of it: pending, formed, failed or abandoned."""

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


@dataclass(frozen=True, slots=True)
class Author:
    """Who changes memories and when; and from which chat and exchange, where it is from one."""

    actor: Actor
    at: datetime
    session_id: str | None = None
    exchange_id: UUID | None = None


@dataclass
class Possessions:
    """Everything a user has.

    Attributes:
        memories: Those they see.
        gone: Those they see no longer, as they were then.
        ids: Of all they ever had.
        quarantine: What is held back from them, by content hash; None: it was refused.
        summarized: Of each chat, up to which turn its summary goes.
    """

    user_id: str
    memories: dict[UUID, Memory] = field(default_factory=dict)
    gone: dict[UUID, Memory] = field(default_factory=dict)
    ids: set[UUID] = field(default_factory=set)
    quarantine: dict[bytes, Quarantined | None] = field(default_factory=dict)
    updates: list[Update] = field(default_factory=list)
    log: list[Logged] = field(default_factory=list)
    index: Index = field(default_factory=Index)
    carried: dict[UUID, int] = field(default_factory=dict)
    injections: dict[str, dict[str, Injection]] = field(default_factory=dict)
    detached: set[tuple[str, str]] = field(default_factory=set)
    summarized: dict[str, int] = field(default_factory=dict)
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

    @contextmanager
    def all_or_none(self) -> Iterator[None]:
        """Put everything back as it was when the body raises."""
        names = ("memories", "gone", "ids", "quarantine", "updates", "injections", "detached", "summarized")
        before = {name: copy(getattr(self, name)) for name in names}
        hidden, changed = set(self.index.hidden), dict(self.index.changed)
        states = [(each.state, each.error) for each in self.log]
        try:
            yield
        except BaseException:
            for name, was in before.items():
                setattr(self, name, was)
            self.index.hidden, self.index.changed = hidden, changed
            for logged, (state, error) in zip(self.log, states, strict=True):
                logged.state, logged.error = state, error
            raise

    def with_content(self, content: str) -> UUID | None:
        """Return the memory with this content, if any."""
        hashed = content_hash(content)
        equal = (known.id for known in self.memories.values() if content_hash(known.content) == hashed)
        return next(equal, None)

    def unlinked(self, memory_id: UUID | None) -> Memory | None:
        """Return the memory, if there is one that the user sees no longer."""
        is_gone = memory_id is not None and memory_id not in self.memories
        return self.gone.get(memory_id) if is_gone and memory_id is not None else None

    def pending(self, exchange: Exchange) -> Logged | None:
        """Return the exchange of the log, if it is still to be formed."""
        same = (each for each in self.log if each.exchange.id == exchange.id and each.state == "pending")
        return next(same, None)

    def are_there(self, items: Iterable[UUID]) -> bool:
        """Return whether each is a memory the user sees, or a message of theirs that may be recalled."""
        recallable = {each.id for each in self.said} - self.index.hidden
        return set(items) <= recallable | self.memories.keys()

    def audit(
        self,
        by: Author,
        action: Action,
        reason: Reason,
        memory_id: UUID,
        *,
        replaced_id: UUID | None = None,
        before: str | None = None,
        after: str | None = None,
        undoes: UUID | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> Update:
        """Write one audit row, and return it."""
        update = Update(
            id=uuid7(),
            at=by.at,
            action=action,
            actor=by.actor,
            reason=reason,
            memory_id=memory_id,
            replaced_id=replaced_id,
            before=before,
            after=after,
            session_id=by.session_id,
            exchange_id=by.exchange_id,
            undoes=undoes,
            details=json.loads(json.dumps(details or {})),
        )
        self.updates.append(update)
        return update

    def keep(self, memory: Memory) -> Memory:
        """Keep a memory that is new, or shared, and return it as it is kept."""
        if memory.owner not in {self.user_id, COMMONS}:
            raise StoreError("A memory of another user can't be given to this one.")
        if memory.source is Source.GLOBAL:
            raise StoreError("What serves everybody can't be given to one.")
        if memory.id in self.ids and memory.owner == self.user_id:
            raise StoreError("There is a memory with this id already.")
        kept = replace(
            memory, content=storable_text(memory.content), outline=_storable_outline(memory.outline)
        )
        self.memories[memory.id] = kept
        self.ids.add(memory.id)
        return kept

    def retire(
        self,
        by: Author,
        memory: Memory,
        reason: Reason,
        *,
        undoes: UUID | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> Update:
        """Unlink a memory, and write that down."""
        self.unlink(memory.id)
        noted = {**removal_details(memory), **(details or {})}
        return self.audit(
            by, Action.RETIRE, reason, memory.id, before=memory.content, undoes=undoes, details=noted
        )

    def unlink(self, memory_id: UUID) -> None:
        """Let the user see a memory no longer."""
        self.gone[memory_id] = self.memories.pop(memory_id)

    def rest_on(self, memory_id: UUID, messages: Iterable[UUID]) -> None:
        """Note in which further messages a memory of the user's own was said."""
        memory = self.memories.get(memory_id)
        if memory is not None and memory.owner == self.user_id:
            self.memories[memory_id] = resting_on(memory, tuple(messages))

    def note_change(self, memory: Memory, at: datetime) -> None:
        """Note that what a memory says is no longer so; nothing speaks against the words of a summary."""
        if memory.kind is not Kind.SUMMARY:
            self.index.note_change(memory.provenance.message_ids, self.said, at)

    def forget_injections(self, items: set[UUID]) -> None:
        """Forget what was added to prompts and speaks of one of these."""
        for session_id, known in self.injections.items():
            kept = {anchor: each for anchor, each in known.items() if not items & set(each.items)}
            self.detached -= {(session_id, anchor) for anchor in known.keys() - kept.keys()}
            self.injections[session_id] = kept


def _storable_outline(outline: Outline | None) -> Outline | None:
    if outline is None:
        return None
    parts = asdict(outline).items()
    return Outline(**{name: tuple(storable_text(each) for each in texts) for name, texts in parts})
