"""The time of a replay: that of the conversation, running on. Never: the machine's own date."""

import time
from datetime import UTC, datetime, timedelta

_BEGINNING = datetime(2024, 1, 1, tzinfo=UTC)
"""Where a conversation begins whose turns bear no dates."""


class ReplayClock:
    """Tells the time of the conversation.

    It runs on between turns, so that delayed work becomes due, and never goes back within a
    conversation.
    """

    def __init__(self) -> None:
        self.restart()

    def __call__(self) -> datetime:
        """Return now."""
        return self._moment + timedelta(seconds=time.monotonic() - self._set)

    def restart(self) -> None:
        """Begin another conversation."""
        self._moment = _BEGINNING
        self._set = time.monotonic()
        self._dated = False

    def move_to(self, moment: datetime | None) -> None:
        """Go on to ``moment``, unless that is past or unknown."""
        if moment is not None and (moment > self() or not self._dated):
            self._moment, self._set, self._dated = moment, time.monotonic(), True
