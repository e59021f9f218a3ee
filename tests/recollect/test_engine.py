"""What the engine does in the background, over stand-ins."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.recollect.engines import QUICK, engine_over
from tests.recollections import turn
from tests.waiting import until

from recollect.engine import Policy, system_clock
from recollect.errors import ExtractorError
from recollect.model import Candidate, Kind
from recollect.testing import BrokenEmbedder, InMemoryStore, ScriptedExtractor


def test_the_system_clock_knows_its_zone() -> None:
    assert system_clock().utcoffset() == timedelta(0)


async def test_what_was_remembered_is_formed_while_it_runs() -> None:
    subject = engine_over()
    await subject.remember(turn("I drink tea"), "Good.")
    running = asyncio.create_task(subject.run())

    async def all_formed() -> bool:
        return (await subject.backlog()).pending == 0

    await until(all_formed)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    [memory] = (await subject.page("anna", limit=10)).memories
    assert memory.kind is Kind.QA_TURN
    assert memory.content == "Q: I drink tea\nA: Good."


async def test_an_extractor_is_given_the_requests_own_credential() -> None:
    tea = Candidate("Drinks tea.", Kind.FACT, 0.7, "I drink tea")
    extractor = ScriptedExtractor([tea])
    subject = engine_over(policy=Policy(), extractor=extractor)
    await subject.remember(turn("I drink tea"), "Good.", credential="Bearer k")

    assert await subject.drain("anna") is None

    [(asked, _)] = extractor.asked
    assert asked.credential == "Bearer k"
    assert asked.authorized
    [memory] = (await subject.page("anna", limit=10)).memories
    assert memory.content == "Drinks tea."


async def test_what_was_logged_before_formation_was_switched_off_is_kept_as_it_is() -> None:
    store = InMemoryStore()
    await engine_over(store).remember(turn("I drink tea"), "Good.")

    await engine_over(store, replace(QUICK, strategy=None)).drain("anna")

    [memory] = (await store.page("anna", limit=10)).memories
    assert memory.kind is Kind.QA_TURN


async def test_what_failed_can_be_tried_once_more() -> None:
    extractor = ScriptedExtractor()
    store = InMemoryStore()
    subject = engine_over(store, Policy(tries=1), extractor=extractor, embedder=BrokenEmbedder())
    await subject.remember(turn("I drink tea"), "Good.")
    await subject.drain("anna")
    assert (await subject.backlog()).failed == 1

    healed = engine_over(store, Policy(tries=1), extractor=ScriptedExtractor(ExtractorError()))
    assert await healed.retry_failed() == 1
    await healed.drain("anna")

    backlog = await healed.backlog()
    assert (backlog.failed, backlog.formed, backlog.fallbacks) == (0, 1, 1)
