"""Memories of an exchange are awaited until they are formed, or the time is up."""

import pytest
from tests.support.tables import table
from uuid_utils.compat import uuid7

from recollect.engine.background import awaiting
from recollect.engine.background.awaiting import await_outcome
from recollect.model import Outcome, Progress


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(awaiting, "_FIRST_SECONDS", 0.01)
    monkeypatch.setattr(awaiting, "_UNLOGGED_SECONDS", 0.02)


@table(
    ("states", "seconds", "looks"),
    [
        ([Progress.FORMED], 1, 1),
        ([Progress.PENDING, Progress.PENDING, Progress.FORMED], 1, 3),
        ([Progress.PENDING, Progress.FAILED], 1, 2),
        ([None, Progress.PENDING, Progress.FORMED], 1, 3),
        ([None, None, None, None, None], 1, 3),
        ([Progress.PENDING, Progress.PENDING], 0, 1),
    ],
)
async def test_it_ends_with_the_outcome_or_with_the_time(
    states: list[Progress | None], seconds: float, looks: int
) -> None:
    outcomes = [None if each is None else Outcome(each, (uuid7(), uuid7()), ()) for each in states]
    seen: list[Outcome | None] = []

    async def look() -> Outcome | None:
        seen.append(outcomes[len(seen)])
        return seen[-1]

    assert await await_outcome(look, seconds) is outcomes[looks - 1]
    assert len(seen) == looks
