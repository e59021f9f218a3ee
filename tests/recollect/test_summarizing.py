"""Chats are summarized when they are due, and what is not there is not made up."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.recollect.engines import engine_over
from tests.recollections import NOON, turn

from recollect.engine import Engine
from recollect.errors import (
    BudgetSpentError,
    ExtractorError,
    ExtractorUnusableError,
    InvalidExtractionError,
)
from recollect.model import Actor, Kind, Memory, Outline, Reason, Retire, Scope, Strategy
from recollect.policy import Policy, Summarizing
from recollect.ports import Summarized
from recollect.testing import BrokenEmbedder, InMemoryStore, ScriptedExtractor, ScriptedSummarizer

DUE = Policy(strategy=Strategy.EXTRACT, summarizing=Summarizing(turns=2))


def engine(
    store: InMemoryStore, summarizer: ScriptedSummarizer, policy: Policy = DUE, **changes: object
) -> Engine:
    return engine_over(store, policy, extractor=ScriptedExtractor(), summarizer=summarizer, **changes)  # type: ignore[arg-type]


async def chat(subject: Engine, *texts: str, start: int = 0) -> None:
    for number, text in enumerate(texts, start):
        said = turn(text)
        said = replace(said, key=f"m{number}", at=NOON + timedelta(minutes=number - 60))
        await subject.remember(said, f"Answer {number}.")


async def summaries(store: InMemoryStore) -> Sequence[Memory]:
    found = (await store.page("anna", limit=50)).memories
    return [memory for memory in found if memory.kind is Kind.SUMMARY]


async def test_a_chat_is_summarized_every_so_many_turns() -> None:
    store, summarizer = InMemoryStore(), ScriptedSummarizer()
    subject = engine(store, summarizer)

    await chat(subject, "I plan a trip to Oslo")
    await subject.drain("anna")
    assert await summaries(store) == []

    await chat(subject, "by train, in May", start=1)
    await subject.drain("anna")

    [summary] = await summaries(store)
    assert "I plan a trip to Oslo" in summary.content
    assert summary.provenance.session_id == turn("x").scope.session_id
    assert len(summary.provenance.message_ids) == 4
    assert subject.counts.summaries == 1


async def test_a_later_summary_takes_up_the_one_before_and_its_place() -> None:
    store = InMemoryStore()
    first = Summarized("Plans a trip to Oslo.", Outline(todos=("book a hotel",)))
    summarizer = ScriptedSummarizer(first, Summarized("Plans a trip to Bergen."))
    subject = engine(store, summarizer)

    await chat(subject, "I plan a trip to Oslo", "by train")
    await subject.drain("anna")
    await chat(subject, "no, to Bergen", "and no hotel", start=2)
    await subject.drain("anna")

    assert [each.content for each in await summaries(store)] == ["Plans a trip to Bergen."]
    assert summarizer.asked[1].before == "Plans a trip to Oslo."
    assert summarizer.asked[1].outline == Outline(todos=("book a hotel",))
    assert summarizer.asked[1].messages[0].text == "no, to Bergen"


async def test_what_is_open_can_be_asked_for() -> None:
    store = InMemoryStore()
    summarizer = ScriptedSummarizer(Summarized("Plans a trip.", Outline(todos=("book a hotel",))))
    subject = engine(store, summarizer)
    await chat(subject, "I plan a trip to Oslo", "by train")
    await subject.drain("anna")

    [summary] = await subject.todos("anna", limit=9)

    assert summary.outline == Outline(todos=("book a hotel",))


async def test_many_tokens_make_it_due_as_well() -> None:
    store, summarizer = InMemoryStore(), ScriptedSummarizer()
    subject = engine(store, summarizer, replace(DUE, summarizing=Summarizing(tokens=200)))

    await chat(subject, "short")
    await subject.drain("anna")
    assert summarizer.asked == []

    await chat(subject, "a long story " * 100, start=1)
    await subject.drain("anna")
    assert len(await summaries(store)) == 1


@pytest.mark.parametrize("error", [ExtractorUnusableError(), BudgetSpentError()])
async def test_who_may_not_ask_now_asks_with_the_next_turn(error: Exception) -> None:
    store, summarizer = InMemoryStore(), ScriptedSummarizer(error)
    subject = engine(store, summarizer)

    await chat(subject, "I plan a trip to Oslo", "by train")
    assert await subject.drain("anna") is None
    assert await summaries(store) == []
    await chat(subject, "in May", start=2)
    await subject.drain("anna")

    [summary] = await summaries(store)
    assert "I plan a trip to Oslo" in summary.content


async def test_a_model_that_fails_is_asked_again_with_the_next_turn() -> None:
    store, summarizer = InMemoryStore(), ScriptedSummarizer(ExtractorError())
    subject = engine(store, summarizer)
    await chat(subject, "I plan a trip to Oslo", "by train")

    assert await subject.drain("anna") is None
    assert await summaries(store) == []
    await chat(subject, "in May", start=2)
    await subject.drain("anna")

    assert len(await summaries(store)) == 1


async def test_one_that_fails_again_and_again_is_given_up_for_these_turns_and_stops_no_other_calls() -> None:
    store = InMemoryStore()
    summarizer = ScriptedSummarizer(*(ExtractorError() for _ in range(9)))
    subject = engine(store, summarizer)
    await chat(subject, "I plan a trip to Oslo", "by train")
    for _ in range(6):
        assert await subject.drain("anna") is None

    assert len(summarizer.asked) == 3
    assert (await subject.model_use()).failures == 0


async def test_a_chat_nobody_may_ask_for_keeps_no_other_from_its_summary() -> None:
    store = InMemoryStore()
    summarizer = ScriptedSummarizer(ExtractorUnusableError())
    subject = engine(store, summarizer)
    await chat(subject, "I plan a trip to Oslo", "by train")
    for number in range(2):
        said = replace(
            turn(f"I bake bread {number}"), key=f"b{number}", at=NOON - timedelta(minutes=9 - number)
        )
        await subject.remember(replace(said, scope=Scope("anna", "chat-2")), "Fine.")
    await subject.drain("anna")

    [summary] = await summaries(store)
    assert "bake bread" in summary.content


async def test_an_answer_nobody_can_read_is_not_paid_for_with_every_turn() -> None:
    store, summarizer = InMemoryStore(), ScriptedSummarizer(InvalidExtractionError())
    subject = engine(store, summarizer)
    await chat(subject, "I plan a trip to Oslo", "by train")
    await subject.drain("anna")
    await chat(subject, "in May", start=2)
    await subject.drain("anna")

    assert len(summarizer.asked) == 1


async def test_a_secret_does_not_stand_in_it() -> None:
    store = InMemoryStore()
    spilled = "The wifi password is Tulip-77-garden"
    summarizer = ScriptedSummarizer(Summarized(f"{spilled}.", Outline(facts=(spilled,), todos=(spilled,))))
    subject = engine(store, summarizer)
    await chat(subject, "I plan a trip to Oslo", "by train")
    await subject.drain("anna")

    [summary] = await summaries(store)
    assert "Tulip" not in f"{summary.content} {summary.outline}"


async def test_without_embeddings_it_is_kept_nevertheless() -> None:
    store, summarizer = InMemoryStore(), ScriptedSummarizer()
    subject = engine(store, summarizer, embedder=BrokenEmbedder())
    await chat(subject, "I plan a trip to Oslo", "by train")
    await subject.drain("anna")

    assert len(await summaries(store)) == 1


async def test_who_forgets_what_it_rests_on_forgets_the_summary() -> None:
    store, summarizer = InMemoryStore(), ScriptedSummarizer()
    subject = engine(store, summarizer, replace(DUE, strategy=Strategy.BOTH))
    await chat(subject, "I plan a trip to Oslo", "by train")
    await subject.drain("anna")
    page = await store.page("anna", limit=9)
    oslo = next(each for each in page.memories if each.kind is Kind.QA_TURN and "Oslo" in each.content)

    await store.apply(Scope("anna", ""), [Retire(oslo.id, Reason.DELETED)], actor=Actor.USER, at=NOON)

    assert await summaries(store) == []


async def test_without_a_model_no_chat_is_summarized() -> None:
    store, summarizer = InMemoryStore(), ScriptedSummarizer()
    subject = engine(store, summarizer, replace(DUE, strategy=Strategy.QA_TURN))
    await chat(subject, "I plan a trip to Oslo", "by train")
    await subject.drain("anna")

    assert summarizer.asked == []
