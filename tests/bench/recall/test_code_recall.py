"""The code bench asks a replayed store for the names that were talked of, in three forms each."""

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.progress import Progress
from tests.bench.command_line import bench
from tests.bench.conversations import (
    conversation,
    labelled,
    question,
    reply,
    turn,
    unseen,
    write,
)
from tests.databases import SpareDatabases
from tests.ready_servers import ready_servers

from bench import command
from bench.recall import code_recall
from bench.recall.code_recall import bench_code
from bench.recall.table import show_code
from recollect.errors import ConfigurationError
from recollect_proxy.settings.proxy_settings import ProxySettings

GIVEN = conversation(
    [
        turn("t1", "How should fetchOrders treat an empty page of orders?"),
        reply("t2", "Return an empty list; the caller checks it."),
        turn("t3", "I baked a plum cake for the neighbours."),
        reply("t4", "Lovely."),
        reply("x1", "Nobody asked about notSent.", session="2"),
    ],
    [question("q", "What did I bake?", "t3")],
)
ORDERS = labelled(GIVEN)
ranks_in_two_ways = pytest.mark.skipif(
    code_recall.HYBRID_SETTING not in ProxySettings.model_fields, reason="this version ranks in one way"
)


def shown(figures: dict[str, Any]) -> str:
    written = io.StringIO()
    show_code(figures, Console(file=written, width=80))
    return written.getvalue()


@pytest.fixture(scope="module")
async def figures(operator_settings: ProxySettings, spare_databases: SpareDatabases) -> dict[str, Any]:
    """What the bench finds with both rankings, and with the one by embeddings alone."""
    with unseen() as progress:
        async with ready_servers(spare_databases, starts=2):
            figures = await bench_code(
                "orders.jsonl",
                [ORDERS],
                operator_settings,
                identifiers=300,
                dense_only=True,
                progress=progress,
            )
        assert progress.finished
    return figures


@ranks_in_two_ways
def test_names_are_asked_for_in_each_form_and_nothing_else_is(figures: dict[str, Any]) -> None:
    assert figures["identifiers"] == 1, "what was not sent can't be found"
    assert figures["counts"]["questions"] == 3
    assert set(figures["ranked"]["categories"]) == {"exact", "lower_case", "words"}
    assert figures["ranked"]["categories"]["exact"]["questions"] == 1
    assert figures["ranked"]["overall"]["recall_at_5"] == 1.0
    assert figures["ranked"]["overall"]["hit_at_20"] == 1.0


@ranks_in_two_ways
def test_the_ranking_by_embeddings_alone_is_told_apart(figures: dict[str, Any]) -> None:
    assert figures["dense_only"]["overall"]["questions"] == 3
    assert "What embeddings alone rank" in shown(figures)
    assert "embeddings alone" not in shown(figures | {"dense_only": None})


@ranks_in_two_ways
@pytest.mark.parametrize("dense", [False, True])
def test_the_command_prints_a_table(
    figures: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, dense: bool
) -> None:
    async def measured(
        name: str,
        conversations: object,
        _settings: object,
        *,
        identifiers: int,
        dense_only: bool,
        progress: object,
    ) -> dict[str, Any]:
        assert (name, conversations, identifiers) == ("orders.jsonl", [ORDERS], 7)
        assert dense_only is dense
        assert progress is not None
        return figures | ({} if dense_only else {"dense_only": None})

    monkeypatch.setattr(command, "bench_code", measured)
    data = write(tmp_path / "orders.jsonl", GIVEN)

    ended = bench("code", "--data", data, "--identifiers", "7", *(["--dense"] if dense else []))

    assert (ended.exit_code, ended.stderr) == (0, "")
    assert "identifiers: 1" in ended.stdout
    assert ("embeddings alone" in ended.stdout) is dense


async def test_what_can_not_be_switched_off_is_told_before_anything_is_started(
    operator_settings: ProxySettings, progress: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_recall, "HYBRID_SETTING", "no_such_setting")

    with pytest.raises(ConfigurationError, match="no setting `no_such_setting`"):
        await bench_code(
            "orders.jsonl", [ORDERS], operator_settings, identifiers=3, dense_only=True, progress=progress
        )
