"""Settings that can be changed while the engine runs, for everybody or for one user."""

from dataclasses import dataclass, fields
from typing import Self

from recollect.model.words import Placement, Strategy


@dataclass(frozen=True, slots=True)
class Flags:
    """What is otherwise than the settings have it; None: as they have it.

    Attributes:
        record: Whether messages are kept at all; False: they are not even logged.
        standing: Whether every chat gets the most important statements.
        formation: How exchanges become memories; OFF: they are logged, and nothing else.
        queries: Whether the record of a request includes the question, from the message log.
        profile: Whether the person allows a profile; no one allows it for them, so it counts in their own flags alone.
        lexical: Whether recall searches by words besides the meaning.
        history: Whether recall searches the message log besides the statements.
        max_memory_tokens: Tokens that a turn's memories may take.
        max_history_tokens: Tokens that a conversation's missing history may take; 0: none is told.
        summary_turns: After how many turns a chat is summarized again; 0: never for their number.
        minimum_importance: Candidates below it are not kept.
        session_cap: How many memories one chat may leave; 0: any number.
        user_cap: How many a user may have; 0: any number.
        time_zone: Whose days count, by name or offset, where a request names no other.
        told_zone: The same, as the user's frontend told it last; it counts where ``time_zone`` says nothing.
    """

    record: bool | None = None
    recall: bool | None = None
    standing: bool | None = None
    formation: Strategy | None = None
    placement: Placement | None = None
    summaries: bool | None = None
    queries: bool | None = None
    profile: bool | None = None
    lexical: bool | None = None
    history: bool | None = None
    max_memory_tokens: int | None = None
    max_history_tokens: int | None = None
    summary_turns: int | None = None
    minimum_importance: float | None = None
    session_cap: int | None = None
    user_cap: int | None = None
    time_zone: str | None = None
    told_zone: str | None = None

    def over(self, other: Self) -> Self:
        """Return these flags, and those of ``other``, which are everybody's, where these say nothing."""
        mine = {each.name: getattr(self, each.name) for each in fields(self)}
        theirs = {each.name: getattr(other, each.name) for each in fields(self)}
        theirs["profile"] = None
        return type(self)(**{name: theirs[name] if value is None else value for name, value in mine.items()})
