"""The bench replays through a real proxy and database, and finds what is there to be found."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from rich.progress import Progress
from tests.bench.conversations import (
    FRIENDS,
    TEA,
    TITLE,
    conversation,
    fact,
    labelled,
    question,
    turn,
    unseen,
    write,
)
from tests.databases import SpareDatabases
from tests.ready_servers import ready_servers
from tests.scripted_upstream import End, ScriptedUpstream, whole

from bench.recall import replay as replaying
from bench.recall.asking import Asked
from bench.recall.clock import ReplayClock
from bench.recall.facts import read_facts
from bench.recall.opening import open_replay
from bench.recall.plan import plan
from bench.recall.recall import bench_facts, bench_recall, play_facts
from bench.recall.replay import Replay, ReplayedApp, ReplayError
from bench.recall.upstream import ReplayUpstream
from recollect.engine import maintenance
from recollect.errors import StoreUnavailableError
from recollect_proxy.settings.proxy_settings import ProxySettings

CUPS = conversation(
    [turn(f"c{n}", f"I keep {n} blue cups on the shelf.") for n in range(1, 9)],
    [
        question(
            "q6",
            "How many blue cups do I keep on the shelf?",
            *(f"c{n}" for n in range(1, 9)),
            category="cups",
        )
    ],
    name="cups",
)


async def play(replay: Replay, given: dict[str, Any]) -> dict[str, Asked]:
    one = labelled(given)
    steps: list[None] = []
    made = plan(one)
    asked = await replay.play(one, made, lambda: steps.append(None))
    assert len(steps) == len(made.steps)
    return {each.question.id: each for each in asked}


async def test_what_was_said_is_found_again_by_the_turns_it_was_said_in(replay: Replay) -> None:
    asked = await play(replay, TEA)
    memories = (await replay.engine.page("anna", limit=50)).memories

    assert asked["q1"].ranked == ("t1", "t5"), "neither a mere question nor a remark"
    assert asked["q1"].injected == ("t1",)
    assert asked["q1"].tokens > 0
    assert asked["q1"].milliseconds > 0
    assert asked["q2"].ranked[0] == "t4", "a remark is found where what the assistant said is asked for"
    assert "t3" not in asked["q2"].ranked
    assert asked["q3"].ranked == ("t1",), "later turns can't be seen"
    assert set(asked["q4"].ranked) == {"t1", "t5"}
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


async def test_people_who_talk_to_each_other_are_kept_under_their_names(replay: Replay) -> None:
    asked = await play(replay, FRIENDS)
    memories = (await replay.engine.page("friends", limit=50)).memories

    assert asked["q5"].ranked[0] == "D1:2"
    assert [memory.content for memory in memories] == [
        "Carla: Rufus ate my running shoes.",
        "Dario: Congratulations! My pottery course starts soon.",
        "Carla: I adopted a beagle called Rufus.",
    ]


@pytest.fixture(scope="module")
async def figures(operator_settings: ProxySettings, spare_databases: SpareDatabases) -> dict[str, Any]:
    """What the bench sums up of three conversations, for a chat that gets three memories at most."""
    settings = operator_settings.model_copy(update={"recall_limit": 3, "memory_tokens": 500})
    data = [labelled(each) for each in (TEA, FRIENDS, CUPS)]
    with unseen() as progress:
        async with ready_servers(spare_databases):
            figures = await bench_recall("three.jsonl", data, settings, questions=None, progress=progress)
        assert progress.finished
    return figures


def test_the_bench_sums_up_what_it_found(figures: dict[str, Any]) -> None:
    assert figures["data"] == "three.jsonl"
    assert figures["counts"] == {
        "conversations": 3,
        "turns": 17,
        "turns_not_sent": 0,
        "exchanges_sent": 14,
        "exchanges_formed": 14,
        "exchanges_failed": 0,
        "questions": 6,
        "questions_with_evidence": 5,
        "questions_degraded": 0,
    }
    assert figures["settings"]["recall_limit"] == 3, "as the operator has it"
    assert figures["depth"] == 20, "more are ranked than are injected"
    assert figures["settings"]["memory_tokens"] == 500
    assert figures["settings"]["formation"] == "qa_turn"
    assert figures["ranked"]["overall"]["questions"] == 4
    assert figures["ranked"]["categories"]["habits"]["ndcg_at_10"] == 1.0
    assert figures["ranked"]["categories"]["early"]["recall_at_10"] == 0.0
    assert figures["ranked"]["categories"]["adversarial"]["hit_at_10"] == 1.0
    assert figures["injected"]["categories"]["facts"]["recall_at_5"] == 1.0
    assert figures["abstention"] == {"questions": 1, "nothing_injected": 1.0}


def test_no_more_is_injected_than_a_chat_would_get(figures: dict[str, Any]) -> None:
    assert figures["ranked"]["categories"]["cups"]["recall_at_20"] == 1.0
    assert figures["injected"]["categories"]["cups"]["recall_at_20"] == 3 / 8


@pytest.mark.usefixtures("ready_server")
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


async def test_a_fact_bears_the_date_of_what_it_rests_on(replay: Replay, tmp_path: Path) -> None:
    dated = labelled(TEA | {"id": "dated"})
    path = write(tmp_path / "facts.jsonl", fact("dated", "Anna plays the cello.", "t3", "t5"))

    replay.begin(dated)
    await play_facts(replay, "dated", read_facts(path, [dated]).of["dated"], lambda: None)
    [memory] = (await replay.engine.page("dated", limit=5)).memories

    assert (memory.content, memory.kind) == ("Anna plays the cello.", "fact")
    assert f"{memory.dated:%Y-%m-%d}" == "2026-03-02"


async def test_what_no_frontend_would_ask_recalls_nothing(replay: Replay) -> None:
    asked_for_nothing = conversation(
        [turn("t1", "Tea is fine.")], [question("q", TITLE, "t1")], name="silent"
    )

    asked = await play(replay, asked_for_nothing)

    assert (asked["q"].ranked, asked["q"].skipped) == ((), "task")


async def test_requests_that_pass_without_memory_are_counted_with_their_reason(replay: Replay) -> None:
    before = (await replay.engine.backlog()).formed

    await play(replay, conversation([turn("t1", " "), turn("t2", "Tea is fine.")], name="skipped"))

    assert replay.tally.skipped == {"empty": 1, "nothing-relevant": 1}
    assert (replay.tally.exchanges, replay.tally.formed - before) == (2, 1)


async def test_an_answer_that_is_an_error_ends_the_bench(replay: Replay) -> None:
    async with (
        ScriptedUpstream(lambda _request: whole(b"{}", status=500)) as broken,
        httpx.AsyncClient(base_url=broken.base_url) as client,
    ):
        replay._client = client

        with pytest.raises(ReplayError, match="The proxy answered 500 to turn t1"):
            await play(replay, TEA | {"id": "refused"})


async def test_a_formation_that_stands_still_ends_the_bench(
    operator_settings: ProxySettings, own_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replaying, "_STANDSTILL_SECONDS", 0.1)

    async with ScriptedUpstream(lambda _request: (End.SILENCE,)) as silent:
        extracting = {"formation": "extract", "extraction_base_url": silent.base_url, "extraction_model": "x"}
        async with open_replay(operator_settings, database_url=own_dsn, **extracting) as replay:
            with pytest.raises(ReplayError, match="stands still with 1 exchange"):
                await play(replay, conversation([turn("t1", "Tea is fine.")]))


async def test_an_index_that_is_never_whole_ends_the_bench(
    replay: Replay, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never_done(*_: object, **__: object) -> timedelta:
        return timedelta(seconds=30)

    monkeypatch.setattr(replaying, "_STANDSTILL_SECONDS", 0.1)
    monkeypatch.setattr(maintenance, "index_user", never_done)

    with pytest.raises(ReplayError, match="could not be indexed"):
        await play(replay, conversation([turn("t1", " ")], name="not indexed"))


async def test_a_question_finds_all_that_was_sent_however_fast(replay: Replay) -> None:
    rains = [turn(f"t{n}", f"On day {n} it rained for {n} hours.") for n in range(12)]

    asked = await play(replay, conversation(rains, [question("q", "When did it rain?", "t0")], name="rain"))

    assert set(asked["q"].ranked) == {each["id"] for each in rains}


async def test_a_proxy_whose_store_is_away_can_not_be_asked(operator_settings: ProxySettings) -> None:
    app = ReplayedApp(operator_settings, admin_token="token", clock=ReplayClock())
    async with httpx.AsyncClient() as client:
        replay = Replay(app, operator_settings, client=client, upstream=ReplayUpstream(), clock=ReplayClock())

        with pytest.raises(StoreUnavailableError):
            await play(replay, conversation([]))
