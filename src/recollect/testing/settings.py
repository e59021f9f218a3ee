"""What was changed while the engine runs, and what models took, in memory. Never: what a flag means."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from recollect.model import Flags, Usage
from recollect.normalization import storable_user


@dataclass
class Kept:
    """Implements FlagStore and UsageLog.

    Attributes:
        has_chats: Whether a user has any; nothing is counted of who has none.
    """

    has_chats: Callable[[str], bool] = lambda _: True
    of_users: dict[str | None, Flags] = field(default_factory=dict)
    tokens: Counter[tuple[str, date]] = field(default_factory=Counter)

    async def flags(self, user_id: str | None) -> Flags:
        """Return what was changed for everybody; with a user, for them over that."""
        everybody = self.of_users.get(None, Flags())
        return everybody if user_id is None else (await self.own_flags(user_id)).over(everybody)

    async def own_flags(self, user_id: str) -> Flags:
        """Return what was changed for this user alone."""
        return self.of_users.get(storable_user(user_id), Flags())

    async def set_flags(self, user_id: str | None, flags: Flags, *, at: datetime) -> None:  # noqa: ARG002 -- the port's
        """Keep what is changed for a user, or for everybody, in place of what was."""
        self.of_users[None if user_id is None else storable_user(user_id)] = flags

    async def change_flags(
        self, user_id: str | None, flags: Flags, named: Collection[str], *, at: datetime
    ) -> Flags:
        """Change those that are named, and leave the others; None takes one back."""
        now = self.of_users.get(None if user_id is None else storable_user(user_id), Flags())
        changed = replace(now, **{name: getattr(flags, name) for name in named})
        await self.set_flags(user_id, changed, at=at)
        return changed

    async def used(self, user_id: str, day: date) -> Usage:
        """Return what was taken on a day."""
        return Usage(self.tokens[storable_user(user_id), day], await self.used_by_all(day))

    async def used_by_all(self, day: date) -> int:
        """Return what was taken on a day for all users."""
        return sum(tokens for (_, on), tokens in self.tokens.items() if on == day)

    async def use(self, user_id: str, day: date, tokens: int) -> None:
        """Count tokens taken for a user on a day."""
        if self.has_chats(storable_user(user_id)):
            self.tokens[user_id, day] += tokens

    def prune(self, before: date) -> None:
        """Forget what was taken before a day."""
        for known in [each for each in self.tokens if each[1] < before]:
            del self.tokens[known]

    def erase(self, user_id: str) -> None:
        """Forget a user."""
        self.of_users.pop(user_id, None)
        for known in [each for each in self.tokens if each[0] == user_id]:
            del self.tokens[known]
