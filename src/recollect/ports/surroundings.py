"""What the engine needs of the world around it. Never: an implementation."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time, timezone-aware."""

    def __call__(self) -> datetime:
        """Return now."""
        ...


class Cache(Protocol):
    """Something that remembers, and must forget when a person is erased."""

    @property
    def entries(self) -> int:
        """How much it remembers."""
        ...

    def clear(self) -> None:
        """Forget everything."""
        ...
