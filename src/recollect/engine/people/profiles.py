"""A person's profile, field by field: statements written by hand, or proposed from memories and confirmed. Raises.

Only while they allow it; who takes that back has all of it deleted, by ``change_flags``. Never: a concrete backend, a prompt.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from uuid import UUID

import structlog
from uuid_utils.compat import uuid7

from recollect.engine.people.feedback import Feedback
from recollect.errors import EmbedderError, ProfileEntryNotFoundError, ProfileNotAllowedError
from recollect.model import (
    NOT_SAID,
    Changer,
    EntryState,
    Flags,
    OwnProfile,
    ProfileEntry,
    ProfileField,
)
from recollect.model.local_time import wall
from recollect.recall.needs import in_order
from recollect.recall.standing import likely_fields
from recollect.text.comparison.vetoes import same_letter
from recollect.text.secrets import mask

log = structlog.get_logger(__name__)


class Profiles(Feedback):
    """Lets people say who they are."""

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
        embedded = await self._embedded(entry)
        await self._backends.profiles.add(user_id, embedded)
        return embedded

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
        embedded = await self._embedded(changed)
        await self._backends.profiles.change(user_id, embedded)
        return embedded

    async def confirm_in_profile(self, user_id: str, entry_id: UUID) -> ProfileEntry:
        """Confirm a statement that is proposed, or is outdated and true all the same. Errors as ``change_in_profile``."""
        return await self.change_in_profile(user_id, entry_id)

    async def remove_from_profile(self, user_id: str, entry_id: UUID) -> None:
        """Take a statement out of the profile, or refuse one that is proposed; it is not proposed again.

        Raises ProfileEntryNotFoundError.
        """
        if not await self._backends.profiles.remove(user_id, entry_id, at=self._clock()):
            raise ProfileEntryNotFoundError

    async def propose_profile(self, user_id: str) -> OwnProfile:
        """Propose the most important memories for the profile, and return it with the proposals.

        Nothing counts of it before it is confirmed. Memories that were proposed before, or refused, are not proposed
        again.

        Raises:
            ProfileNotAllowedError: The user does not allow a profile.
            EmbedderError: The fields of memories can't be guessed now.
        """
        known = await self.profile(user_id)
        if not known.consents:
            raise ProfileNotAllowedError
        now, zone = self._clock(), (await self.policy_of(user_id)).zone
        found = (await self._backends.snapshots.get(user_id)).memories.important
        told = {each.memory_id for each in known.entries}
        new = [
            each
            for each in in_order(found, wall(now, zone))
            if each.owner == user_id and each.id not in told and each.doubt is None
        ]
        new = [each for each in new if not _says(known.entries, each.content)]
        fields = await likely_fields([each.content for each in new], self._backends.embedder)
        proposals = {
            uuid7(): (each.id, field) for each, field in zip(new, fields, strict=True) if field is not None
        }
        await self._backends.profiles.propose(user_id, proposals, at=now)
        return await self.profile(user_id)

    async def change_flags(
        self, flags: Flags, named: Collection[str], user_id: str | None = None, *, by: Changer = NOT_SAID
    ) -> Flags:
        """Change some of it, as ``Administration.change_flags``; without consent the user's profile is deleted.

        Raises:
            ValueError: Consent to a profile is changed for everybody.
        """
        if user_id is None and "profile" in named:
            raise ValueError("A profile is for each user to allow.")
        changed = await super().change_flags(flags, named, user_id, by=by)
        if "profile" in named and not changed.profile:
            self._clear_caches()
        return changed

    # ----------------------------------------------------------------------------------------------

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

    async def _embedded(self, entry: ProfileEntry) -> ProfileEntry:
        """Return an entry with the embedding of its content, or with none while the embedder is away."""
        try:
            [vector] = await self._backends.embedder.embed([entry.content])
        except EmbedderError as error:  # without it only its place among the others is a worse one
            log.warning(
                "profile_entry_saved_without_embedding", error=type(error).__name__, detail=str(error)
            )
            return replace(entry, embedding=None, embedding_model=None)
        return replace(entry, embedding=vector, embedding_model=self._backends.embedder.name)


def _says(entries: Sequence[ProfileEntry], content: str) -> bool:
    """Return whether one of these says it already, apart from differences without meaning."""
    return any(same_letter(content, each.content) for each in entries)
