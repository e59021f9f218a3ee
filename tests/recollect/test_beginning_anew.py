"""A chat without an id is known by its first words; later ones that begin with the same are others."""

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.recollect.engines import PATIENT, engine_over
from tests.recollections import NOON, turn

from recollect.engine import Engine, Wishes
from recollect.model import Scope, Turn
from recollect.recalling import UNNAMED
from recollect.testing import InMemoryStore

WHICH = "What tea do I drink"


async def begun(subject: Engine, said: Turn) -> str:
    prepared = await subject.prepare(said, Wishes())
    await subject.inject(said, prepared.placed)
    return prepared.placed.system


@pytest.mark.parametrize(("session", "is_known_again"), [(f"{UNNAMED}0", False), ("chat-1", True)])
async def test_only_a_named_chat_is_known_again_after_hours(session: str, is_known_again: bool) -> None:  # noqa: FBT001 -- a case
    subject = engine_over(InMemoryStore(), policy=PATIENT)
    await subject.add("anna", "I drink green tea")
    first = turn(WHICH, scope=Scope("anna", session), anchors=((0, "a:1"),), at=NOON)
    told = await begun(subject, first)
    await subject.add("anna", "What tea I drink is oolong")

    soon = await begun(subject, replace(first, at=NOON + timedelta(minutes=5)))
    later = await begun(subject, replace(first, at=NOON + timedelta(hours=5)))
    again = await begun(subject, replace(first, at=NOON + timedelta(hours=5, minutes=1)))

    assert "green tea" in told
    assert soon == told
    assert (later == told) is is_known_again
    assert ("oolong" in later) is not is_known_again
    if is_known_again:
        assert again == told
