"""What can be changed while Recollect runs, for everybody or for one user: the endpoints and their JSON."""

from dataclasses import asdict, replace
from typing import Annotated, Self, TypeAlias

import msgspec
from litestar import Controller, get, patch
from litestar.params import BodyKwarg
from msgspec import UNSET, Meta, Struct, UnsetType

from recollect import model
from recollect.engine import Engine
from recollect.model import Placement, Strategy
from recollect_proxy.memory_api.authorization import WhoAsks
from recollect_proxy.memory_api.errors import FORBIDDEN, RefusedError, documented, invalid_field
from recollect_proxy.memory_api.parameters import (
    ALWAYS,
    READING_A_BODY,
    OpenEngine,
    UserId,
    user_named,
)

_BOUNDS = ("session_cap", "user_cap")

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

    @classmethod
    def of(cls, flags: model.Flags) -> Self:
        """Return the JSON of ``flags``."""
        return cls(**asdict(flags))


class FlagsChange(Struct, forbid_unknown_fields=True):
    """What is to be otherwise: at least one of the fields; null takes a change back. The others stay as they are."""

    record: Records | UnsetType = UNSET
    recall: Recalls | UnsetType = UNSET
    standing: Stands | UnsetType = UNSET
    formation: Formation | UnsetType = UNSET
    placement: WhereTo | UnsetType = UNSET
    summaries: Summaries | UnsetType = UNSET
    queries: Queries | UnsetType = UNSET
    profile: Consents | UnsetType = UNSET
    lexical: Lexical | UnsetType = UNSET
    history: History | UnsetType = UNSET
    max_memory_tokens: MemoryTokens | UnsetType = UNSET
    max_history_tokens: HistoryTokens | UnsetType = UNSET
    summary_turns: SummaryTurns | UnsetType = UNSET
    minimum_importance: MinimumImportance | UnsetType = UNSET
    session_cap: SessionCap | UnsetType = UNSET
    user_cap: UserCap | UnsetType = UNSET


class UserFlags(Struct):
    """What was changed for a user, and what is so for them."""

    own: Annotated[Flags, Meta(description="What was changed for this user alone.")]
    effective: Annotated[
        Flags,
        Meta(description="That, and where it says nothing, what was changed for everybody."),
    ]


class Settings(Controller):
    """What can be changed while Recollect runs. It takes effect at once, and stays so over a restart."""

    tags = ("Settings",)

    @get(
        "/settings",
        summary="Read what was changed for everybody",
        response_description="The changes.",
        responses=documented(*ALWAYS),
    )
    async def read_settings(self, engine: OpenEngine) -> Flags:
        """Return the changed settings. A null setting has the value with which Recollect was started."""
        return Flags.of(await engine.flags())

    @patch(
        "/settings",
        summary="Change settings for everybody",
        response_description="What is changed now.",
        responses=documented(*ALWAYS, *READING_A_BODY),
    )
    async def change_settings(self, engine: OpenEngine, data: Annotated[FlagsChange, BodyKwarg()]) -> Flags:
        """Change settings for everybody from the next request on; a restart keeps them. A user's own settings take precedence."""
        if data.profile is not UNSET:
            raise invalid_field(
                "profile", "`profile` is for each user to allow: it can't be changed for everybody."
            )
        return Flags.of(await _change(engine, data, None))


class UserSettings(Controller):
    """What can be changed for one user."""

    tags = ("Settings",)

    @get(
        "/users/{user_id:str}/settings",
        summary="Read what was changed for a user",
        response_description="What was changed for them, and what is so.",
        responses=documented(*ALWAYS),
    )
    async def read_user_settings(self, engine: OpenEngine, user_id: UserId) -> UserFlags:
        """Return a user's settings. What is null in `effective`, too, has the value with which Recollect was started."""
        named = user_named(user_id)
        return await _of_user(engine, await engine.flags(named))

    @patch(
        "/users/{user_id:str}/settings",
        summary="Change settings for a user",
        response_description="What is changed now, and what is so.",
        responses=documented(*ALWAYS, *READING_A_BODY),
    )
    async def change_user_settings(
        self,
        engine: OpenEngine,
        user_id: UserId,
        principal: WhoAsks,
        data: Annotated[FlagsChange, BodyKwarg()],
    ) -> UserFlags:
        """Change settings for a user from their next request on; a restart keeps them. Only administrators change caps."""
        if not principal.is_administrator:
            _refuse_bounds(data)
        return await _of_user(engine, await _change(engine, data, user_named(user_id)))


def _refuse_bounds(change: FlagsChange) -> None:
    """Refuse a change of what bounds how much is kept of a user.

    Raises:
        RefusedError: It is one.
    """
    for name in _BOUNDS:
        if getattr(change, name) is not UNSET:
            raise RefusedError(replace(FORBIDDEN, about=name))


async def _of_user(engine: Engine, own: model.Flags) -> UserFlags:
    return UserFlags(Flags.of(own), Flags.of(own.over(await engine.flags())))


async def _change(engine: Engine, change: FlagsChange, user_id: str | None) -> model.Flags:
    given = {name: value for name, value in msgspec.structs.asdict(change).items() if value is not UNSET}
    if not given:
        raise invalid_field(None, f"Give at least one of {', '.join(change.__struct_fields__)}.")
    return await engine.change_flags(model.Flags(**given), tuple(given), user_id)
