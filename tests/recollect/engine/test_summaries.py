"""Chats are summarized when they are due, from their own messages."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from tests.recollect.engines import engine_over
from tests.scripted.models import BrokenEmbedder, ScriptedExtractor, ScriptedSummarizer
from tests.support.stores import NOON, Store
from tests.support.tables import table

from recollect.engine import Engine
from recollect.engine.background.inbox import TAKEN_DELAY
from recollect.engine.policy import Policy, Summarizing
from recollect.errors import (
    BudgetSpentError,
    ExtractorError,
    ExtractorUnusableError,
    InvalidExtractionError,
    SessionNotFoundError,
    SwitchedOffError,
)
from recollect.model import Kind, Material, Memory, Outline, Strategy
from recollect.ports import Asker, Embedder, Summarized

DUE = Policy(strategy=Strategy.EXTRACT, summarizing=Summarizing(turns=2))


def engine(
    store: Store,
    summarizer: ScriptedSummarizer,
    policy: Policy = DUE,
    *,
    embedder: Embedder | None = None,
) -> Engine:
    return engine_over(store, policy, extractor=ScriptedExtractor(), summarizer=summarizer, embedder=embedder)


async def chat(store: Store, subject: Engine, *texts: str, start: int = 0) -> None:
    for number, text in enumerate(texts, start):
        said = store.turn(text, key=f"m{number}", at=NOON + timedelta(minutes=number - 60))
        await subject.remember(said, f"Answer {number}.")


async def summaries(store: Store) -> Sequence[Memory]:
    found = (await store.memories.page(store.anna, limit=50)).memories
    return [memory for memory in found if memory.kind is Kind.SUMMARY]


async def test_a_chat_is_summarized_every_so_many_turns(store: Store) -> None:
    summarizer = ScriptedSummarizer()
    subject = engine(store, summarizer)

    await chat(store, subject, "I plan a trip to Oslo")
    await subject.drain(store.anna)
    assert await summaries(store) == []

    await chat(store, subject, "by train, in May", start=1)
    await subject.drain(store.anna)

    [summary] = await summaries(store)
    assert "I plan a trip to Oslo" in summary.content
    assert summary.provenance.session_id == store.anna.scope.session_id
    assert len(summary.provenance.message_ids) == 4
    assert subject.counts.summaries == 1


@table(
    "zone, at, day",
    [
        (
            "Pacific/Auckland",
            datetime(2026, 9, 26, 12, 30, tzinfo=UTC),
            "2026-09-27",
        ),  # clocks go forward that night
        ("Pacific/Auckland", datetime(2026, 9, 27, 10, 59, tzinfo=UTC), "2026-09-27"),
        ("Pacific/Auckland", datetime(2026, 9, 27, 11, 0, tzinfo=UTC), "2026-09-28"),
        ("America/Los_Angeles", datetime(2026, 3, 8, 7, 59, tzinfo=UTC), "2026-03-07"),
        ("UTC", datetime(2026, 9, 26, 12, 30, tzinfo=UTC), "2026-09-26"),
    ],
)
async def test_a_summary_is_told_the_day_of_its_person(
    store: Store, zone: str, at: datetime, day: str
) -> None:
    summarizer = ScriptedSummarizer()
    subject = engine(store, summarizer, replace(DUE, zone=ZoneInfo(zone)))
    for number in range(2):
        await subject.remember(store.turn("I plan a trip", key=f"{zone}{at}{number}", at=at), "Well.")
    await subject.drain(store.anna)

    material = summarizer.asked[-1]
    assert material.at is not None
    assert material.at.date().isoformat() == day


@pytest.mark.parametrize("error", [ExtractorUnusableError(), BudgetSpentError(), ExtractorError()])
async def test_who_may_not_ask_now_asks_with_the_next_turn(store: Store, error: Exception) -> None:
    summarizer = ScriptedSummarizer(error)
    subject = engine(store, summarizer)

    await chat(store, subject, "I plan a trip to Oslo", "by train")
    assert await subject.drain(store.anna) is None
    assert await summaries(store) == []
    await chat(store, subject, "in May", start=2)
    await subject.drain(store.anna)

    [summary] = await summaries(store)
    assert "I plan a trip to Oslo" in summary.content


async def test_one_that_fails_again_and_again_is_given_up_for_these_turns_and_stops_no_other_calls(
    store: Store,
) -> None:
    summarizer = ScriptedSummarizer(*(ExtractorError() for _ in range(9)))
    subject = engine(store, summarizer)
    await chat(store, subject, "I plan a trip to Oslo", "by train")
    for _ in range(6):
        assert await subject.drain(store.anna) is None

    assert len(summarizer.asked) == 3
    assert (await subject.model_use()).guarded.failures == 0


async def test_a_chat_nobody_may_ask_for_keeps_no_other_from_its_summary(store: Store) -> None:
    summarizer = ScriptedSummarizer(ExtractorUnusableError())
    subject = engine(store, summarizer)
    await chat(store, subject, "I plan a trip to Oslo", "by train")
    for number in range(2):
        at = NOON - timedelta(minutes=9 - number)
        said = store.turn(f"I bake bread {number}", store.anna.elsewhere, key=f"b{number}", at=at)
        await subject.remember(said, "Fine.")
    await subject.drain(store.anna)

    [summary] = await summaries(store)
    assert "bake bread" in summary.content


async def test_an_answer_nobody_can_read_is_not_paid_for_with_every_turn(store: Store) -> None:
    summarizer = ScriptedSummarizer(InvalidExtractionError())
    subject = engine(store, summarizer)
    await chat(store, subject, "I plan a trip to Oslo", "by train")
    await subject.drain(store.anna)
    await chat(store, subject, "in May", start=2)
    await subject.drain(store.anna)

    assert len(summarizer.asked) == 1


async def test_a_secret_does_not_stand_in_it(store: Store) -> None:
    spilled = "The wifi password is Tulip-77-garden"
    summarizer = ScriptedSummarizer(Summarized(f"{spilled}.", Outline(facts=(spilled,), todos=(spilled,))))
    subject = engine(store, summarizer)
    await chat(store, subject, "I plan a trip to Oslo", "by train")
    await subject.drain(store.anna)

    [summary] = await summaries(store)
    assert "Tulip" not in f"{summary.content} {summary.outline}"


async def test_without_embeddings_it_is_kept_nevertheless(store: Store) -> None:
    summarizer = ScriptedSummarizer()
    subject = engine(store, summarizer, embedder=BrokenEmbedder())
    await chat(store, subject, "I plan a trip to Oslo", "by train")
    await subject.drain(store.anna)

    assert len(await summaries(store)) == 1


async def test_without_a_model_no_chat_is_summarized(store: Store) -> None:
    summarizer = ScriptedSummarizer()
    subject = engine(store, summarizer, replace(DUE, strategy=Strategy.QA_TURN))
    await chat(store, subject, "I plan a trip to Oslo", "by train")
    await subject.drain(store.anna)

    assert summarizer.asked == []


async def test_what_is_said_while_a_chat_is_summarized_is_formed_right_after(store: Store) -> None:
    class Interrupted(ScriptedSummarizer):
        async def summarize(self, material: Material, asker: Asker) -> Summarized:
            await chat(store, subject, "and a boat", start=2)
            assert await subject.drain(store.anna) == TAKEN_DELAY
            return await super().summarize(material, asker)

    subject = engine(store, Interrupted())
    await chat(store, subject, "I plan a trip to Oslo", "by train")

    assert await subject.drain(store.anna) == timedelta()
    assert len(await store.inbox.pending(store.anna, limit=9)) == 1
    assert await subject.drain(store.anna) is None
    assert await store.inbox.pending(store.anna, limit=9) == []


class TestAskedFor:
    async def test_a_chat_that_is_not_due_is_summarized_when_somebody_asks(self, store: Store) -> None:
        summarizer = ScriptedSummarizer()
        subject = engine(store, summarizer, replace(DUE, summarizing=Summarizing()))
        await chat(store, subject, "I plan a trip to Oslo")
        assert await subject.drain(store.anna) is None
        assert await summaries(store) == []

        assert await subject.ask_for_summary(store.anna.scope) == 1
        while await subject.drain(store.anna) is not None:
            pass

        [summary] = await summaries(store)
        assert "I plan a trip to Oslo" in summary.content
        assert await subject.ask_for_summary(store.anna.scope) == 0, "nothing new was said"
        await subject.drain(store.anna)
        assert len(summarizer.asked) == 1

    async def test_what_was_said_last_is_formed_first(self, store: Store) -> None:
        subject = engine(store, ScriptedSummarizer(), replace(DUE, summarizing=Summarizing()))
        await chat(store, subject, "I plan a trip to Oslo", "by train")

        assert await subject.ask_for_summary(store.anna.scope) == 2
        while await subject.drain(store.anna) is not None:
            pass

        [summary] = await summaries(store)
        assert "by train" in summary.content

    async def test_it_comes_before_a_chat_that_is_due_and_waits_longer(self, store: Store) -> None:
        summarizer = ScriptedSummarizer()
        subject = engine(store, summarizer)
        for number, text in enumerate(("one", "two")):  # not drained yet
            await subject.remember(
                store.turn(text, key=f"m{number}", at=NOON - timedelta(hours=2 - number)), "Yes."
            )
        asked = store.anna.chat("asked for")
        await subject.remember(store.turn("I row", asked, key="r", at=NOON), "Good.")

        await subject.ask_for_summary(asked)
        while await subject.drain(store.anna) is not None:
            pass

        assert [each.messages[0].text for each in summarizer.asked] == ["I row", "one"]

    async def test_nobody_is_asked_where_no_model_reads_chats_or_nothing_was_said(self, store: Store) -> None:
        subject = engine(store, ScriptedSummarizer(), replace(DUE, strategy=Strategy.QA_TURN))
        await chat(store, subject, "I plan a trip to Oslo")

        with pytest.raises(SwitchedOffError):
            await subject.ask_for_summary(store.anna.scope)
        with pytest.raises(SessionNotFoundError):
            await engine(store, ScriptedSummarizer()).ask_for_summary(store.ben.scope)

    async def test_the_share_of_those_that_say_something_is_told(self, own_store: Store) -> None:
        summarizer = ScriptedSummarizer(
            Summarized(" "), InvalidExtractionError(), Summarized("Plans a trip.")
        )
        subject = engine(own_store, summarizer)
        for number in range(3):
            await chat(own_store, subject, "I plan a trip", "by train", start=2 * number)
            await subject.drain(own_store.anna)

        size = await subject.size()

        assert (size.summaries_made, size.summaries_kept, size.summaries) == (3, 1, 1)
        assert (subject.counts.summaries_made, subject.counts.summaries) == (3, 1)
        assert subject.counts.non_empty_summaries == pytest.approx(1 / 3)
