"""What was changed while the engine runs, and what models took, in memory. Never: what a flag means."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime

from recollect.model import Flags, Usage


@dataclass
class Kept:
    """Implements FlagStore and UsageLog."""

    of_users: dict[str | None, Flags] = field(default_factory=dict)
    tokens: Counter[tuple[str, date]] = field(default_factory=Counter)

    async def flags(self, user_id: str | None) -> Flags:
        """Return what was changed for everybody; with a user, for them over that."""
        everybody = self.of_users.get(None, Flags())
        return everybody if user_id is None else self.of_users.get(user_id, Flags()).over(everybody)

    async def own_flags(self, user_id: str) -> Flags:
        """Return what was changed for this user alone."""
        return self.of_users.get(user_id, Flags())

    async def set_flags(self, user_id: str | None, flags: Flags, *, at: datetime) -> None:  # noqa: ARG002 -- the port's
        """Keep what is changed for a user, or for everybody, in place of what was."""
        self.of_users[user_id] = flags

    async def used(self, user_id: str, day: date) -> Usage:
        """Return what was taken on a day."""
        everybody = sum(tokens for (_, on), tokens in self.tokens.items() if on == day)
        return Usage(self.tokens[user_id, day], everybody)

    async def use(self, user_id: str, day: date, tokens: int) -> None:
        """Count tokens taken for a user on a day."""
        self.tokens[user_id, day] += tokens

    def erase(self, user_id: str) -> None:
        """Forget a user."""
        self.of_users.pop(user_id, None)
        for known in [each for each in self.tokens if each[0] == user_id]:
            del self.tokens[known]
