"""The code bench asks a replayed store for the names that were talked of, in three forms each."""

import io
from typing import Any

import pytest
from rich.console import Console
from rich.progress import Progress
from tests.recollect_proxy.bench.conversations import conversation, labelled, question, reply, turn

from recollect.errors import ConfigurationError
from recollect_proxy.bench import code_recall
from recollect_proxy.bench.code_recall import bench_code
from recollect_proxy.bench.table import show_code
from recollect_proxy.settings import ProxySettings

ORDERS = labelled(
    conversation(
        [
            turn("t1", "How should fetchOrders treat an empty page of orders?"),
            reply("t2", "Return an empty list; the caller checks it."),
            turn("t3", "I baked a plum cake for the neighbours."),
            reply("t4", "Lovely."),
            reply("x1", "Nobody asked about notSent.", session="2"),
        ],
        [question("q", "What did I bake?", "t3")],
    )
)


def shown(figures: dict[str, Any]) -> str:
    written = io.StringIO()
    show_code(figures, Console(file=written, width=80))
    return written.getvalue()


async def test_names_are_asked_for_in_each_form_and_nothing_else_is(
    operator_settings: ProxySettings, progress: Progress
) -> None:
    figures = await bench_code(
        "orders.jsonl", [ORDERS], operator_settings, identifiers=300, dense_only=False, progress=progress
    )

    assert figures["identifiers"] == 1, "what was not sent can't be found"
    assert figures["counts"]["questions"] == 3
    assert set(figures["ranked"]["categories"]) == {"exact", "lower_case", "words"}
    assert figures["ranked"]["categories"]["exact"]["questions"] == 1
    assert figures["ranked"]["overall"]["recall_at_5"] == 1.0
    assert figures["ranked"]["overall"]["hit_at_20"] == 1.0
    assert figures["dense_only"] is None
    assert progress.finished
    assert "embeddings alone" not in shown(figures)
    assert "What embeddings alone rank" in shown(figures | {"dense_only": figures["ranked"]})


async def test_what_can_not_be_switched_off_is_told_before_anything_is_started(
    operator_settings: ProxySettings, progress: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_recall, "HYBRID_SETTING", "no_such_setting")

    with pytest.raises(ConfigurationError, match="no setting `no_such_setting`"):
        await bench_code(
            "orders.jsonl", [ORDERS], operator_settings, identifiers=3, dense_only=True, progress=progress
        )


@pytest.mark.skipif(
    code_recall.HYBRID_SETTING not in ProxySettings.model_fields, reason="this version ranks in one way"
)
async def test_the_ranking_by_embeddings_alone_is_told_apart(
    operator_settings: ProxySettings, progress: Progress
) -> None:
    figures = await bench_code(
        "orders.jsonl", [ORDERS], operator_settings, identifiers=300, dense_only=True, progress=progress
    )

    assert figures["dense_only"]["overall"]["questions"] == 3
    assert progress.finished
