"""What of the found a turn's prompt is given: what stands in every chat, and behind it what was recalled. Pure.

Never: await, a store.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from recollect.composition import Bounds, Placed, place
from recollect.model import Chat, Memory, Recollection, Stage, Turn
from recollect.retrieval import SelectionContext, standing_part


@dataclass(frozen=True, slots=True)
class Mattering:
    """What may stand in a chat.

    Attributes:
        statements: The user's most important ones.
        stages: How long it took to find them, in milliseconds.
        degraded: That they could not be found.
        known: How many there are in all, where that is to be told; 0: it is not.
    """

    statements: tuple[Memory, ...] = ()
    stages: Mapping[Stage, float] = field(default_factory=dict)
    degraded: tuple[Stage, ...] = ()
    known: int = 0


NOTHING = Mattering()


@dataclass(frozen=True, slots=True)
class Giving:
    """What is known of a turn when it is decided what its prompt is given.

    Attributes:
        turn: What was said.
        limit: How many memories the request wants at most; None: as many as the settings have it.
        bounds: Where they go, and how much of them.
        chat: What is known of the chat.
        given: What earlier blocks of the chat hold.
        count: Counts the tokens of a text.
        now: When it is decided.
    """

    turn: Turn
    limit: int | None
    bounds: Bounds
    chat: Chat
    given: frozenset[UUID]
    count: Callable[[str], int]
    now: datetime

    def around(self, *, asks_for_before: bool) -> SelectionContext:
        """Return what a selection has to look at beside the ranked."""
        return SelectionContext(
            self.turn.scope.session_id, asks_for_before, self.given, self.turn.prompt, self.chat.abandoned
        )

    def standing(
        self, statements: Sequence[Memory], chosen: Sequence[Recollection]
    ) -> tuple[Recollection, ...]:
        """Return what is to stand in the chat; where a request wants so many memories at most, what they leave."""
        if not statements:
            return ()
        # What was said in this chat stands there, where the request carries it.
        here = self.turn.scope.session_id if self.turn.history else None
        elsewhere = [each for each in statements if here is None or each.provenance.session_id != here]
        part = standing_part(
            elsewhere,
            chosen,
            self.around(asks_for_before=True),
            budget=self.bounds.standing_tokens,
            count=self.count,
            now=self.now,
        )
        if self.limit is None:
            return part
        left = self.limit - len(chosen)
        found = {each.item.id for each in chosen}
        more = [each.item.id for each in part if each.item.id not in found][: max(left, 0)]
        return tuple(each for each in part if each.item.id in found or each.item.id in more)

    def placed(
        self, recollections: Sequence[Recollection], *, code_first: bool = False, known: int = 0
    ) -> Placed:
        """Return where these go; ``known``: of how many statements it is told that there are more, 0: it is not."""
        return place(
            self.turn,
            recollections,
            self.chat,
            self.bounds,
            count=self.count,
            at=self.now,
            code_first=code_first,
            known=known,
        )


def in_front(standing: Sequence[Recollection], chosen: Sequence[Recollection]) -> tuple[Recollection, ...]:
    """Return what stands in the chat, and behind it what was recalled beside that."""
    there = {each.item.id for each in standing}
    return (*standing, *(each for each in chosen if each.item.id not in there))


def marked(selected: Sequence[Recollection], standing: Sequence[Recollection]) -> tuple[Recollection, ...]:
    """Return what was ranked, marked where it stands in the chat: then it is in the prompt, whatever else it was left out for."""
    there = {each.item.id for each in standing}
    return tuple(
        replace(each, standing=True, dropped=None) if each.item.id in there else each for each in selected
    )
