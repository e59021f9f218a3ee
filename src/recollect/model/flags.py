"""What can be changed while the engine runs, for everybody or for one user."""

from dataclasses import dataclass, fields
from typing import Self

from recollect.model.words import Placement, Strategy


@dataclass(frozen=True, slots=True)
class Flags:
    """What is otherwise than the settings have it; None: as they have it.

    Attributes:
        record: Whether what is said is kept at all; False: it is not even logged.
        recall: Whether anything is recalled.
        standing: Whether what matters most stands in every chat.
        formation: How exchanges become memories; OFF: they are logged, and nothing else.
        placement: Where in a prompt goes what is recalled.
        summaries: Whether chats are summarized.
        minimum_importance: Candidates below it are not kept.
        session_cap: How many memories one chat may leave; 0: any number.
        user_cap: How many a user may have; 0: any number.
    """

    record: bool | None = None
    recall: bool | None = None
    standing: bool | None = None
    formation: Strategy | None = None
    placement: Placement | None = None
    summaries: bool | None = None
    minimum_importance: float | None = None
    session_cap: int | None = None
    user_cap: int | None = None

    def over(self, other: Self) -> Self:
        """Return these flags, and those of ``other`` where these say nothing."""
        mine = {each.name: getattr(self, each.name) for each in fields(self)}
        theirs = {each.name: getattr(other, each.name) for each in fields(self)}
        return type(self)(**{name: theirs[name] if value is None else value for name, value in mine.items()})
