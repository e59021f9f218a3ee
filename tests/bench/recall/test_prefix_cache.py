"""The cache bench compares a chat's requests as the upstream got them, memories and all."""

import io
from typing import Any

import pytest
from rich.console import Console
from rich.progress import Progress
from tests.bench.conversations import conversation, labelled, reply, turn, unseen
from tests.databases import SpareDatabases
from tests.ready_servers import ready_servers

from bench.recall import prefix_cache
from bench.recall.prefix_cache import Placement, SessionCaps, bench_cache, capped
from bench.recall.table import show_cache
from recollect.errors import ConfigurationError
from recollect_proxy.settings.proxy_settings import ProxySettings

TALK = labelled(
    conversation(
        [
            turn("t1", "Every morning I drink green tea from Uji."),
            reply("t2", "That sounds refreshing."),
            turn("u1", "zzyzx qwrtp vlkjh.", session="2"),
            reply("u2", "Pardon?", session="2"),
            turn("u3", "What tea do I drink in the morning?", session="2"),
            reply("u4", "Green tea from Uji.", session="2"),
            turn("u5", "And zzyzx qwrtp vlkjh?", session="2"),
        ]
    )
)
places_memories = pytest.mark.skipif(
    prefix_cache.PLACEMENT_SETTING not in ProxySettings.model_fields, reason="this version has one placement"
)


def test_a_chat_is_cut_where_it_gets_too_long_and_others_are_not() -> None:
    by_turns = capped(TALK, SessionCaps(turns=3))
    by_bytes = capped(TALK, SessionCaps(text_bytes=70))

    assert [each.id for each in by_turns.turns] == ["t1", "t2", "u1", "u2", "u3"]
    assert [each.id for each in by_bytes.turns] == ["t1", "t2", "u1", "u2", "u3"]


@pytest.fixture(scope="module")
async def figures(operator_settings: ProxySettings, spare_databases: SpareDatabases) -> dict[str, Any]:
    """What the bench finds with memories in three places."""
    placements = [Placement.STABLE, Placement.SYSTEM, Placement.OFF]
    with unseen() as progress:
        async with ready_servers(spare_databases, starts=len(placements)):
            figures = await bench_cache(
                "tea.jsonl",
                [TALK],
                operator_settings,
                placements=placements,
                caps=SessionCaps(),
                progress=progress,
            )
        assert progress.finished
    return figures


@places_memories
def test_each_request_is_compared_with_the_one_before_of_its_chat(figures: dict[str, Any]) -> None:
    off = figures["placements"]["off"]

    assert (off["pairs"], off["requests"], off["requests_with_memories"]) == (2, 4, 0)
    assert off["messages"] == {"mean": 1.0, "p5": 1.0, "median": 1.0}
    assert all(0.95 < share < 1.0 for share in off["body"].values())


@places_memories
def test_memories_at_the_head_cost_the_cache_and_none_cost_nothing(figures: dict[str, Any]) -> None:
    system, off = figures["placements"]["system"], figures["placements"]["off"]

    assert off["messages"]["mean"] == 1.0
    assert system["requests_with_memories"] > 0
    assert system["messages"]["mean"] < 1.0
    assert (figures["turns"], figures["turns_left_out"]) == (7, 0)

    written = io.StringIO()
    show_cache(figures, Console(file=written, width=80))
    assert "off" in written.getvalue()
    assert max(map(len, written.getvalue().splitlines())) <= 80


@places_memories
def test_a_stable_placement_keeps_what_was_sent_before(figures: dict[str, Any]) -> None:
    stable, system = figures["placements"]["stable"], figures["placements"]["system"]

    assert stable["requests_with_memories"] > 0
    assert stable["messages"]["mean"] >= system["messages"]["mean"]
    assert stable["messages"]["mean"] > 0.5, "memories that were added once change nothing any more"


async def test_a_version_without_placements_is_told_before_anything_is_started(
    operator_settings: ProxySettings, progress: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prefix_cache, "PLACEMENT_SETTING", "no_such_setting")

    with pytest.raises(ConfigurationError, match="no setting `no_such_setting`"):
        await bench_cache(
            "tea.jsonl",
            [TALK],
            operator_settings,
            placements=[Placement.OFF],
            caps=SessionCaps(),
            progress=progress,
        )
