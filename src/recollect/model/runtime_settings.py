"""Settings that operators and people change while the engine runs, and what of a memory an LLM server may see."""

from dataclasses import dataclass, fields
from typing import Self

from recollect.model.enumerations import Kind, Placement, Strategy
from recollect.model.memory import COMMONS, Memory
from recollect.model.recall import Item

LONGEST_LIFETIMES = 1_000
"""Characters of a person's rules on when memories are forgotten."""

LONGEST_INSTRUCTIONS = 2_000
"""Characters of the instructions that an operator or a person may write."""

INSTRUCTIONS = frozenset({"operator_instructions", "instructions"})
"""The settings that are texts of any words."""

OF_ONE = ("profile", "instructions", "lifetimes")
"""The settings that each person gives for themselves alone; none are for all."""


@dataclass(frozen=True, slots=True)
class Guidance:
    """Instructions for the model that forms memories, in words; a person's ``own`` are shown to no other person's extraction."""

    operators: str = ""
    own: str = ""


@dataclass(frozen=True, slots=True)
class Flags:
    """Settings that differ from the deployment's; None: the deployment's value holds.

    Attributes:
        record: Whether messages are kept at all; if not, they are not even logged.
        formation: How exchanges become memories; OFF: they are logged, and nothing else.
        queries: Whether the record of a request includes the question, from the message log.
        profile: Whether the person allows a profile; no one allows it for them.
        max_history_tokens: Tokens that a conversation's missing history may take; 0: none is added.
        summary_turns: After how many turns a chat is summarized again; 0: never for their number.
        session_cap: How many memories one chat may leave; 0: any number.
        user_cap: How many a user may have; 0: any number.
        approve_first: Whether learned memories wait for approval; if everybody's do, each person's do.
        time_zone: The time zone, by name or offset, for requests that name none.
        lifetimes: After how many days memories are forgotten, by kind and tag, as ``Lifetimes`` reads them; the person's own.
        told_zone: The zone that the user's frontend named last; it counts if ``time_zone`` is None.
        told_name: The name that the user's frontend gave last; it is shown, and nothing else.
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
    approve_first: bool | None = None
    time_zone: str | None = None
    operator_instructions: str | None = None
    instructions: str | None = None
    lifetimes: str | None = None
    told_zone: str | None = None
    told_name: str | None = None

    def over(self, other: Self) -> Self:
        """Return these flags, with the deployment's (``other``) for each None."""
        mine = {each.name: getattr(self, each.name) for each in fields(self)}
        mine["approve_first"] = self.approve_first or None
        theirs = {each.name: getattr(other, each.name) for each in fields(self)}
        theirs |= dict.fromkeys(OF_ONE)
        return type(self)(**{name: theirs[name] if value is None else value for name, value in mine.items()})


@dataclass(frozen=True, slots=True)
class Disclosure:
    """Which parts of a person's memory may be sent to one LLM server: memories of these ``kinds``, None for all.

    With ``history``, messages of the log, too, and messages that the request lacks of its own conversation.
    """

    kinds: frozenset[Kind] | None = None
    history: bool = True
    shared: bool = True

    @property
    def is_whole(self) -> bool:
        """Whether everything may be sent."""
        return self == ALL_TOLD

    @property
    def is_nothing(self) -> bool:
        """Whether nothing may be sent."""
        return self.kinds == frozenset() and not self.history

    def allows(self, item: Item) -> bool:
        """Return whether a memory, or a passage of the message log, may be sent."""
        if not isinstance(item, Memory):
            return self.history
        return (self.kinds is None or item.kind in self.kinds) and (self.shared or item.owner != COMMONS)


ALL_TOLD = Disclosure()
NOTHING_TOLD = Disclosure(frozenset(), history=False, shared=False)
