"""The abstention bench asks full stores what they know and what they can't know."""

import io
import json
from dataclasses import fields
from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import Progress
from tests.bench.command_line import bench
from tests.bench.conversations import (
    FRIENDS,
    TEA,
    conversation,
    labelled,
    question,
    turn,
    write,
)
from tests.recollect_proxy.command_line import operators

from bench.recall import abstention
from bench.recall.abstention import bench_abstention
from bench.recall.dataset import DatasetError
from bench.recall.table import show_abstention
from recollect.assembly import make_policy
from recollect.errors import ConfigurationError
from recollect.model import Recall
from recollect_proxy.settings.proxy_settings import ProxySettings

tells_gate_scores = pytest.mark.skipif(
    abstention.GATE_SCORE not in {field.name for field in fields(Recall)},
    reason="this version's recall tells no gate score",
)
DATA = [("tea.jsonl", [labelled(TEA)]), ("friends.jsonl", [labelled(FRIENDS)])]


@tells_gate_scores
@pytest.mark.usefixtures("ready_server")
def test_own_and_unrelated_questions_are_asked_and_counted(
    operator_settings: ProxySettings, tmp_path: Path
) -> None:
    tea, friends = write(tmp_path / "tea.jsonl", TEA), write(tmp_path / "friends.jsonl", FRIENDS)

    ended = bench(
        *("abstention", "--data", tea, "--data", friends, "--unrelated", "3", "--json"),
        **operators(operator_settings),
    )

    assert (ended.exit_code, ended.stderr) == (0, "")
    figures = json.loads(ended.stdout)

    assert figures["data"] == ["tea.jsonl", "friends.jsonl"]
    assert figures["unrelated_questions"] == 6
    assert figures["own_questions"] == 3, "what has no evidence, and what nobody answers, is not asked"
    assert figures["own_questions_with_evidence_ranked"] == 2, "one was asked before its answer was said"
    assert figures["counts"]["questions_not_recalled"] == 0
    stopped, passed = figures["shipped"]["threshold_between"]
    assert stopped is None or stopped < figures["shipped"]["threshold"]
    assert figures["shipped"]["threshold"] <= passed
    assert figures["shipped"]["threshold"] == make_policy(operator_settings).gate.threshold
    assert figures["shipped"]["own_losing_evidence"]["share"] == 0.0
    assert figures["shipped"]["own"]["tea.jsonl"]["questions"] == 2
    first, last = figures["curve"][0], figures["curve"][-1]
    assert first["unrelated_injecting"]["share"] == 1.0
    assert first["own_losing_evidence"]["share"] == 0.0
    assert last["unrelated_injecting"]["share"] == 0.0
    assert last["own_losing_evidence"]["share"] == 1.0

    written = io.StringIO()
    show_abstention(figures, Console(file=written, width=80))
    assert "unrelated: inject something" in written.getvalue()
    assert "the gate's threshold is" in written.getvalue()
    assert "own: lose their evidence" in written.getvalue()
    assert "2 of 3 own questions have evidence among the first 10" in written.getvalue()


@tells_gate_scores
@pytest.mark.usefixtures("ready_server")
async def test_a_gate_that_lets_nothing_through_loses_all_and_injects_nothing(
    operator_settings: ProxySettings, progress: Progress
) -> None:
    shut = operator_settings.model_copy(update={"recall_gate_threshold": 1.0})
    said = conversation(
        [turn("t1", "I ride a red bicycle.")], [question("q", "How do I travel to work?", "t1")]
    )

    figures = await bench_abstention([("a.jsonl", [labelled(said)])], shut, unrelated=2, progress=progress)

    assert figures["shipped"]["unrelated_injecting"]["share"] == 0.0
    assert figures["shipped"]["own_losing_evidence"]["share"] == 1.0
    stopped, passed = figures["shipped"]["threshold_between"]
    assert figures["shipped"]["threshold"] == 1.0
    assert stopped < 1.0
    assert passed is None
    assert progress.finished


@tells_gate_scores
async def test_two_conversations_of_one_id_would_share_a_memory_and_are_refused(
    operator_settings: ProxySettings, progress: Progress
) -> None:
    with pytest.raises(DatasetError, match=r"again\.jsonl: a conversation's id is in tea\.jsonl too"):
        await bench_abstention(
            [DATA[0], ("again.jsonl", [labelled(TEA)])], operator_settings, unrelated=1, progress=progress
        )


async def test_a_recall_that_tells_no_gate_score_is_told_before_anything_is_started(
    operator_settings: ProxySettings, progress: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(abstention, "GATE_SCORE", "no_such_attribute")

    with pytest.raises(ConfigurationError, match="does not tell what its gate went by"):
        await bench_abstention(DATA, operator_settings, unrelated=1, progress=progress)
