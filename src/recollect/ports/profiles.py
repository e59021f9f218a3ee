"""What the engine needs of what keeps people's profiles. Never: an implementation."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol
from uuid import UUID

from recollect.model import OwnProfile, ProfileEntry, ProfileField


class ProfileStore(Protocol):
    """Keeps what people say of themselves, while they allow it. Every method raises StoreError when the store fails.

    Whether they do is a flag of their own (``Flags.profile``): whoever takes it back has ``FlagStore`` delete all of it.
    """

    async def profile(self, user_id: str) -> OwnProfile:
        """Return the user's profile, with embeddings."""
        ...

    async def add(self, user_id: str, entry: ProfileEntry) -> None:
        """Keep a new entry as confirmed.

        Raises:
            ProfileNotAllowedError: The user does not allow a profile.
            ProfileFullError: It has ``MOST_ENTRIES``.
            DuplicateEntryError: Another entry says the same.
        """
        ...

    async def change(self, user_id: str, entry: ProfileEntry) -> None:
        """Keep an entry as confirmed, in place of the one with its id; what prompts were given of it is deleted.

        Raises:
            ProfileEntryNotFoundError: There is none, or none any more.
            ProfileNotAllowedError, ProfileFullError, DuplicateEntryError: As ``add``.
        """
        ...

    async def propose(
        self, user_id: str, proposals: Mapping[UUID, tuple[UUID, ProfileField]], *, at: datetime
    ) -> int:
        """Propose what memories say, by the id of each entry; return how many are new.

        What was proposed or refused before, or an entry says already, is not proposed.

        Raises:
            ProfileNotAllowedError: The user does not allow a profile.
        """
        ...

    async def remove(self, user_id: str, entry_id: UUID, *, at: datetime) -> bool:
        """Delete an entry, and what prompts were given of it; return whether there was one.

        What a memory proposed is not proposed again.
        """
        ...
