"""The bench replays through a real proxy and database, and finds what is there to be found."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from rich.progress import Progress
from tests.recollect_proxy.bench.conversations import (
    FRIENDS,
    TEA,
    conversation,
    fact,
    labelled,
    question,
    turn,
    write,
)
from tests.scripted_upstream import End, ScriptedUpstream, whole

from recollect import background
from recollect.errors import StoreUnavailableError
from recollect_proxy.bench import replay as replaying
from recollect_proxy.bench.asking import Asked
from recollect_proxy.bench.clock import ReplayClock
from recollect_proxy.bench.facts import read_facts
from recollect_proxy.bench.opening import open_replay
from recollect_proxy.bench.plan import plan
from recollect_proxy.bench.recall import bench_facts, bench_recall, play_facts
from recollect_proxy.bench.replay import Replay, ReplayedApp, ReplayError
from recollect_proxy.bench.upstream import ReplayUpstream
from recollect_proxy.settings import ProxySettings

pytestmark = pytest.mark.slow


async def play(replayed: Replay, given: dict[str, Any]) -> dict[str, Asked]:
    one = labelled(given)
    steps: list[None] = []
    made = plan(one)
    asked = await replayed.play(one, made, lambda: steps.append(None))
    assert len(steps) == len(made.steps)
    return {each.question.id: each for each in asked}


async def test_what_was_said_is_found_again_by_the_turns_it_was_said_in(
    operator_settings: ProxySettings,
) -> None:
    async with open_replay(operator_settings) as replayed:
        asked = await play(replayed, TEA)
        memories = (await replayed.engine.page("anna", limit=50)).memories

    assert asked["q1"].ranked[:2] == ("t1", "t2")
    assert asked["q1"].injected[:2] == ("t1", "t2")
    assert asked["q1"].tokens > 0
    assert asked["q1"].milliseconds > 0
    assert asked["q2"].ranked[:2] == ("t4", "t3"), "a reply is found by itself, and before its question"
    assert set(asked["q3"].ranked) == {"t1", "t2", "t3", "t4"}, "later turns can't be seen"
    assert len(asked["q4"].ranked) == 6
    assert asked["q4"].injected == ()
    assert asked["q4"].tokens == 0
    assert asked["q4"].skipped == "nothing-relevant"
    assert [memory.content for memory in memories] == [
        "Q: I play the cello in an orchestra.\nA: How lovely.",
        "Q: Which volcano erupted in the year 79?\nA: Mount Vesuvius; it buried Pompeii and Herculaneum.",
        "Q: Every morning I drink green tea from Uji.\nA: That sounds refreshing.",
    ], "questions leave no memories, nor does anything of ours"
    assert [f"{memory.observed_at:%Y-%m-%d}" for memory in memories] == [
        "2026-03-02",
        "2026-03-01",
        "2026-03-01",
    ]


async def test_people_who_talk_to_each_other_are_kept_under_their_names(
    operator_settings: ProxySettings,
) -> None:
    async with open_replay(operator_settings) as replayed:
        asked = await play(replayed, FRIENDS)
        memories = (await replayed.engine.page("friends", limit=50)).memories

    assert asked["q5"].ranked[0] == "D1:2"
    assert [memory.content for memory in memories] == [
        "Carla: Rufus ate my running shoes.",
        "Dario: Congratulations! My pottery course starts soon.",
        "Carla: I adopted a beagle called Rufus.",
    ]


async def test_the_bench_sums_up_what_it_found(operator_settings: ProxySettings, progress: Progress) -> None:
    settings = operator_settings.model_copy(update={"recall_limit": 3, "memory_tokens": 500})

    figures = await bench_recall(
        "two.jsonl", [labelled(TEA), labelled(FRIENDS)], settings, questions=None, progress=progress
    )

    assert figures["data"] == "two.jsonl"
    assert figures["counts"] == {
        "conversations": 2,
        "turns": 9,
        "turns_not_sent": 0,
        "exchanges_sent": 6,
        "exchanges_formed": 6,
        "exchanges_failed": 0,
        "questions": 5,
        "questions_with_evidence": 4,
        "questions_degraded": 0,
    }
    assert figures["settings"]["recall_limit"] == 3, "as the operator has it"
    assert figures["depth"] == 20, "more are ranked than are injected"
    assert figures["settings"]["memory_tokens"] == 500
    assert figures["settings"]["formation"] == "qa_turn"
    assert figures["ranked"]["overall"]["questions"] == 3
    assert figures["ranked"]["categories"]["habits"]["ndcg_at_10"] == 1.0
    assert figures["ranked"]["categories"]["early"]["recall_at_10"] == 0.0
    assert figures["ranked"]["categories"]["adversarial"]["hit_at_10"] == 1.0
    assert figures["injected"]["categories"]["facts"]["recall_at_5"] == 1.0
    assert figures["abstention"] == {"questions": 1, "nothing_injected": 1.0}
    assert progress.finished


async def test_no_more_is_injected_than_a_chat_would_get(
    operator_settings: ProxySettings, progress: Progress
) -> None:
    settings = operator_settings.model_copy(update={"recall_limit": 1, "recall_gate": -1.0})
    cups = [turn(f"t{n}", f"I keep {n} blue cups on the shelf.") for n in range(1, 9)]
    asked = [question("q", "How many blue cups stand on the shelf?", *(each["id"] for each in cups))]

    figures = await bench_recall(
        "cups.jsonl", [labelled(conversation(cups, asked))], settings, questions=None, progress=progress
    )

    assert figures["ranked"]["overall"]["recall_at_20"] == 1.0
    assert figures["injected"]["overall"]["recall_at_20"] == 1 / 8


async def test_facts_are_found_in_place_of_what_was_said(
    operator_settings: ProxySettings, progress: Progress, tmp_path: Path
) -> None:
    tea, friends = labelled(TEA), labelled(FRIENDS)
    path = write(
        tmp_path / "facts.jsonl",
        fact("anna", "Anna drinks green tea from Uji every morning.", "t1"),
        fact("anna", "Anna plays the cello in an orchestra.", "t5"),
    )

    figures = await bench_facts(
        "tea.jsonl",
        [tea, friends],
        read_facts(path, [tea, friends]),
        operator_settings,
        questions=None,
        progress=progress,
    )

    assert figures["facts"] == {"file": "facts.jsonl", "facts": 2, "evidence_covered": pytest.approx(2 / 3)}
    assert figures["counts"]["conversations"] == 1, "who has no facts is passed over"
    assert figures["counts"]["exchanges_sent"] == 0, "nothing that was said is there"
    ranked = figures["ranked"]["categories"]
    assert ranked["habits"]["reciprocal_rank"] == 1.0
    assert ranked["habits"]["ndcg_at_5"] == 1.0
    assert ranked["facts"]["recall_at_20"] == 0.0, "no fact rests on it"
    assert ranked["early"]["recall_at_20"] == 0.0, "the cello is not known yet"
    assert figures["injected"]["categories"]["habits"]["hit_at_1"] == 1.0
    assert progress.finished


async def test_a_fact_bears_the_date_of_what_it_rests_on(
    operator_settings: ProxySettings, tmp_path: Path
) -> None:
    tea = labelled(TEA)
    path = write(tmp_path / "facts.jsonl", fact("anna", "Anna plays the cello.", "t3", "t5"))

    async with open_replay(operator_settings) as replayed:
        replayed.begin(tea)
        await play_facts(replayed, "anna", read_facts(path, [tea]).of["anna"], lambda: None)
        [memory] = (await replayed.engine.page("anna", limit=5)).memories

    assert (memory.content, memory.kind) == ("Anna plays the cello.", "fact")
    assert f"{memory.dated:%Y-%m-%d}" == "2026-03-02"


async def test_what_no_frontend_would_ask_recalls_nothing(operator_settings: ProxySettings) -> None:
    asked_for_nothing = conversation([turn("t1", "Tea is fine.")], [question("q", " ", "t1")])

    async with open_replay(operator_settings) as replayed:
        asked = await play(replayed, asked_for_nothing)

    assert (asked["q"].ranked, asked["q"].skipped) == ((), "empty")


async def test_requests_that_pass_without_memory_are_counted_with_their_reason(
    operator_settings: ProxySettings,
) -> None:
    async with open_replay(operator_settings) as replayed:
        await play(replayed, conversation([turn("t1", " "), turn("t2", "Tea is fine.")]))

    assert replayed.tally.skipped == {"empty": 1, "nothing-relevant": 1}
    assert (replayed.tally.exchanges, replayed.tally.formed) == (2, 1)


async def test_an_answer_that_is_an_error_ends_the_bench(operator_settings: ProxySettings) -> None:
    async with open_replay(operator_settings) as replayed, ScriptedUpstream() as broken:
        broken.otherwise = lambda _request: whole(b"{}", status=500)
        replayed._client = httpx.AsyncClient(base_url=broken.base_url)

        with pytest.raises(ReplayError, match="The proxy answered 500 to turn t1"):
            await play(replayed, TEA)


async def test_a_formation_that_stands_still_ends_the_bench(
    operator_settings: ProxySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replaying, "_STANDSTILL_SECONDS", 0.3)

    async with ScriptedUpstream(lambda _request: (End.SILENCE,)) as silent:
        extracting = {"formation": "extract", "extraction_base_url": silent.base_url, "extraction_model": "x"}
        async with open_replay(operator_settings, **extracting) as replayed:
            with pytest.raises(ReplayError, match="stands still with 1 exchange"):
                await play(replayed, conversation([turn("t1", "Tea is fine.")]))


async def test_an_index_that_is_never_whole_ends_the_bench(
    operator_settings: ProxySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never_done(*_: object, **__: object) -> timedelta:
        return timedelta(seconds=30)

    monkeypatch.setattr(replaying, "_STANDSTILL_SECONDS", 0.3)
    monkeypatch.setattr(background, "keep_indexed", never_done)

    async with open_replay(operator_settings) as replayed:
        with pytest.raises(ReplayError, match="could not be indexed"):
            await play(replayed, conversation([turn("t1", " ")]))


async def test_a_question_finds_all_that_was_sent_however_fast(operator_settings: ProxySettings) -> None:
    rains = [turn(f"t{n}", f"On day {n} it rained for {n} hours.") for n in range(12)]

    async with open_replay(operator_settings) as replayed:
        asked = await play(replayed, conversation(rains, [question("q", "When did it rain?", "t0")]))

    assert set(asked["q"].ranked) == {each["id"] for each in rains}


async def test_a_proxy_whose_store_is_away_can_not_be_asked(operator_settings: ProxySettings) -> None:
    app = ReplayedApp(operator_settings, admin_token="token", clock=ReplayClock())
    async with httpx.AsyncClient() as client:
        replayed = Replay(
            app, operator_settings, client=client, upstream=ReplayUpstream(), clock=ReplayClock()
        )

        with pytest.raises(StoreUnavailableError):
            await play(replayed, conversation([]))
