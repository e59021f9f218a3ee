"""An inbox that tells what was decided of each exchange, and what was really done. Never: what is right."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recollect.model import Change, Formed


@dataclass(frozen=True, slots=True)
class Completed:
    """What became of an exchange.

    Attributes:
        formed: What was decided.
        applied: What was done for each change, in their order; what the caps retired behind it.
    """

    formed: Formed
    applied: tuple[Change, ...]

    @property
    def done(self) -> list[tuple[Change, Change]]:
        """Each change that was decided, with what was done for it."""
        return list(zip(self.formed.changes, self.applied, strict=False))


class RecordingInbox:
    """An inbox that does everything by another one, and notes what is completed.

    Attributes:
        completed: What became of exchanges, by the key of their turn, since ``forget``.
    """

    def __init__(self, inbox: Any) -> None:
        self._inbox = inbox
        self.completed: dict[str, Completed] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inbox, name)

    @property
    def as_inbox(self) -> Any:
        """The same, for callers that are typed by the store's inbox."""
        return self

    def forget(self) -> None:
        """Forget what became of earlier exchanges."""
        self.completed.clear()

    async def complete(self, formed: Sequence[Formed], **options: Any) -> list[list[Change]] | None:
        """Apply changes, and note them."""
        applied: list[list[Change]] | None = await self._inbox.complete(formed, **options)
        if applied is not None:
            for each, changes in zip(formed, applied, strict=True):
                self.completed[each.exchange.turn.key] = Completed(each, tuple(changes))
        return applied
