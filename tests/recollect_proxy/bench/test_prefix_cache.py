"""The cache bench compares a chat's requests as the upstream got them, memories and all."""

import io

import pytest
from rich.console import Console
from rich.progress import Progress
from tests.recollect_proxy.bench.conversations import conversation, labelled, reply, turn

from recollect.errors import ConfigurationError
from recollect_proxy.bench import prefix_cache
from recollect_proxy.bench.opening import open_replay
from recollect_proxy.bench.plan import plan
from recollect_proxy.bench.prefix_cache import Placement, SessionCaps, bench_cache, capped, play_chats
from recollect_proxy.bench.table import show_cache
from recollect_proxy.settings import ProxySettings

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


async def test_each_request_is_compared_with_the_one_before_of_its_chat(
    operator_settings: ProxySettings,
) -> None:
    made = plan(TALK, questions=0, history_messages=None)
    steps: list[None] = []

    async with open_replay(operator_settings, placement="off") as replay:
        chats = await play_chats(replay, [TALK], [made], lambda: steps.append(None))

    assert (chats.requests, chats.with_memories, len(steps)) == (4, 0, 4)
    assert [each.messages for each in chats.reuses] == [1.0, 1.0]
    assert all(0.95 < each.body < 1.0 for each in chats.reuses)


@places_memories
async def test_memories_at_the_head_cost_the_cache_and_none_cost_nothing(
    operator_settings: ProxySettings, progress: Progress
) -> None:
    figures = await bench_cache(
        "tea.jsonl",
        [TALK],
        operator_settings,
        placements=[Placement.SYSTEM, Placement.OFF],
        caps=SessionCaps(),
        progress=progress,
    )

    system, off = figures["placements"]["system"], figures["placements"]["off"]
    assert off["messages"] == {"mean": 1.0, "p5": 1.0, "median": 1.0}
    assert (off["pairs"], off["requests"], off["requests_with_memories"]) == (2, 4, 0)
    assert system["requests_with_memories"] > 0
    assert system["messages"]["mean"] < 1.0
    assert (figures["turns"], figures["turns_left_out"]) == (7, 0)
    assert progress.finished

    written = io.StringIO()
    show_cache(figures, Console(file=written, width=80))
    assert "off" in written.getvalue()
    assert max(map(len, written.getvalue().splitlines())) <= 80


@places_memories
async def test_a_stable_placement_keeps_what_was_sent_before(
    operator_settings: ProxySettings, progress: Progress
) -> None:
    figures = await bench_cache(
        "tea.jsonl",
        [TALK],
        operator_settings,
        placements=[Placement.STABLE, Placement.SYSTEM],
        caps=SessionCaps(),
        progress=progress,
    )

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
