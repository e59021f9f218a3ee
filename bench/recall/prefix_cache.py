"""Measures which part of a request an upstream's prefix cache can use again for the chat's next.

    python -m bench cache --data FILE [--conversations N] [--placement NAME] [--turns N] [--bytes N]

Every request carries its chat's whole history. For each two that follow each other: the share of the first's messages, and of its
whole body, as the upstream got them, that the second's begin with.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from bench.engines import NO_UPSTREAM, unhurried
from bench.figures import percent
from bench.recall.dataset import LabelledConversation, SaidTurn, read_conversations
from bench.recall.opening import open_replay
from bench.recall.plan import plan
from bench.recall.prefix import Reuse, reuse, summarize_reuse
from bench.recall.replay import Replay
from bench.recall.turn_ids import TurnIds
from bench.report import options_of, progress, publish, table
from recollect.composition import FENCE
from recollect_proxy.settings.proxy_settings import ProxySettings

_PLACEMENTS = ("stable", "system", "off")
_TURNS, _BYTES = 60, 200_000
"""Turns of a chat, and bytes of their text, that are replayed at most."""


async def measure(
    conversations: Sequence[LabelledConversation], placements: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Replay conversations once under each placement, and return its figures by its name."""
    settings = ProxySettings(upstream=NO_UPSTREAM)
    figures: dict[str, dict[str, Any]] = {}
    for placement in placements:
        changes: dict[str, Any] = {"placement": placement, "recall_limit": settings.recall_limit}
        # a recall that comes too late adds nothing, and would flatter the cache
        async with open_replay(settings, **unhurried(settings), **changes) as replay:
            figures[placement] = await play_chats(replay, conversations)
        progress(f"{placement}: {figures[placement]['requests']} requests")
    return figures


async def play_chats(replay: Replay, conversations: Sequence[LabelledConversation]) -> dict[str, Any]:
    """Send the conversations, and compare each request that reached the upstream with the chat's previous one.

    Memories of a request are formed before the next is sent: a person types for longer than that takes.
    """
    reuses: list[Reuse] = []
    with_memories = 0
    for conversation in conversations:
        replay.begin(conversation)
        turns = TurnIds()
        before: dict[str, bytes] = {}
        for sending in plan(conversation, questions=0, history_messages=None).sendings:
            await replay.send(conversation.id, sending, turns)
            await replay.drained()
            session, received = sending.turn.session, replay.upstream.received
            with_memories += FENCE.encode() in received
            if session in before:
                reuses.append(reuse(before[session], received))
            before[session] = received
    counted = {"requests": replay.tally.exchanges, "requests_with_memories": with_memories}
    return counted | summarize_reuse(reuses)


def capped(conversation: LabelledConversation, turns: int, text_bytes: int) -> LabelledConversation:
    """Return the conversation with at most so many turns, and bytes of text, of each chat."""
    seen, size = defaultdict[str, int](int), defaultdict[str, int](int)
    kept: list[SaidTurn] = []
    for turn in conversation.turns:
        seen[turn.session] += 1
        size[turn.session] += len(turn.text.encode(errors="replace"))
        if seen[turn.session] <= turns and size[turn.session] <= text_bytes:
            kept.append(turn)
    return msgspec.structs.replace(conversation, turns=tuple(kept), questions=())


def _row(placement: str, found: dict[str, Any]) -> tuple[object, ...]:
    messages = found["messages"]
    shares = (
        *(messages[name] for name in ("mean", "p5", "median")),
        found["bytes_reused"],
        found["body"]["mean"],
    )
    cells = ("-" if each is None else percent(each, decimals=1) for each in shares)
    return placement, found["pairs"], found["requests_with_memories"], *cells


def main() -> None:
    """Replay, and print the figures."""
    parser = options_of(__doc__)
    parser.add_argument(
        "--data", type=Path, required=True, help="labelled conversations, one JSON object a line"
    )
    parser.add_argument("--conversations", type=int, help="replay the first N conversations")
    parser.add_argument(
        "--placement", choices=(*_PLACEMENTS, "user"), help="only this one; else stable, system and off"
    )
    parser.add_argument("--turns", type=int, default=_TURNS, help="replay the first N turns of a chat")
    parser.add_argument("--bytes", type=int, default=_BYTES, help="replay a chat up to N bytes of text")
    options = parser.parse_args()
    read = read_conversations(options.data)[: options.conversations]
    kept = [capped(each, options.turns, options.bytes) for each in read]
    figures = asyncio.run(measure(kept, [options.placement] if options.placement else _PLACEMENTS))
    heads = ("memories", "pairs", "with any", "mean", "p5", "median", "all bytes", "whole body")
    body = table(heads, [_row(*each) for each in figures.items()])
    publish(options, "Share of a request that the next of its chat begins with", body, figures)
