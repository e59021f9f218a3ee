"""Measures which part of a request an upstream's prefix cache can use again for the chat's next.

    python -m bench cache --data FILE [--conversations N] [--placement NAME] [--turns N] [--bytes N]

Every request carries its chat's whole history. For each two that follow each other: the share of the first's messages, and of its
whole body, as the upstream got them, that the second's begin with.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

import msgspec
import numpy as np

from bench.engines import open_bench
from bench.figures import percent, percentile
from bench.recall.dataset import LabelledConversation, SaidTurn, read_conversations
from bench.recall.plan import sendings
from bench.report import options_of, progress, publish, table
from recollect.composition import FENCE
from recollect.model import Strategy

_PLACEMENTS = ("stable", "system", "off")
_TURNS, _BYTES = 60, 200_000
"""Turns of a chat, and bytes of their text, that are replayed at most."""


class _Body(msgspec.Struct):
    messages: msgspec.Raw


@dataclass(frozen=True, slots=True)
class Reuse:
    """The common beginning of two successive requests of a chat.

    Attributes:
        messages: Share of the first's messages, from the first to the end of the last, that the
            second's begin with. A cache of the prompt sees these.
        body: Share of the first's whole body that the second's begins with.
        length: Bytes of the first's messages.
    """

    messages: float
    body: float
    length: int


def reuse(before: bytes, after: bytes) -> Reuse:
    """Compare the bodies of two requests of a chat, as an upstream got them."""
    said, said_after = _messages(before), _messages(after)
    return Reuse(
        messages=common_prefix(said, said_after) / len(said),
        body=common_prefix(before, after) / len(before),
        length=len(said),
    )


def common_prefix(one: bytes, other: bytes) -> int:
    """Return how many bytes two texts begin alike with."""
    length = min(len(one), len(other))
    differing = np.frombuffer(one, np.uint8, length) != np.frombuffer(other, np.uint8, length)
    return int(differing.argmax()) if differing.any() else length


def summarize_reuse(pairs: Sequence[Reuse]) -> dict[str, Any]:
    """Return mean, 5th percentile and median of the shares; null where there was nothing to compare.

    ``bytes_reused`` is the share of all bytes of messages, so that long requests count for more.
    """
    length = sum(each.length for each in pairs)
    return {
        "pairs": len(pairs),
        "messages": _spread([each.messages for each in pairs]),
        "body": _spread([each.body for each in pairs]),
        "bytes_reused": sum(each.messages * each.length for each in pairs) / length if length else None,
    }


def _messages(body: bytes) -> bytes:
    """Return the messages from the array's opening to the end of the last one."""
    return bytes(msgspec.json.decode(body, type=_Body).messages).rstrip().removesuffix(b"]").rstrip()


def _spread(shares: Sequence[float]) -> dict[str, float | None]:
    return {
        "mean": fmean(shares) if shares else None,
        "p5": percentile(shares, 5),
        "median": median(shares) if shares else None,
    }


async def measure(conversations: Sequence[LabelledConversation], placement: str) -> dict[str, Any]:
    """Replay conversations under a placement: compare each request, as an LLM would get it, with its chat's previous one.

    Memories of a request are formed before the next is sent: a person types for longer than that takes.
    """
    reuses: list[Reuse] = []
    with_memories = 0
    async with open_bench(formation=Strategy.QA_TURN, placement=placement) as bench:
        for conversation in conversations:
            bench.clock.restart()
            before: dict[str, bytes] = {}
            for each in sendings(conversation, history_messages=None):
                turn, at = each.turn, each.turn.at or bench.clock()
                sent = await bench.say(conversation.id, turn.session, turn.id, each.messages, each.reply, at)
                await bench.form(conversation.id)
                with_memories += FENCE.encode() in sent
                if turn.session in before:
                    reuses.append(reuse(before[turn.session], sent))
                before[turn.session] = sent
    progress(f"{placement}: {len(reuses)} pairs")
    return {"requests_with_memories": with_memories} | summarize_reuse(reuses)


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
    chosen = [options.placement] if options.placement else _PLACEMENTS
    figures = {each: asyncio.run(measure(kept, each)) for each in chosen}
    heads = ("memories", "pairs", "with any", "mean", "p5", "median", "all bytes", "whole body")
    body = table(heads, [_row(*each) for each in figures.items()])
    publish(options, "Share of a request that the next of its chat begins with", body, figures)
