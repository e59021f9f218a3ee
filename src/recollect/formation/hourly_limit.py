"""Limits how many memories a user gets within an hour, from chats and from agents together."""

from datetime import datetime, timedelta

from recollect.backends import Backends
from recollect.formation.verification import FormationRules

_HOUR = timedelta(hours=1)


async def allowance_of(
    user_id: str, rules: FormationRules, backends: Backends, *, at: datetime
) -> int | None:
    """Return how many more memories the user may be given now; None: any number."""
    if not rules.hourly:
        return None
    return max(0, rules.hourly - await backends.memories.added_since(user_id, at - _HOUR))
