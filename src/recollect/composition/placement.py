"""Decides where in a request memory blocks go, so that the upstream's prompt cache stays valid. Pure.

With the placement ``stable``, the chat's first block goes into the system prompt, and the block of each later turn
next to that turn's message. Whenever a later request carries that message, its block is added again, byte for byte.
For a model that takes no system message, ``wire.insertion`` puts the system's text next to the user's first message.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from recollect.composition.block import Block, compose
from recollect.composition.history import (
    LEAST_TOKENS,
    History,
    SameText,
    begins_with_reply,
    compose_history,
    known_anchors,
    missing_exchanges,
    split_history,
)
from recollect.composition.quoting import focus_of
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


BLOCKS_OF_A_CHAT = 8
"""The full blocks of a turn that all blocks of a chat may take in tokens; also for a request that names its own limit."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where memory blocks go, and the most tokens of each part.

    Attributes:
        placement: Where blocks go.
        memory_tokens: The most tokens of a turn's block.
        later_tokens: The same for a turn whose request already gets earlier blocks of the chat.
        chat_memory_tokens: The most tokens of all blocks of a chat. Beyond it, the older half is dropped.
        history_tokens: The most tokens of restored history; 0: none is restored.
        standing_tokens: The most tokens of the standing part within a block; 0: no standing part.
    """

    placement: Placement = Placement.STABLE
    memory_tokens: int = 1000
    later_tokens: int = 300
    chat_memory_tokens: int = BLOCKS_OF_A_CHAT * 1000
    history_tokens: int = 800
    standing_tokens: int = 120


@dataclass(frozen=True, slots=True)
class Placed:
    """Everything that is added to a request.

    Attributes:
        system: The text for the system prompt; "" for none.
        beside: The blocks next to user messages, by the message's position in the request.
        earlier: The messages to restore before the request's own, oldest first, each with its block or "".
        block: The block composed for this turn; None if there is nothing new.
        injection: The same block, in the form in which the store keeps it.
        own: The injection that belongs to this turn's message, whether new or from an earlier request for it.
        detached: The anchors of blocks that no later request of the chat gets again. They do not change this request,
            so equality ignores them.
        tokens: The tokens of all memory blocks.
        history_tokens: The tokens of the restored history.
    """

    system: str = ""
    beside: Mapping[int, str] = field(default_factory=dict)
    earlier: tuple[tuple[Message, str], ...] = ()
    block: Block | None = None
    injection: Injection | None = None
    own: Injection | None = None
    detached: tuple[str, ...] = field(default=(), compare=False)
    tokens: int = 0
    history_tokens: int = 0


def attached(turn: Turn, chat: Chat, bounds: Bounds) -> tuple[Injection, ...]:
    """Return the earlier blocks of the chat that are added to this request again, oldest first.

    These are the blocks of messages that the request carries or that are restored, and the first block of the system
    prompt. If they exceed ``chat_memory_tokens``, the older half of the blocks next to messages is dropped.
    """
    return _RequestState(turn, chat, bounds).attached()[0]


def place(
    turn: Turn,
    recollections: Sequence[Recollection],
    chat: Chat,
    bounds: Bounds,
    *,
    count: Callable[[str], int],
    at: datetime,
    code_first: bool = False,
    known: int = 0,
    answers: Sequence[str] = (),
    numbers: bool = False,
) -> Placed:
    """Decide the additions to the turn's request, and their places.

    Args:
        turn: The current turn.
        recollections: The recollections for it, best first, without those that earlier blocks hold.
        chat: The chat in the store.
        bounds: Where blocks go, and their sizes.
        count: Counts the tokens of a text.
        at: The current time.
        code_first: Whether passages of code come first.
        known: How many statements the user has in all; the block then says how many it omits. 0: it does not say.
        answers: The memory's answers to the turn's own message.
        numbers: Whether statements are numbered; for a request to list them all.
    """
    if bounds.placement is Placement.OFF:
        return Placed()
    state = _RequestState(turn, chat, bounds)
    again, gone = state.attached()
    block: Block | None = None
    if all(each.anchor != turn.anchor for each in again):
        block = compose(
            recollections,
            budget=bounds.memory_tokens
            if numbers or not again
            else min(bounds.memory_tokens, bounds.later_tokens),
            count=count,
            focus=focus_of(turn.text),
            code_first=code_first,
            done=chat.done,
            at=at,
            known=known,
            answers=answers,
            numbers=numbers,
        )
    injection = state.injection_of(block, again, at)
    blocks = again if injection is None else (*again, injection)
    placed = _joined(state, blocks, state.history(count))
    own = next((each for each in blocks if each.anchor == turn.anchor), None)
    detached = tuple(each.anchor for each in gone)
    return replace(placed, block=block, injection=injection, own=own, detached=detached)


class _RequestState:
    """Which messages of its chat a request carries, which are missing, and which blocks belong to them."""

    def __init__(self, turn: Turn, chat: Chat, bounds: Bounds) -> None:
        self.turn = turn
        self.chat = chat
        self.bounds = bounds
        same = SameText()
        self.missing = missing_exchanges(turn, chat.exchanges, same)
        known = known_anchors(turn, chat.exchanges, same)
        positions = turn.anchors or ((-1, turn.anchor),)
        self.carried = [(position, known.get(anchor, anchor)) for position, anchor in positions]
        restores = bounds.history_tokens >= LEAST_TOKENS
        latest = split_history(self.missing, answered=begins_with_reply(turn))[1] if restores else []
        self.present = {each.anchor for each in latest} | {anchor for _, anchor in self.carried}

    def attached(self) -> tuple[tuple[Injection, ...], tuple[Injection, ...]]:
        """Return the blocks to add again, and the blocks to drop for good; both oldest first."""
        if self.bounds.placement is not Placement.STABLE:
            return (), ()
        kept = self._applicable()
        gone: list[Injection] = []
        own = self.turn.anchor
        # This turn's own block needs room, too.
        room = max(self.bounds.chat_memory_tokens - self.bounds.memory_tokens, 0)
        while sum(each.tokens for each in kept if each.anchor != own) > room:
            beside = [each for each in kept if each.place is Place.BESIDE and each.anchor != own]
            if not beside:
                break
            # Half at once: to drop one with each turn would invalidate the prompt cache each time.
            oldest = {each.anchor for each in beside[: (len(beside) + 1) // 2]}
            gone += (each for each in kept if each.anchor in oldest)
            kept = [each for each in kept if each.anchor not in oldest]
        return tuple(kept), tuple(gone)

    def injection_of(self, block: Block | None, again: Sequence[Injection], at: datetime) -> Injection | None:
        """Return the turn's block in the form in which the store keeps it, with its place; None for no block."""
        if block is None:
            return None
        where = self._place_of_own(again, answers=block.answers)
        stands = any(each.standing for each in block.recollections)
        items = (*(each.item.id for each in block.recollections), *block.done)
        return Injection(self.turn.anchor, where, block.text, items, block.tokens, at, stands, block.listed)

    def history(self, count: Callable[[str], int]) -> History:
        """Return the missing exchanges, shortened to their budget."""
        return compose_history(
            self.missing,
            summary=self.chat.summary,
            budget=self.bounds.history_tokens,
            count=count,
            answered=begins_with_reply(self.turn),
        )

    def _place_of_own(self, again: Sequence[Injection], *, answers: bool) -> Place:
        """Return where the turn's own block goes. One that answers the turn's own message is put next to that message."""
        if self.bounds.placement is Placement.STABLE:
            # Only a chat's first turn may change the system prompt: a later change would invalidate the whole prompt cache.
            goes_on = self.turn.is_kept and any(each.key != self.turn.key for each in self.chat.exchanges)
            said = self.turn.history or self.turn.follows or self.missing
            is_first = not (said or goes_on or again or answers)
            return Place.SYSTEM if is_first else Place.BESIDE
        return Place.SYSTEM if self.bounds.placement is Placement.SYSTEM else Place.BESIDE

    def _applicable(self) -> list[Injection]:
        """Return the blocks of the messages in the prompt, and the block of the system prompt."""
        whole = self._carries_first_message()
        kept: list[Injection] = []
        for each in self.chat.injections:
            if each.place is Place.BESIDE:
                applies = each.anchor in self.present
            else:  # with the placement `system` each turn stored one; only the first applies
                has_one = any(other.place is Place.SYSTEM for other in kept)
                applies = not has_one and (not whole or each.anchor in self.present)
            if applies:
                kept.append(each)
        return kept

    def _carries_first_message(self) -> bool:
        """Return whether the request is known to carry the first message of its branch of the chat; else it counts as truncated."""
        if self.turn.is_kept:  # instructions have to be sent each time
            return False
        if self.turn.is_whole or self.missing:
            return bool(self.turn.is_whole)
        if not self.turn.history:
            return bool(self.chat.exchanges)  # without any, the log does not know the chat yet
        first = self.carried[0][1]
        systems = {each.anchor for each in self.chat.injections if each.place is Place.SYSTEM}
        return bool(systems & self.present) or any(each.anchor == first for each in self.chat.exchanges)


def _joined(state: _RequestState, blocks: Sequence[Injection], history: History) -> Placed:
    texts = [each.block for each in blocks if each.place is Place.SYSTEM]
    beside = {each.anchor: each.block for each in blocks if each.place is Place.BESIDE}
    earlier: list[tuple[Message, str]] = []
    for exchange in history.restored:
        # Removed from the mapping: of two messages with the same anchor only the first gets the block.
        text = beside.pop(exchange.anchor or "", "")
        earlier.append((Message(Role.USER, exchange.said, exchange.speaker), text))
        if exchange.reply:
            earlier.append((Message(Role.ASSISTANT, exchange.reply), ""))
    return Placed(
        system=_GAP.join(filter(None, [*texts, history.block])),
        beside={position: beside[anchor] for position, anchor in state.carried if anchor in beside},
        earlier=tuple(earlier),
        tokens=sum(each.tokens for each in blocks),
        history_tokens=history.tokens,
    )
