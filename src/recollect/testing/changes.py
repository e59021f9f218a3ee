"""How changes are applied to what one user has in memory. Never: another user."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import assert_never
from uuid import UUID

from recollect.audit import (
    addition_details,
    edit_details,
    mark_details,
    messages_of,
    reinforced,
    reinforcement_details,
    removal_details,
    resting_on,
)
from recollect.errors import DuplicateMemoryError
from recollect.model import (
    COMMONS,
    Action,
    Actor,
    Add,
    Caps,
    Change,
    Hide,
    Ignore,
    Kind,
    Mark,
    Memory,
    Quarantine,
    Reason,
    Reinforce,
    Replace,
    Retire,
    Source,
)
from recollect.testing.belongings import Author, Logged, Possessions
from recollect.testing.hiding import hide_messages
from recollect.testing.quarantine import held_back, hold_back

__all__ = ["Author", "Belongings", "Logged"]

_FORGETTING = {Reason.DELETED, Reason.FORGOTTEN}
_STOOD_BEHIND = {Reason.ASKED, Reason.CORRECTED, Reason.APPROVED, Reason.EDITED, Reason.WRITTEN}
_PRUNED_AT_ONCE = 100


class Belongings(Possessions):
    """Everything a user has, and how it changes."""

    def apply(
        self,
        change: Change,
        actor: Actor,
        at: datetime,
        session_id: str | None = None,
        exchange_id: UUID | None = None,
    ) -> Change:
        """Apply a change, and return what was really done."""
        return self.change(change, Author(actor, at, session_id, exchange_id))

    def change(self, change: Change, by: Author) -> Change:  # noqa: PLR0911 -- one for each change
        """Apply a change of an author's, and return what was really done."""
        match change:
            case Add():
                return self._add(by, change.memory, change.reason)
            case Replace():
                return self._replace(by, change)
            case Reinforce():
                return self._reinforce(by, change)
            case Retire():
                return self._retire(by, change)
            case Mark():
                return self._mark(by, change)
            case Quarantine():
                return hold_back(self, by, change)
            case Hide():
                hide_messages(self, by, change.reason, change.messages)
                return change
            case Ignore():
                if change.target is not None:
                    self.rest_on(change.target, change.messages)
                return change
            case _:
                assert_never(change)

    def prune(self, session_ids: Sequence[str], caps: Caps, at: datetime) -> list[Change]:
        """Retire what is over the caps, the least worth keeping first and 100 at most, and return it in order."""
        capped: list[tuple[str | None, int]] = [(each, caps.session) for each in dict.fromkeys(session_ids)]
        done: list[Change] = []
        for session_id, cap in [*capped, (None, caps.user)]:
            over = self._worth_keeping(session_id)[cap:] if cap else []
            by = Author(Actor.PRUNE, at, session_id)
            least = over[::-1][: _PRUNED_AT_ONCE - len(done)]
            done += [self.change(Retire(each.id, Reason.CAP), by) for each in least]
        return done

    def edit(self, by: Author, old: Memory, new: Memory) -> Memory:
        """Write ``new`` over the user's own memory of the same id; an embedding only with a content that changed."""
        if self.with_content(new.content) not in {None, old.id}:
            raise DuplicateMemoryError
        if new.content != old.content:
            model = None if new.embedding is None else new.embedding_model
            source = Source.MANUAL if old.source is Source.QA_TURN else old.source
            new = replace(new, embedding_model=model, source=source, standing=None)
            self.note_change(old, by.at)
            self.forget_injections({old.id})
        else:
            new = replace(new, embedding=old.embedding, embedding_model=old.embedding_model)
        self.memories[old.id] = new
        self.audit(
            by,
            Action.EDIT,
            Reason.EDITED,
            old.id,
            before=old.content,
            after=new.content,
            details=edit_details(old, new),
        )
        return new

    def _worth_keeping(self, session_id: str | None) -> list[Memory]:
        """Return what a cap counts, of a session or of all, the most worth keeping first."""
        stood_behind = {
            row.memory_id
            for row in self.updates
            if row.reason in _STOOD_BEHIND or (row.action, row.reason) == (Action.RESTORE, Reason.UNDONE)
        }
        counted = (
            each
            for each in self.memories.values()
            if each.owner == self.user_id
            and each.id not in stood_behind
            and each.kind is not Kind.SUMMARY
            and each.source not in {Source.MANUAL, Source.GLOBAL, Source.IMPORT}
            and session_id in {None, each.provenance.session_id}
        )
        return sorted(
            counted,
            key=lambda each: (each.importance, each.recall_count, each.observed_at, each.id),
            reverse=True,
        )

    def _add(self, by: Author, memory: Memory, reason: Reason) -> Change:
        equal = self.with_content(memory.content)
        if equal is not None:
            self.rest_on(equal, memory.provenance.message_ids)
            return Ignore(Reason.EQUAL_CONTENT, target=equal)
        held = held_back(self, by, memory)
        if held is not None:
            return held
        kept = self.keep(memory)
        self.audit(by, Action.ADD, reason, memory.id, after=kept.content, details=addition_details(memory))
        return Add(memory, reason)

    def _replace(self, by: Author, change: Replace) -> Change:
        old = self.memories.get(change.old)
        if old is None:
            return self._add(by, change.memory, change.reason)
        equal = self.with_content(change.memory.content)
        if equal is not None and equal != change.old:
            return self._replace_by_known(by, change, old, self.memories[equal])
        held = held_back(self, by, change.memory)
        if held is not None:
            return held
        new = resting_on(change.memory, self._private_messages(old))
        self.unlink(old.id)
        self.note_change(old, by.at)
        kept = self.keep(new)
        self.audit(
            by,
            Action.REPLACE,
            change.reason,
            new.id,
            replaced_id=old.id,
            before=old.content,
            after=kept.content,
            details={**removal_details(old), **addition_details(new)},
        )
        return change

    def _replace_by_known(self, by: Author, change: Replace, old: Memory, heir: Memory) -> Change:
        inherited = (*change.memory.provenance.message_ids, *self._private_messages(old))
        known = heir.provenance.message_ids
        self.rest_on(heir.id, inherited)
        self.note_change(old, by.at)
        further = [str(each) for each in dict.fromkeys(inherited) if each not in known]
        self.retire(by, old, change.reason, details={"heir": str(heir.id), "messages": further})
        return Retire(old.id, change.reason)

    def _private_messages(self, memory: Memory) -> tuple[UUID, ...]:
        return memory.provenance.message_ids if memory.owner == self.user_id else ()

    def _reinforce(self, by: Author, change: Reinforce) -> Change:
        memory = self.memories.get(change.target)
        if memory is None:
            return Ignore(Reason.DELETED, target=change.target)
        after = reinforced(memory, change.messages)
        self._write(by, Action.REINFORCE, change.reason, after, reinforcement_details(memory, after))
        return change

    def _mark(self, by: Author, change: Mark) -> Change:
        memory = self.memories.get(change.target)
        if memory is None:
            return Ignore(Reason.DELETED, target=change.target)
        if memory.standing == change.standing:
            return Ignore(change.reason, target=change.target)
        after = replace(memory, standing=change.standing)
        self._write(by, Action.MARK, change.reason, after, mark_details(memory, after, change.cause))
        return change

    def _write(
        self, by: Author, action: Action, reason: Reason, after: Memory, details: dict[str, object]
    ) -> None:
        self.memories[after.id] = after
        self.audit(by, action, reason, after.id, before=after.content, after=after.content, details=details)

    def _retire(self, by: Author, change: Retire) -> Change:
        memory = self.memories.get(change.target)
        if memory is None:
            return Ignore(Reason.DELETED, target=change.target)
        self.retire(by, memory, change.reason)
        if memory.kind is Kind.SUMMARY and change.reason is Reason.DELETED:
            self.forget_injections({memory.id})  # who deletes a summary does not forget the chat
        elif change.reason in _FORGETTING:
            messages = memory.provenance.message_ids
            if memory.owner == COMMONS:  # the user may have shared it, and its words are still theirs
                shared = (
                    each for each in self.updates if (each.memory_id, each.reason) == (memory.id, "shared")
                )
                messages = tuple(known for each in shared for known in messages_of(each.details))
            hide_messages(self, by, change.reason, messages, [memory.id])
        return change
