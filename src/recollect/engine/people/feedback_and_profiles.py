"""Takes feedback on memories (approved, not helpful here, told twice), and keeps a person's profile, field by field. Its methods raise.

A profile has statements written by hand, or proposed from memories and confirmed. It exists only with the person's consent:
when they take that back, ``change_flags`` deletes it.
"""

import asyncio
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from uuid_utils.compat import uuid7

from recollect.engine.people.browsing import Browsing
from recollect.errors import (
    AlwaysNeededError,
    DuplicateMemoryError,
    MemoryNotFoundError,
    ProfileEntryNotFoundError,
    ProfileNotAllowedError,
    QuestionNotKeptError,
)
from recollect.model import (
    NOT_SAID,
    STATEMENTS,
    WAITING,
    Actor,
    Change,
    Changer,
    EntryState,
    Flags,
    Ignore,
    Memory,
    NotHelpful,
    OwnProfile,
    ProfileEntry,
    ProfileField,
    Reason,
    Reinforce,
    RequestRecord,
    Retire,
    Scope,
)
from recollect.model.local_time import wall
from recollect.recall import may_be_unhelpful, shared_names, told_twice
from recollect.recall.needed_statements import current_by_worth
from recollect.recall.profile_fields import likely_fields
from recollect.text.comparison import same_letter
from recollect.text.secrets import mask

_LISTED = 50
_ASKED_AGAIN = timedelta(days=180)
"""Two statements that their person called different are asked about again after so long."""


class Feedback(Browsing):
    """Lets people say which held back memories are right, which recalled ones did not help, and which two say the same."""

    async def approve(self, user_id: str, memory_id: UUID, *, actor: Actor = Actor.ADMIN) -> Memory:
        """Approve a quarantined memory: it becomes the user's.

        Raises:
            MemoryNotFoundError: Nothing with this id is held back.
            DuplicateMemoryError: The user has it already.
        """
        await self.parts(user_id, writes=True)
        held = await self._store.memories.held(user_id, memory_id)
        is_end = held.reason is Reason.ENDED
        [memory] = [held.memory] if is_end else await self._embedded_if_possible([held.memory])
        done, *_ = await self._store.memories.release(
            user_id, memory_id, memory, actor=actor, at=self._clock()
        )
        if is_end:  # approved was that it ended: nothing is added
            return memory
        if isinstance(done, Ignore):
            raise DuplicateMemoryError
        await self._embed_later(user_id, memory)
        return memory

    async def refuse(self, user_id: str, memory_id: UUID, *, actor: Actor = Actor.ADMIN) -> None:
        """Refuse a quarantined memory; it does not come again. Raises MemoryNotFoundError."""
        await self._store.memories.release(user_id, memory_id, None, actor=actor, at=self._clock())

    async def decide_held(
        self,
        user_id: str,
        *,
        approved: bool,
        session_id: str | None = None,
        until: datetime | None = None,
        actor: Actor = Actor.ADMIN,
    ) -> int:
        """Approve or refuse, oldest first, all memories that wait for approval and are not suspicious; return how many.

        ``session_id``: only those of this chat. ``until``: only those that waited already then. Suspicious memories are decided one by one.
        """
        held = await self._store.memories.quarantined(user_id, session_id=session_id)
        count = 0
        for each in reversed(held):
            if each.reason in WAITING and (until is None or each.at <= until):
                # Decided meanwhile, or said elsewhere, too.
                with suppress(MemoryNotFoundError, DuplicateMemoryError):
                    await (self.approve if approved else self.refuse)(user_id, each.memory.id, actor=actor)
                count += 1
        return count

    async def call_not_helpful(self, request: RequestRecord, memory_id: UUID) -> None:
        """Note that a memory in a request's prompt did not help, so that similar questions do not get it.

        The question is embedded in the background.

        Raises:
            MemoryNotFoundError: The request was not given it, or the user has no such statement any more.
            AlwaysNeededError: It shapes every answer, or concerns health.
            QuestionNotKeptError: The log does not have the question.
        """
        user_id = request.scope.user_id
        memory = await self.get(user_id, memory_id, past=True)
        # None: only messages have parts.
        if (memory_id, None) not in request.given or memory.kind not in STATEMENTS:
            raise MemoryNotFoundError
        if not may_be_unhelpful(memory):
            raise AlwaysNeededError
        if not await self._store.feedback.note_not_helpful(user_id, request.id, memory_id, at=self._clock()):
            raise QuestionNotKeptError
        await self._store.index.enqueue(user_id)

    async def take_back_not_helpful(self, user_id: str, request_id: UUID, memory_id: UUID) -> None:
        """Undo ``call_not_helpful``: similar questions may get the memory again. Raises MemoryNotFoundError."""
        if not await self._store.feedback.remove(user_id, request_id, memory_id):
            raise MemoryNotFoundError

    async def not_helpful_for(self, user_id: str, memory_id: UUID) -> list[NotHelpful]:
        """Return for which questions the user called a memory not helpful, newest first, 50 at most."""
        found = await self._store.feedback.of_memory(user_id, memory_id, limit=_LISTED)
        if self.policy.under(await self._store.flags.flags(user_id)).tells_queries:
            return found
        return [replace(each, question=None) for each in found]

    async def told_twice(self, user_id: str, *, limit: int) -> list[tuple[Memory, Memory]]:
        """Return pairs of the user's statements that may say the same, without pairs of which both were confirmed in the last half year."""
        snapshot = await self._store.snapshots.get(user_id)
        pairs = await asyncio.to_thread(told_twice, snapshot.memories, self._backends.embedder.name)
        named = {each.id for pair in pairs for each in pair}
        since = self._clock() - _ASKED_AGAIN
        confirmed = await self._store.browsing.confirmed(user_id, named, since) if named else set()
        return [(one, other) for one, other in pairs if not {one.id, other.id} <= confirmed][:limit]

    async def shared_names(self, user_id: str, memory_id: UUID) -> list[str]:
        """Return the names in a statement that other statements of the user have, too."""
        memories = (await self._store.snapshots.get(user_id)).memories
        rows = [row for row, each in enumerate(memories.judged_items) if each.id == memory_id]
        return await asyncio.to_thread(shared_names, memories, rows[0]) if rows else []

    async def merge(self, user_id: str, kept: UUID, other: UUID, *, actor: Actor) -> None:
        """Keep one of two statements that say the same: the other one goes, which can be undone.

        Raises MemoryNotFoundError.
        """
        stays, goes = await self.get(user_id, kept), await self.get(user_id, other)
        own = all(each.owner == user_id and each.kind in STATEMENTS for each in (stays, goes))
        if not own or kept == other:
            raise MemoryNotFoundError
        changes: list[Change] = [Retire(other, Reason.REPEATS, stays), Reinforce(kept, Reason.REPEATS)]
        await self._store.memories.apply(Scope(user_id, ""), changes, actor=actor, at=self._clock())


class Profiles(Feedback):
    """Keeps people's profiles: adds, changes, confirms, removes and proposes entries."""

    async def add_to_profile(self, user_id: str, field: ProfileField, content: str) -> ProfileEntry:
        """Write a statement into the profile, secrets masked.

        Raises:
            ProfileNotAllowedError: The user does not allow a profile.
            ProfileFullError: It holds as much as it may.
            DuplicateEntryError: It says that already.
        """
        now = self._clock()
        said = mask(content).text
        entry = ProfileEntry(uuid7(), field, said, EntryState.CONFIRMED, now, now, own_words=True)
        await self._store.profiles.add(user_id, entry)
        await self._store.index.enqueue(user_id)  # a job embeds it
        return entry

    async def change_in_profile(
        self,
        user_id: str,
        entry_id: UUID,
        *,
        field: ProfileField | None = None,
        content: str | None = None,
    ) -> ProfileEntry:
        """Change a statement of the profile or its field, and so confirm it; None changes nothing.

        Raises:
            ProfileEntryNotFoundError: The profile has no such statement.
            ProfileNotAllowedError, ProfileFullError, DuplicateEntryError: As ``add_to_profile``.
        """
        old = await self._entry(user_id, entry_id)
        said = old.content if content is None else mask(content).text
        # A statement confirmed against its changed memory becomes the person's own.
        changed = replace(
            old,
            field=field or old.field,
            content=said,
            state=EntryState.CONFIRMED,
            changed_at=self._clock(),
            own_words=old.own_words or old.outdated or said != old.content,
            outdated=False,
        )
        await self._store.profiles.change(user_id, changed)
        await self._store.index.enqueue(user_id)
        return changed

    async def confirm_in_profile(self, user_id: str, entry_id: UUID) -> ProfileEntry:
        """Confirm a statement that is proposed, or is outdated and true all the same. Errors as ``change_in_profile``."""
        return await self.change_in_profile(user_id, entry_id)

    async def remove_from_profile(self, user_id: str, entry_id: UUID) -> None:
        """Take a statement out of the profile, or refuse one that is proposed; it is not proposed again.

        Raises ProfileEntryNotFoundError.
        """
        if not await self._store.profiles.remove(user_id, entry_id, at=self._clock()):
            raise ProfileEntryNotFoundError

    async def propose_profile(self, user_id: str) -> OwnProfile:
        """Propose the most important memories for the profile, and return it with the proposals.

        A proposal has no effect before it is confirmed. Memories that were proposed before, or refused, are not proposed
        again.

        Raises:
            ProfileNotAllowedError: The user does not allow a profile.
            EmbedderError: The fields of memories can't be guessed now.
        """
        known = await self.profile(user_id)
        if not known.consents:
            raise ProfileNotAllowedError
        now, zone = self._clock(), (await self.policy_of(user_id)).zone
        found = (await self._store.snapshots.get(user_id)).memories.important
        entered = {each.memory_id for each in known.entries}
        new = [
            each
            for each in current_by_worth(found, wall(now, zone))
            if each.owner == user_id and each.id not in entered and each.doubt is None
        ]
        new = [each for each in new if not _says(known.entries, each.content)]
        fields = await likely_fields([each.content for each in new], self._backends.embedder)
        proposals = {
            uuid7(): (each.id, field) for each, field in zip(new, fields, strict=True) if field is not None
        }
        await self._store.profiles.propose(user_id, proposals, at=now)
        return await self.profile(user_id)

    async def change_flags(
        self, flags: Flags, named: Collection[str], user_id: str | None = None, *, by: Changer = NOT_SAID
    ) -> Flags:
        """Change some of it, as ``MemoryEdits.change_flags``; without consent the user's profile is deleted.

        Raises:
            ValueError: Consent to a profile is changed for everybody.
        """
        if user_id is None and "profile" in named:
            raise ValueError("A profile is for each user to allow.")
        changed = await super().change_flags(flags, named, user_id, by=by)
        if "profile" in named and not changed.profile:
            self._clear_caches()
        return changed

    def _clear_caches(self) -> None:
        """Drop the caches of this process that are made from texts, above all embeddings."""
        for cache in self._backends.caches:
            cache.clear()

    async def _entry(self, user_id: str, entry_id: UUID) -> ProfileEntry:
        known = await self.profile(user_id)
        if not known.consents:
            raise ProfileNotAllowedError
        entry = next((each for each in known.entries if each.id == entry_id), None)
        if entry is None:
            raise ProfileEntryNotFoundError
        return entry


def _says(entries: Sequence[ProfileEntry], content: str) -> bool:
    """Return whether one of these says it already, apart from differences without meaning."""
    return any(same_letter(content, each.content) for each in entries)
