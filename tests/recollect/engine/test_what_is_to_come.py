"""What a person tells of a later day changes nothing before it."""

from dataclasses import replace
from datetime import timedelta

from tests.recollect.engines import PATIENT, engine_over
from tests.scripted.models import ScriptedExtractor
from tests.support.stores import NOON, Store

from recollect.model import Candidate, Kind, Relation, Strategy

JANUARY = NOON + timedelta(days=40)
SAID = "From January I will live in Porto"
HOME = "I live in Kiel"
KIEL = Candidate("Lives in Kiel", Kind.FACT, 0.7, HOME)
PORTO = Candidate(
    "Lives in Porto", Kind.FACT, 0.7, SAID, relation=Relation.CONTRADICTS, about=(0,), holds_from=JANUARY
)


async def test_until_then_it_is_as_it_was_and_taken_back_it_stays_so(store: Store) -> None:
    policy = replace(PATIENT, strategy=Strategy.EXTRACT)
    subject = engine_over(store, policy, extractor=ScriptedExtractor([KIEL], [PORTO]))
    await subject.remember(store.turn(HOME, key="m1", at=NOON - timedelta(days=9)), "Moin!")
    assert await subject.drain(store.anna) is None
    (kiel,) = (await subject.page(store.anna, limit=9)).memories

    later = store.turn(SAID, key="m2")
    await subject.remember(later, "Boa sorte!")
    assert await subject.drain(store.anna) is None
    memories = (await subject.page(store.anna, limit=9)).memories
    await subject.take_back(later.scope, later.key)

    assert {each.content: (each.holds_from, each.holds_until) for each in memories} == {
        "Lives in Porto": (JANUARY, None),
        "Lives in Kiel": (None, JANUARY),
    }
    assert (await subject.page(store.anna, limit=9)).memories == (kiel,)
