"""What can be changed while Recollect runs, for everybody or for one user: the endpoints and their JSON.

Never: what a setting does.
"""

from dataclasses import asdict
from typing import Annotated, Self, TypeAlias

import msgspec
from litestar import Controller, get, patch
from litestar.params import BodyKwarg
from msgspec import UNSET, Meta, Struct, UnsetType

from recollect import model
from recollect.engine import Engine
from recollect.model import Placement, Strategy
from recollect_proxy.memory_api.errors import documented, invalid_field
from recollect_proxy.memory_api.parameters import (
    ALWAYS,
    READING_A_BODY,
    UNNAMED,
    OpenEngine,
    UserId,
    user_named,
)

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
        responses=documented(*UNNAMED),
    )
    async def read_settings(self, engine: OpenEngine) -> Flags:
        """What is null was not changed: it is as Recollect was started."""
        return Flags.of(await engine.flags())

    @patch(
        "/settings",
        summary="Change settings for everybody",
        response_description="What is changed now.",
        responses=documented(*UNNAMED, *READING_A_BODY),
    )
    async def change_settings(self, engine: OpenEngine, data: Annotated[FlagsChange, BodyKwarg()]) -> Flags:
        """From the next request on, without a restart, and for good. A user's own settings come before these."""
        return Flags.of(await _change(engine, data, None))

    @get(
        "/users/{user_id:str}/settings",
        summary="Read what was changed for a user",
        response_description="What was changed for them, and what is so.",
        responses=documented(*ALWAYS),
    )
    async def read_user_settings(self, engine: OpenEngine, user_id: UserId) -> UserFlags:
        """What is null in `effective`, too, is as Recollect was started."""
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
        data: Annotated[FlagsChange, BodyKwarg()],
    ) -> UserFlags:
        """From the user's next request on, without a restart, and for good."""
        return await _of_user(engine, await _change(engine, data, user_named(user_id)))


async def _of_user(engine: Engine, own: model.Flags) -> UserFlags:
    return UserFlags(Flags.of(own), Flags.of(own.over(await engine.flags())))


async def _change(engine: Engine, change: FlagsChange, user_id: str | None) -> model.Flags:
    given = {name: value for name, value in msgspec.structs.asdict(change).items() if value is not UNSET}
    if not given:
        raise invalid_field(None, f"Give at least one of {', '.join(change.__struct_fields__)}.")
    return await engine.change_flags(model.Flags(**given), tuple(given), user_id)
