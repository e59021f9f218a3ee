"""Where in a prompt what is recalled goes, so that what an upstream has cached of the chat holds. Pure.

``stable``: the chat's first block stands in the system prompt, those of later turns beside their turn's
message, and each is added again as it was whenever the request carries its message. Never: await.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from recollect.composition.block import Block, compose
from recollect.composition.excerpts import focus_of
from recollect.composition.history import History, missing_exchanges, tell_history
from recollect.model import (
    Chat,
    Injection,
    Message,
    Place,
    Placement,
    Recollection,
    Role,
    Turn,
)

_GAP = "\n\n"


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much is added.

    Attributes:
        placement: Where it goes.
        memory_tokens: What a turn's memories may take.
        chat_memory_tokens: What all the blocks of a chat may take; the oldest half goes when they pass it.
        history_tokens: What the conversation's missing history may take; 0: none is told.
    """

    placement: Placement = Placement.STABLE
    memory_tokens: int = 1000
    chat_memory_tokens: int = 4000
    history_tokens: int = 800


@dataclass(frozen=True, slots=True)
class Placed:
    """What is added to a request.

    Attributes:
        system: To the system prompt.
        beside: Beside messages of the user, by their position in the request.
        earlier: Messages restored in front of the request's own, each with the block that stands beside it,
            or "".
        block: What this turn adds, if anything.
        injection: The same, to be noted.
        detached: Anchors of blocks that the chat adds no more.
        tokens: What all memories in the prompt take.
        history_tokens: What its history takes.
    """

    system: str = ""
    beside: Mapping[int, str] = field(default_factory=dict)
    earlier: tuple[tuple[Message, str], ...] = ()
    block: Block | None = None
    injection: Injection | None = None
    detached: tuple[str, ...] = ()
    tokens: int = 0
    history_tokens: int = 0


def attached(turn: Turn, chat: Chat, bounds: Bounds) -> tuple[Injection, ...]:
    """Return the earlier blocks of the chat that this request is given again, oldest first.

    Those of messages the request carries or is given back, and the system prompt's. When they take more than
    they may, the oldest half of those beside messages goes at once, not one with each turn.
    """
    if bounds.placement is not Placement.STABLE:
        return ()
    carried = {anchor for _, anchor in turn.anchors}
    restored = (
        {each.anchor for each in missing_exchanges(turn, chat.exchanges)} if bounds.history_tokens else set()
    )
    present = [
        each for each in chat.injections if each.place is Place.SYSTEM or each.anchor in carried | restored
    ]
    room = max(bounds.chat_memory_tokens - bounds.memory_tokens, 0)  # the turn's own block has its place
    while sum(each.tokens for each in present) > room:
        beside = [each for each in present if each.place is Place.BESIDE and each.anchor != turn.anchor]
        if not beside:
            break
        gone = beside[: (len(beside) + 1) // 2]
        present = [each for each in present if each not in gone]
    return tuple(present)


def place(
    turn: Turn,
    recollections: Sequence[Recollection],
    chat: Chat,
    bounds: Bounds,
    *,
    count: Callable[[str], int],
    at: datetime,
    code_first: bool = False,
) -> Placed:
    """Return what is added to the turn's request, and where.

    Args:
        turn: What was said.
        recollections: What was recalled for it, best first; what earlier blocks hold is not among them.
        chat: What is known of the chat.
        bounds: Where and how much.
        count: Counts the tokens of a text.
        at: Now.
        code_first: Whether blocks of code come first.
    """
    if bounds.placement is Placement.OFF:
        return Placed()
    history = _history(turn, chat, bounds, count)
    again = attached(turn, chat, bounds)
    block: Block | None = None
    if all(each.anchor != turn.anchor for each in again):
        block = compose(
            recollections,
            budget=bounds.memory_tokens,
            count=count,
            focus=focus_of(turn.text),
            code_first=code_first,
        )
    injection: Injection | None = None
    if block is not None:
        where = _place_of(turn, again, history, bounds)
        injection = Injection(turn.anchor, where, block.text, _items(block), block.tokens, at)
    blocks = (*again, *([injection] if injection else []))
    return _joined(turn, blocks, history, block, injection, _gone(chat, turn, again, bounds))


def _history(turn: Turn, chat: Chat, bounds: Bounds, count: Callable[[str], int]) -> History:
    missing = missing_exchanges(turn, chat.exchanges)
    return tell_history(missing, summary=chat.summary, budget=bounds.history_tokens, count=count)


def _place_of(turn: Turn, again: Sequence[Injection], history: History, bounds: Bounds) -> Place:
    if bounds.placement is Placement.SYSTEM:
        return Place.SYSTEM
    if bounds.placement is Placement.USER:
        return Place.BESIDE
    # Only the first turn of a chat: a system prompt that changes later costs all that is cached behind it.
    is_first = not turn.history and not history.restored and not again
    return Place.SYSTEM if is_first else Place.BESIDE


def _items(block: Block) -> tuple[UUID, ...]:
    return tuple(each.item.id for each in block.recollections)


def _gone(chat: Chat, turn: Turn, again: Sequence[Injection], bounds: Bounds) -> tuple[str, ...]:
    """Return the anchors of blocks whose message is in the request and which were left out for their size."""
    if bounds.placement is not Placement.STABLE:
        return ()
    carried = {anchor for _, anchor in turn.anchors}
    return tuple(each.anchor for each in chat.injections if each not in again and each.anchor in carried)


def _joined(
    turn: Turn,
    blocks: Sequence[Injection],
    history: History,
    block: Block | None,
    injection: Injection | None,
    detached: tuple[str, ...],
) -> Placed:
    texts = [each.block for each in blocks if each.place is Place.SYSTEM]
    beside = {each.anchor: each.block for each in blocks if each.place is Place.BESIDE}
    earlier: list[tuple[Message, str]] = []
    for exchange in history.restored:
        said = Message(Role.USER, exchange.said, exchange.speaker)
        earlier.append((said, beside.get(exchange.anchor or "", "")))
        if exchange.reply:
            earlier.append((Message(Role.ASSISTANT, exchange.reply), ""))
    positions = turn.anchors or ((-1, turn.anchor),)
    return Placed(
        system=_GAP.join(filter(None, [*texts, history.block])),
        beside={position: beside[anchor] for position, anchor in positions if anchor in beside},
        earlier=tuple(earlier),
        block=block,
        injection=injection,
        detached=detached,
        tokens=sum(each.tokens for each in blocks),
        history_tokens=history.tokens,
    )
