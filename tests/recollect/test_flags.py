"""What is changed while the engine runs counts at once, for everybody or for one user."""

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.recollect.engines import PATIENT, engine_over
from tests.recollections import NOON, turn

from recollect.engine import Engine
from recollect.model import Flags, Kind, Placement, Skip, Strategy
from recollect.testing import InMemoryStore, ScriptedExtractor


@pytest.fixture
async def subject() -> Engine:
    engine = engine_over(policy=PATIENT)
    await engine.add("anna", "I drink green tea in the morning")
    return engine


ASKED = turn("What do I drink in the morning, green tea?")


class TestRecall:
    async def test_who_wants_none_is_given_nothing(self, subject: Engine) -> None:
        assert (await subject.prepare(ASKED)).included

        await subject.set_flags(Flags(recall=False), "anna")
        prepared = await subject.prepare(turn(ASKED.text))

        assert (prepared.included, prepared.recall.skipped) == ((), Skip.OFF)
        assert (prepared.placed.system, dict(prepared.placed.beside)) == ("", {})

    async def test_nor_is_a_chat_given_again_what_it_was_given(self, subject: Engine) -> None:
        given = await subject.prepare(ASKED)
        await subject.inject(ASKED, given.placed)
        await subject.set_flags(Flags(recall=False), "anna")

        assert not (await subject.prepare(ASKED)).placed.system

    async def test_one_user_may_have_it_where_nobody_else_does(self, subject: Engine) -> None:
        await subject.set_flags(Flags(recall=False))
        assert not (await subject.prepare(turn(ASKED.text))).included

        await subject.set_flags(Flags(recall=True), "anna")

        assert (await subject.prepare(turn(ASKED.text))).included

    async def test_what_the_settings_switched_off_can_be_switched_on(self) -> None:
        off = replace(PATIENT, bounds=replace(PATIENT.bounds, placement=Placement.OFF))
        subject = engine_over(policy=off)
        await subject.add("anna", "I drink green tea in the morning")
        assert (await subject.prepare(ASKED)).recall.skipped is Skip.OFF

        await subject.set_flags(Flags(placement=Placement.USER))
        prepared = await subject.prepare(turn(ASKED.text))

        assert prepared.included
        assert prepared.placement is Placement.USER


class TestFormation:
    async def test_off_keeps_nothing_not_even_the_words(self, subject: Engine) -> None:
        await subject.set_flags(Flags(formation=Strategy.OFF), "anna")

        assert await subject.remember(turn("I bought a boat"), "Nice.") is False

        assert (await subject.backlog()).pending == 0

    async def test_both_keeps_the_words_beside_the_statements(self) -> None:
        subject = engine_over(
            policy=replace(PATIENT, strategy=Strategy.EXTRACT), extractor=ScriptedExtractor()
        )
        await subject.set_flags(Flags(formation=Strategy.BOTH))
        await subject.remember(replace(turn("I bought a boat"), at=NOON - timedelta(minutes=1)), "Nice.")
        await subject.drain("anna")

        [memory] = (await subject.page("anna", limit=9)).memories
        assert memory.kind is Kind.QA_TURN

    async def test_a_lower_cap_counts_from_the_next_exchange_on(self) -> None:
        store = InMemoryStore()
        subject = engine_over(store)
        await subject.set_flags(Flags(user_cap=2))
        for number in range(4):
            said = replace(turn(f"I bought boat {number}"), at=NOON - timedelta(minutes=9 - number))
            await subject.remember(said, "Nice.")
            await subject.drain("anna")

        assert len((await subject.page("anna", limit=9)).memories) == 2
        assert subject.counts.retired == {"cap": 2}
