"""The cache bench: how much of a chat's requests stays the same from one to the next, with memories in them.

Never: how figures are shown.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any

import msgspec
from rich.progress import Progress

from bench.recall.dataset import LabelledConversation, SaidTurn
from bench.recall.opening import open_replay, unhurried
from bench.recall.plan import Plan, plan
from bench.recall.prefix import Reuse, reuse, summarize_reuse
from bench.recall.replay import Replay
from bench.recall.summary import settings_used
from bench.recall.turn_ids import TurnIds
from recollect import __version__
from recollect.composition import FENCE
from recollect.errors import ConfigurationError
from recollect_proxy.settings.proxy_settings import ProxySettings

PLACEMENT_SETTING = "placement"
"""The setting that says where memories go."""

_FENCE = FENCE.encode()


class Placement(StrEnum):
    """Where memories go."""

    STABLE = "stable"
    SYSTEM = "system"
    USER = "user"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class SessionCaps:
    """How long a chat may get before the rest of it is left out.

    Attributes:
        turns: Turns of a chat that are replayed at most, its first.
        text_bytes: Bytes of their text at most.
    """

    turns: int = 60
    text_bytes: int = 200_000


@dataclass(frozen=True, slots=True)
class Chats:
    """What came of replaying chats.

    Attributes:
        reuses: One for each request but the first of its chat.
        requests: How many were sent.
        with_memories: How many of these reached the upstream with memories in them.
    """

    reuses: list[Reuse]
    requests: int
    with_memories: int


async def bench_cache(
    name: str,
    conversations: Sequence[LabelledConversation],
    settings: ProxySettings,
    *,
    placements: Sequence[Placement],
    caps: SessionCaps,
    progress: Progress,
) -> dict[str, Any]:
    """Replay ``conversations`` under each placement, each request with its chat's whole history.

    Args:
        name: What they are called in the figures.
        conversations: What was said.
        settings: The operator's; see ``open_replay``.
        placements: Where memories go, one replay each.
        caps: How much of a chat is replayed.
        progress: Is told how far it is.

    Returns:
        For each placement how much of a request's bytes the next one of the chat begins with.

    Raises:
        RecollectError: It can't be done.
    """
    if PLACEMENT_SETTING not in type(settings).model_fields:
        raise ConfigurationError(f"This version has no setting `{PLACEMENT_SETTING}` to compare.")
    kept = [capped(conversation, caps) for conversation in conversations]
    plans = [plan(conversation, questions=0, history_messages=None) for conversation in kept]
    bar = progress.add_task(name, total=sum(len(each.sendings) for each in plans) * len(placements))
    figures: dict[str, Any] = {}
    used: dict[str, Any] = {}
    for placement in placements:
        changes = {PLACEMENT_SETTING: placement.value, "recall_limit": settings.recall_limit}
        # a recall that comes too late adds nothing, and would flatter the cache
        async with open_replay(settings, **unhurried(settings), **changes) as replay:
            chats = await play_chats(replay, kept, plans, partial(progress.advance, bar))
        used = settings_used(replay.settings)
        figures[placement.value] = _figures(chats)
    return {
        "bench": "cache",
        "version": __version__,
        "data": name,
        "settings": {name: value for name, value in used.items() if name != PLACEMENT_SETTING},
        "session_turns": caps.turns,
        "session_bytes": caps.text_bytes,
        "conversations": len(kept),
        "turns": _turns(kept),
        "turns_left_out": _turns(conversations) - _turns(kept),
        "placements": figures,
    }


def _figures(chats: Chats) -> dict[str, Any]:
    return {
        "requests": chats.requests,
        "requests_with_memories": chats.with_memories,
        **summarize_reuse(chats.reuses),
    }


def _turns(conversations: Sequence[LabelledConversation]) -> int:
    return sum(len(each.turns) for each in conversations)


def capped(conversation: LabelledConversation, caps: SessionCaps) -> LabelledConversation:
    """Return the conversation without what is behind the caps of each session, and without questions."""
    turns, text_bytes = defaultdict[str, int](int), defaultdict[str, int](int)
    kept: list[SaidTurn] = []
    for turn in conversation.turns:
        turns[turn.session] += 1
        text_bytes[turn.session] += len(turn.text.encode(errors="replace"))
        if turns[turn.session] <= caps.turns and text_bytes[turn.session] <= caps.text_bytes:
            kept.append(turn)
    return msgspec.structs.replace(conversation, turns=tuple(kept), questions=())


async def play_chats(
    replay: Replay,
    conversations: Sequence[LabelledConversation],
    plans: Sequence[Plan],
    advance: Callable[[], None],
) -> Chats:
    """Send what was said, and compare each request that reached the upstream with the chat's one before.

    Memories of a request are formed before the next is sent: a person types for longer than that takes.
    """
    reuses: list[Reuse] = []
    with_memories = 0
    for conversation, made in zip(conversations, plans, strict=True):
        replay.begin(conversation)
        turns = TurnIds()
        before: dict[str, bytes] = {}
        for sending in made.sendings:
            await replay.send(conversation.id, sending, turns)
            await replay.drained()
            session, received = sending.turn.session, replay.upstream.received
            with_memories += _FENCE in received
            if session in before:
                reuses.append(reuse(before[session], received))
            before[session] = received
            advance()
    return Chats(reuses, replay.tally.exchanges, with_memories)
