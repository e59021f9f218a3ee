"""What the engine needs of what counts over all users. Never: an implementation."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from recollect.model import Activity, StoreSize


class Statistics(Protocol):
    """Counts over all users, and names none. Every method raises StoreError when the store fails."""

    async def size(self) -> StoreSize:
        """Return how much is stored; it takes a scan."""
        ...

    async def activity(self, since: datetime, midnights: Sequence[datetime]) -> Activity:
        """Return what was asked, recalled and formed since then; it takes a scan.

        Args:
            since: When it begins.
            midnights: The beginnings of the days to count, the first at ``since`` or before.
        """
        ...
