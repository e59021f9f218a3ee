"""What is changed while the engine runs counts at once, for everybody or for one user."""

from dataclasses import replace
from datetime import timedelta

from tests.recollect.engines import PATIENT, engine_over
from tests.scripted_models import ScriptedExtractor
from tests.stores import NOON, Store

from recollect.engine import Engine, Policy
from recollect.model import Flags, Kind, Placement, Skip, Strategy

ASKED = "What do I drink in the morning, green tea?"


async def engine_with_tea(store: Store, policy: Policy = PATIENT) -> Engine:
    engine = engine_over(store, policy)
    await engine.add(store.anna, "I drink green tea in the morning")
    return engine


class TestRecall:
    async def test_who_wants_none_is_given_nothing(self, store: Store) -> None:
        subject = await engine_with_tea(store)
        assert (await subject.prepare(store.turn(ASKED))).included

        await subject.set_flags(Flags(recall=False), store.anna)
        prepared = await subject.prepare(store.turn(ASKED))

        assert (prepared.included, prepared.recall.skipped) == ((), Skip.OFF)
        assert (prepared.placed.system, dict(prepared.placed.beside)) == ("", {})

    async def test_nor_is_a_chat_given_again_what_it_was_given(self, store: Store) -> None:
        subject, asked = await engine_with_tea(store), store.turn(ASKED)
        given = await subject.prepare(asked)
        await subject.inject(asked, given.placed)
        await subject.set_flags(Flags(recall=False), store.anna)

        assert not (await subject.prepare(asked)).placed.system

    async def test_one_user_may_have_it_where_nobody_else_does(self, own_store: Store) -> None:
        subject = await engine_with_tea(own_store)
        await subject.set_flags(Flags(recall=False))
        assert not (await subject.prepare(own_store.turn(ASKED))).included

        await subject.set_flags(Flags(recall=True), own_store.anna)

        assert (await subject.prepare(own_store.turn(ASKED))).included

    async def test_what_the_settings_switched_off_can_be_switched_on(self, own_store: Store) -> None:
        off = replace(PATIENT, bounds=replace(PATIENT.bounds, placement=Placement.OFF))
        subject = await engine_with_tea(own_store, off)
        assert (await subject.prepare(own_store.turn(ASKED))).recall.skipped is Skip.OFF

        await subject.set_flags(Flags(placement=Placement.USER))
        prepared = await subject.prepare(own_store.turn(ASKED))

        assert prepared.included
        assert prepared.placement is Placement.USER


class TestFormation:
    async def test_off_keeps_the_words_and_makes_nothing_of_them(self, store: Store) -> None:
        subject = engine_over(store)
        await subject.set_flags(Flags(formation=Strategy.OFF), store.anna)

        assert await subject.remember(store.turn("I bought a boat"), "Nice.") is True
        await subject.drain(store.anna)

        assert await store.inbox.pending(store.anna, limit=9) == []
        assert (await subject.page(store.anna, limit=9)).memories == ()

    async def test_a_persons_wish_keeps_nothing_not_even_the_words(self, store: Store) -> None:
        subject = engine_over(store)
        await subject.set_flags(Flags(record=False), store.anna)

        assert await subject.remember(store.turn("I bought a boat"), "Nice.") is False

        assert await store.inbox.pending(store.anna, limit=9) == []
        assert await store.memories.sessions(store.anna) == []

    async def test_both_keeps_the_words_beside_the_statements(self, own_store: Store) -> None:
        extracting = replace(PATIENT, strategy=Strategy.EXTRACT)
        subject = engine_over(own_store, extracting, extractor=ScriptedExtractor())
        await subject.set_flags(Flags(formation=Strategy.BOTH))
        await subject.remember(own_store.turn("I bought a boat", at=NOON - timedelta(minutes=1)), "Nice.")
        await subject.drain(own_store.anna)

        [memory] = (await subject.page(own_store.anna, limit=9)).memories
        assert memory.kind is Kind.QA_TURN

    async def test_a_lower_cap_counts_from_the_next_exchange_on(self, own_store: Store) -> None:
        subject = engine_over(own_store)
        await subject.set_flags(Flags(user_cap=2))
        for number in range(4):
            said = own_store.turn(f"I bought boat {number}", at=NOON - timedelta(minutes=9 - number))
            await subject.remember(said, "Nice.")
            await subject.drain(own_store.anna)

        assert len((await subject.page(own_store.anna, limit=9)).memories) == 2
        assert subject.counts.retired == {"cap": 2}
