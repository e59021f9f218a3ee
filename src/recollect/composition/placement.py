"""Where in a prompt what is recalled goes, so that what an upstream has cached of the chat holds. Pure.

``stable``: the chat's first block stands in the system prompt, those of later turns beside their turn's
message, and each is added again as it was whenever the request carries its message. Never: await.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from recollect.composition.block import Block, compose
from recollect.composition.excerpts import focus_of
from recollect.composition.history import (
    LEAST_TOKENS,
    History,
    goes_on,
    known_anchors,
    missing_exchanges,
    tell_history,
    told_of,
)
from recollect.composition.same_text import SameText
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
        later_tokens: What they may take where the chat was given some before, which stay with it.
        chat_memory_tokens: What all the blocks of a chat may take; the oldest half goes when they pass it.
        history_tokens: What the conversation's missing history may take; 0: none is told.
        standing_tokens: Of a block's tokens, what the lines may take that stand in every chat; 0: none do.
    """

    placement: Placement = Placement.STABLE
    memory_tokens: int = 1000
    later_tokens: int = 300
    chat_memory_tokens: int = 8000
    history_tokens: int = 800
    standing_tokens: int = 120


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
        own: The turn's block, also where it is an earlier request's that is added again.
        detached: Anchors of blocks that the chat adds no more. It adds nothing to the request, so two that
            differ in it alone are equal.
        tokens: What all memories in the prompt take.
        history_tokens: What its history takes.
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
    """Return the earlier blocks of the chat that this request is given again, oldest first.

    Those of messages the request carries or is given back, and the first one of the system prompt. When they
    take more than they may, the oldest half of those beside messages goes at once, not one with each turn.
    """
    return _Situation(turn, chat, bounds).attached()[0]


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
    """Return what is added to the turn's request, and where.

    Args:
        turn: What was said.
        recollections: What was recalled for it, best first; what earlier blocks hold is not among them.
        chat: What is known of the chat.
        bounds: Where and how much.
        count: Counts the tokens of a text.
        at: Now.
        code_first: Whether blocks of code come first.
        known: How many statements are known in all, where it is to be told how many more there are; 0: it is not.
        answers: What the memory did for the turn's own message, or why not.
        numbers: Whether the statements are numbered, as all of them are asked for.
    """
    if bounds.placement is Placement.OFF:
        return Placed()
    situation = _Situation(turn, chat, bounds)
    again, gone = situation.attached()
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
    injection = situation.noted(block, again, at)
    blocks = again if injection is None else (*again, injection)
    placed = _joined(situation, blocks, situation.told(count))
    own = next((each for each in blocks if each.anchor == turn.anchor), None)
    detached = tuple(each.anchor for each in gone)
    return replace(placed, block=block, injection=injection, own=own, detached=detached)


class _Situation:
    """What a request carries of its chat, and what it lacks."""

    def __init__(self, turn: Turn, chat: Chat, bounds: Bounds) -> None:
        self.turn = turn
        self.chat = chat
        self.bounds = bounds
        same = SameText()
        self.missing = missing_exchanges(turn, chat.exchanges, same)
        known = known_anchors(turn, chat.exchanges, same)
        positions = turn.anchors or ((-1, turn.anchor),)
        self.carried = [(position, known.get(anchor, anchor)) for position, anchor in positions]
        is_told = bounds.history_tokens >= LEAST_TOKENS
        latest = told_of(self.missing, answered=goes_on(turn))[1] if is_told else []
        self.present = {each.anchor for each in latest} | {anchor for _, anchor in self.carried}

    def attached(self) -> tuple[tuple[Injection, ...], tuple[Injection, ...]]:
        """Return the blocks that are added again, and those that are so no more; oldest first."""
        if self.bounds.placement is not Placement.STABLE:
            return (), ()
        kept = self._applicable()
        gone: list[Injection] = []
        own = self.turn.anchor
        # Room for this turn's own block is kept free.
        room = max(self.bounds.chat_memory_tokens - self.bounds.memory_tokens, 0)
        while sum(each.tokens for each in kept if each.anchor != own) > room:
            beside = [each for each in kept if each.place is Place.BESIDE and each.anchor != own]
            if not beside:
                break
            oldest = {each.anchor for each in beside[: (len(beside) + 1) // 2]}
            gone += (each for each in kept if each.anchor in oldest)
            kept = [each for each in kept if each.anchor not in oldest]
        return tuple(kept), tuple(gone)

    def noted(self, block: Block | None, again: Sequence[Injection], at: datetime) -> Injection | None:
        """Return the turn's own block as it is to be noted, with where it stands."""
        if block is None:
            return None
        where = self.place_of_own(again, answers=block.answers)
        stands = any(each.standing for each in block.recollections)
        return Injection(
            self.turn.anchor, where, block.text, _items(block), block.tokens, at, stands, block.listed
        )

    def told(self, count: Callable[[str], int]) -> History:
        """Return what is told of what the request lacks."""
        return tell_history(
            self.missing,
            summary=self.chat.summary,
            budget=self.bounds.history_tokens,
            count=count,
            answered=goes_on(self.turn),
        )

    def place_of_own(self, again: Sequence[Injection], *, answers: bool) -> Place:
        """Return where the turn's own block stands; what was done for a message stands beside that, whatever follows."""
        if self.bounds.placement is Placement.SYSTEM:
            return Place.SYSTEM
        if self.bounds.placement is Placement.USER:
            return Place.BESIDE
        # Only the first turn of a chat: a system prompt that changes later costs all that is cached behind it.
        is_first = not (self.turn.history or self.missing or again or answers)
        return Place.SYSTEM if is_first else Place.BESIDE

    def _applicable(self) -> list[Injection]:
        """Return the blocks of what the prompt holds, and the one of the system prompt."""
        whole = self._begins_with_its_beginning()
        kept: list[Injection] = []
        for each in self.chat.injections:
            if each.place is Place.BESIDE:
                applies = each.anchor in self.present
            else:  # of several, noted while each turn had one, only the first
                has_one = any(other.place is Place.SYSTEM for other in kept)
                applies = not has_one and (not whole or each.anchor in self.present)
            if applies:
                kept.append(each)
        return kept

    def _begins_with_its_beginning(self) -> bool:
        """Tell whether the request is known to carry the first message of its branch of the chat.

        Then the system prompt's block is that message's. Else it is taken to be cut off somewhere.
        """
        if self.turn.is_whole or self.missing:
            return bool(self.turn.is_whole)
        if not self.turn.history:
            return bool(self.chat.exchanges)  # else the log knows nothing yet
        first = self.carried[0][1]
        systems = {each.anchor for each in self.chat.injections if each.place is Place.SYSTEM}
        return bool(systems & self.present) or any(each.anchor == first for each in self.chat.exchanges)


def _items(block: Block) -> tuple[UUID, ...]:
    return (*(each.item.id for each in block.recollections), *block.done)


def _joined(situation: _Situation, blocks: Sequence[Injection], history: History) -> Placed:
    texts = [each.block for each in blocks if each.place is Place.SYSTEM]
    beside = {each.anchor: each.block for each in blocks if each.place is Place.BESIDE}
    earlier: list[tuple[Message, str]] = []
    for exchange in history.restored:
        # Taken out: of two messages with one anchor only the first has it.
        text = beside.pop(exchange.anchor or "", "")
        earlier.append((Message(Role.USER, exchange.said, exchange.speaker), text))
        if exchange.reply:
            earlier.append((Message(Role.ASSISTANT, exchange.reply), ""))
    return Placed(
        system=_GAP.join(filter(None, [*texts, history.block])),
        beside={position: beside[anchor] for position, anchor in situation.carried if anchor in beside},
        earlier=tuple(earlier),
        tokens=sum(each.tokens for each in blocks),
        history_tokens=history.tokens,
    )
