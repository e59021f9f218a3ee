"""Weights are tried on what was kept of a replay: they rank as the engine does, and are searched on one half."""

import io
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from rich.progress import Progress
from tests.bench.conversations import (
    TEA,
    TITLE,
    conversation,
    labelled,
    question,
    reply,
    turn,
    unseen,
)
from tests.databases import SpareDatabases
from tests.ready_servers import ready_servers

from bench.recall import tuning
from bench.recall.ablation import LEFT_OUT, bench_ablation, variants
from bench.recall.dataset import DatasetError
from bench.recall.kept import Kept, KeptQuestion, compare, keep_questions
from bench.recall.plan import plan
from bench.recall.replay import Replay
from bench.recall.tuning import as_setting, bench_tune, halves, quality, search
from bench.recall.weights_table import show_ablation, show_tune
from recollect.assembly import make_policy
from recollect.retrieval import SignalWeights
from recollect.retrieval.signals import Signals
from recollect.settings import EngineSettings
from recollect_proxy.settings import ProxySettings

GARDEN = conversation(
    [
        turn("g1", "I planted seven quince trees behind the barn."),
        reply("g2", "They like the sun."),
        turn("g3", "My neighbour keeps bees on the roof."),
        reply("g4", "Bees like quince blossoms."),
    ],
    [question("q7", "How many quince trees did I plant?", "g1"), question("q8", TITLE, "g3")],
    name="bert",
)
DATA = [("tea.jsonl", [labelled(TEA)]), ("garden.jsonl", [labelled(GARDEN)])]


def kept(name: str, evidence: str = "right", file: str = "a.jsonl", **signals: list[float]) -> KeptQuestion:
    """Return a question with two candidates: the right one, and the wrong one first among equals."""
    arrays = {name: np.array(values) for name, values in signals.items()}
    turns = (("right",), ("wrong", "reply"))
    return KeptQuestion(file, name, (evidence,), Signals(**arrays), turns, np.array([1, 0]))  # type: ignore[arg-type]  # arrays, each of them


def shown(show: Any, figures: dict[str, Any]) -> str:
    written = io.StringIO()
    show(figures, Console(file=written, width=100))
    return written.getvalue()


@pytest.fixture(scope="module")
async def found(operator_settings: ProxySettings, spare_databases: SpareDatabases) -> Kept:
    """What was kept of a replay of all the data."""
    with unseen() as progress:
        async with ready_servers(spare_databases):
            kept = await keep_questions(DATA, operator_settings, questions=None, progress=progress)
        assert progress.finished
    return kept


async def test_what_is_kept_ranks_as_the_engine_ranked_it(replay: Replay, found: Kept) -> None:
    tea = labelled(TEA | {"id": "ranked"})
    asked = await replay.play(tea, plan(tea), lambda: None)
    engine = {each.question.evidence: each.ranked for each in asked if each.question.evidence}

    of_tea = [each for each in found.questions if each.file == "tea.jsonl"]

    assert {each.evidence: each.ranked(SignalWeights()) for each in of_tea} == engine
    assert {each.file for each in found.questions} == {"tea.jsonl", "garden.jsonl"}
    assert found.tally.exchanges == 5


def keeping(monkeypatch: pytest.MonkeyPatch, kept: Kept) -> None:
    """Have the bench tune on what was kept, without another replay."""

    async def keep(
        _data: object,
        settings: ProxySettings,
        *,
        questions: int | None,
        progress: Progress,  # noqa: ARG001 -- what the replay takes
    ) -> Kept:
        assert (settings.recall_weights, questions) == ({}, None), "it was kept with these"
        return kept

    monkeypatch.setattr(tuning, "keep_questions", keep)


async def test_tuning_measures_each_half_by_what_the_other_found(
    operator_settings: ProxySettings, progress: Progress, found: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeping(monkeypatch, found)

    figures = await bench_tune(DATA, operator_settings, questions=None, progress=progress)

    first, second = figures["folds"]
    assert first["searched_on"] == second["measured_on"] == {"conversations": 1, "questions": 3}
    assert second["searched_on"] == first["measured_on"] == {"conversations": 1, "questions": 2}
    assert set(second["as_set"]["files"]) == {"tea.jsonl"}
    assert first["as_set"]["files"]["garden.jsonl"]["ndcg_at_5"] == 0.5, (
        "for a question that is a task nothing is found"
    )
    assert first["setting"].startswith("recall_weights=")
    assert figures["counts"]["questions"] == 5
    assert progress.finished
    text = shown(show_tune, figures)
    assert first["setting"] in text
    assert "found on 3 questions of 1 conversations" in text


async def test_one_conversation_has_no_halves(
    operator_settings: ProxySettings, progress: Progress, found: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_garden = [each for each in found.questions if each.file == "garden.jsonl"]
    keeping(monkeypatch, replace(found, questions=of_garden))

    with pytest.raises(DatasetError, match="two conversations"):
        await bench_tune(DATA[1:], operator_settings, questions=None, progress=progress)


@pytest.mark.usefixtures("ready_server")
async def test_an_ablation_leaves_out_one_weight_at_a_time(
    operator_settings: ProxySettings, progress: Progress
) -> None:
    settings = operator_settings.model_copy(update={"recall_weights": {"speaker": 0.25}})

    figures = await bench_ablation(DATA, settings, questions=1, progress=progress)

    assert list(figures["variants"]) == [
        "everything",
        *(f"without {name}" for name in LEFT_OUT),
        "dense alone",
        "BM25 alone",
    ]
    for found in figures["variants"].values():
        assert found["files"]["garden.jsonl"]["questions"] == 1
        assert found["mean"]["recall_at_10"] == 1.0, "few turns are all among the first ten"
    assert figures["settings"]["recall_weights"] == {"speaker": 0.25}
    text = shown(show_ablation, figures)
    assert "without speaker" in text
    assert "mean" in text
    one = {name: {**found, "files": {"a": found["mean"]}} for name, found in figures["variants"].items()}
    assert "mean" not in shown(show_ablation, figures | {"variants": one}), "of one file it says the same"


def test_variants_change_what_they_name_alone() -> None:
    given = replace(SignalWeights(), date=0.4)
    made = variants(given)

    assert made["everything"] == given
    assert made["without date"] == replace(given, date=0.0)
    assert (made["dense alone"].dense, made["dense alone"].lexical) == (1.0, 0.0)
    assert (made["BM25 alone"].dense, made["BM25 alone"].lexical, made["BM25 alone"].date) == (0.0, 1.0, 0.0)


async def test_the_search_finds_what_ranks_the_evidence_first() -> None:
    asked = [kept("anna", date=[1.0, 0.0], coverage=[0.0, 1.0])]
    trials: list[None] = []
    assert quality(asked, SignalWeights()) == pytest.approx(0.5), "it stands third"

    found = await search(asked, SignalWeights(), lambda: trials.append(None))

    assert quality(asked, found) == 1.0
    assert found == replace(SignalWeights(), lexical=found.lexical, date=found.date), "all else stands"
    assert found.lexical < found.date
    assert trials


async def test_the_search_stays_where_nothing_gains() -> None:
    asked = [kept("anna", speaker=[1.0, 0.0])]

    assert await search(asked, SignalWeights()) == SignalWeights()


def test_candidates_that_score_alike_are_ranked_by_age_and_expanded() -> None:
    asked = kept("anna", speaker=[1.0, 1.0])

    assert asked.ranked(SignalWeights()) == ("wrong", "reply", "right")
    assert replace(asked, signals=None).ranked(SignalWeights()) == ()
    many = tuple((f"{n}", f"{n}'") for n in range(30))
    long = replace(asked, signals=Signals(speaker=np.ones(30)), turns=many, order=np.arange(30))
    assert long.ranked(SignalWeights()) == tuple(turn_id for each in many[:10] for turn_id in each)


def test_halves_are_made_by_conversation_and_of_each_file() -> None:
    asked = [kept(f"{file}{n}", file=file) for file in ("a", "b") for n in range(10) for _ in range(3)]

    one, other = halves(asked)

    assert len(one) == len(other) == 30
    assert {each.conversation_id for each in one}.isdisjoint(each.conversation_id for each in other)
    assert len([each for each in one if each.file == "a"]) == 15
    assert halves(asked) == (one, other)
    assert halves([]) == ([], [])


def test_each_file_counts_alike() -> None:
    right, wrong = [1.0, 0.0], [0.0, 1.0]
    asked = [
        kept("anna", speaker=right),
        kept("ben", file="b.jsonl", speaker=wrong, evidence="nothing"),
    ]
    asked += [kept("ben", file="b.jsonl", speaker=wrong, evidence="nothing")] * 3

    figures = compare(asked, SignalWeights())

    assert figures["files"]["a.jsonl"] == {
        "questions": 1,
        "ndcg_at_5": 1.0,
        "ndcg_at_10": 1.0,
        "recall_at_10": 1.0,
    }
    assert figures["files"]["b.jsonl"]["questions"] == 4
    assert figures["mean"] == {"ndcg_at_5": 0.5, "ndcg_at_10": 0.5, "recall_at_10": 0.5}
    assert quality(asked, SignalWeights()) == 0.5
    assert compare([], SignalWeights()) == {"files": {}, "mean": {}}


def test_what_it_prints_makes_the_engine_use_the_weights() -> None:
    found = replace(SignalWeights(), dense=0.7, session=0.0)

    name, _, value = as_setting(found).partition("=")

    assert make_policy(EngineSettings(**{name: json.loads(value)})).weights == found
    assert as_setting(SignalWeights()) == "recall_weights={}"
