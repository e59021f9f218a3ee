"""What can be changed while Recollect runs, as JSON and as a form's fields. Never: an endpoint, a page."""

from dataclasses import asdict, dataclass
from enum import Enum
from typing import Annotated, Any, Self, TypeAlias, get_type_hints

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from recollect import model
from recollect.model import Placement, Strategy
from recollect.model.local_time import zone_named

OF_ADMINISTRATORS = ("session_cap", "user_cap")
"""What bounds how much is kept of a user: only administrators change it."""

OF_EACH_USER = ("profile",)
"""What each user allows for themselves: no one changes it for everybody."""

Records: TypeAlias = Annotated[
    bool | None,
    Meta(description="Whether what is said is kept at all; false: it is not even logged."),
]
Recalls: TypeAlias = Annotated[bool | None, Meta(description="Whether anything is recalled.")]
Stands: TypeAlias = Annotated[
    bool | None,
    Meta(description="Whether the most important statements stand in every chat, whatever is asked."),
]
Formation: TypeAlias = Annotated[
    Strategy | None,
    Meta(
        description="How exchanges become memories: by a model, as they are, both; off: they are logged, and nothing else."
    ),
]
WhereTo: TypeAlias = Annotated[Placement | None, Meta(description="Where in a prompt goes what is recalled.")]
Summaries: TypeAlias = Annotated[bool | None, Meta(description="Whether chats are summarized.")]
Queries: TypeAlias = Annotated[
    bool | None,
    Meta(description="Whether recalls and explanations tell what was asked, as the message log has it."),
]
Consents: TypeAlias = Annotated[
    bool | None,
    Meta(
        description="Whether the user allows a profile; only their own setting counts. Anything but true deletes the profile "
        "and its embeddings at once."
    ),
]
Lexical: TypeAlias = Annotated[
    bool | None, Meta(description="Whether recall searches by words beside the meaning.")
]
History: TypeAlias = Annotated[
    bool | None,
    Meta(description="Whether recall searches the message log beside the memories."),
]
MemoryTokens: TypeAlias = Annotated[
    Annotated[int, Meta(ge=50, le=100_000)] | None,
    Meta(description="Tokens that a turn's memories may take; a request may name others."),
]
HistoryTokens: TypeAlias = Annotated[
    Annotated[int, Meta(ge=0, le=100_000)] | None,
    Meta(description="Tokens that a conversation's missing history may take; 0: none is told."),
]
SummaryTurns: TypeAlias = Annotated[
    Annotated[int, Meta(ge=0, le=10_000)] | None,
    Meta(description="After how many turns a chat is summarized again; 0: never for their number."),
]
Fraction: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
MinimumImportance: TypeAlias = Annotated[
    Fraction | None, Meta(description="Less important statements are not kept.")
]
Cap: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000)]
SessionCap: TypeAlias = Annotated[
    Cap | None, Meta(description="Memories that one chat may leave; 0: any number.")
]
TimeZone: TypeAlias = Annotated[
    Annotated[str, Meta(min_length=1, max_length=64)] | None,
    Meta(
        description="Whose days count where a request names no other: a name of the IANA's database, as Pacific/Auckland, or an offset, "
        "as +13:00."
    ),
]
UserCap: TypeAlias = Annotated[Cap | None, Meta(description="Memories a user may have; 0: any number.")]


class Flags(Struct):
    """What was changed; what is null is as Recollect was started."""

    record: Records = None
    recall: Recalls = None
    standing: Stands = None
    formation: Formation = None
    placement: WhereTo = None
    summaries: Summaries = None
    queries: Queries = None
    profile: Consents = None
    lexical: Lexical = None
    history: History = None
    max_memory_tokens: MemoryTokens = None
    max_history_tokens: HistoryTokens = None
    summary_turns: SummaryTurns = None
    minimum_importance: MinimumImportance = None
    session_cap: SessionCap = None
    user_cap: UserCap = None
    time_zone: TimeZone = None

    @classmethod
    def of(cls, flags: model.Flags) -> Self:
        """Return the JSON of ``flags``, without what is learned."""
        return cls(**{name: value for name, value in asdict(flags).items() if name in cls.__struct_fields__})


class CommonFlagsChange(Struct, forbid_unknown_fields=True):
    """What is to be otherwise for everybody: at least one of the fields; null takes a change back. The others stay as they are."""

    record: Records | UnsetType = UNSET
    recall: Recalls | UnsetType = UNSET
    standing: Stands | UnsetType = UNSET
    formation: Formation | UnsetType = UNSET
    placement: WhereTo | UnsetType = UNSET
    summaries: Summaries | UnsetType = UNSET
    queries: Queries | UnsetType = UNSET
    lexical: Lexical | UnsetType = UNSET
    history: History | UnsetType = UNSET
    max_memory_tokens: MemoryTokens | UnsetType = UNSET
    max_history_tokens: HistoryTokens | UnsetType = UNSET
    summary_turns: SummaryTurns | UnsetType = UNSET
    minimum_importance: MinimumImportance | UnsetType = UNSET
    session_cap: SessionCap | UnsetType = UNSET
    user_cap: UserCap | UnsetType = UNSET
    time_zone: TimeZone | UnsetType = UNSET


class FlagsChange(CommonFlagsChange, forbid_unknown_fields=True):
    """What is to be otherwise for a user: as for everybody, and the profile, which each user allows for themselves."""

    profile: Consents | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class FlagField:
    """What a flag may be.

    Attributes:
        name: Of the flag.
        choices: One of these, where it is one of some; of a switch `true` and `false`.
        least: Where it is a number, not less.
        most: Where it is a number, not more.
        is_whole: Whether it is a whole number.
        is_text: Whether it is a text.
    """

    name: str
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    is_whole: bool = False
    is_text: bool = False

    def value(self, text: str) -> Any:
        """Return what a form's field says: None for an empty one, which takes a change back.

        Raises:
            ValueError: It is nothing that the flag may be.
        """
        if not text.strip():
            return None
        try:
            # Written as JSON each kind of value reads in one way; a choice is a string.
            change = msgspec.convert({self.name: text.strip()}, FlagsChange, strict=False)
        except msgspec.ValidationError as error:
            raise ValueError(self.name) from error
        if self.name == "time_zone" and zone_named(change.time_zone) is None:
            raise ValueError(self.name)
        return getattr(change, self.name)

    def text(self, value: Any) -> str:
        """Return what a form's field says of a value; "" of None."""
        if value is None:
            return ""
        if isinstance(value, bool):
            return "true" if value else "false"
        return str(value.value if isinstance(value, Enum) else value)


def flag_fields() -> tuple[FlagField, ...]:
    """Return what each flag of ``Flags`` may be, by the types that the API declares."""
    types = get_type_hints(Flags, include_extras=True)
    return tuple(_field(name, msgspec.inspect.type_info(declared)) for name, declared in types.items())


def _field(name: str, declared: msgspec.inspect.Type) -> FlagField:
    """Return what a declared type says; ``None`` beside it says nothing."""
    match declared:
        case msgspec.inspect.Metadata(type=inner):
            return _field(name, inner)
        case msgspec.inspect.UnionType(types=types):
            [told] = [each for each in types if not isinstance(each, msgspec.inspect.NoneType)]
            return _field(name, told)
        case msgspec.inspect.BoolType():
            return FlagField(name, choices=("true", "false"))
        case msgspec.inspect.StrType():
            return FlagField(name, is_text=True)
        case msgspec.inspect.EnumType(cls=cls):
            return FlagField(name, choices=tuple(each.value for each in cls))
        case msgspec.inspect.IntType(ge=least, le=most) | msgspec.inspect.FloatType(ge=least, le=most):
            is_whole = isinstance(declared, msgspec.inspect.IntType)
            return FlagField(name, least=least, most=most, is_whole=is_whole)
        case _:
            raise TypeError(f"{name} is nothing that a form can ask for: {declared}.")
