"""What can be changed while Recollect runs, for everybody or for one user: the endpoints and their JSON."""

from dataclasses import replace
from typing import Annotated

import msgspec
from litestar import Controller, get, patch
from litestar.params import BodyKwarg
from msgspec import UNSET, Meta, Struct

from recollect import model
from recollect.engine import Engine
from recollect.model.local_time import zone_named
from recollect_proxy.access import Principal
from recollect_proxy.flags import OF_ADMINISTRATORS, CommonFlagsChange, Flags, FlagsChange
from recollect_proxy.memory_api.authorization import WhoAsks
from recollect_proxy.memory_api.bodies import TIME_ZONE
from recollect_proxy.memory_api.errors import FORBIDDEN, RefusedError, documented, invalid_field
from recollect_proxy.memory_api.parameters import (
    ALWAYS,
    READING_A_BODY,
    OpenEngine,
    UserId,
    user_named,
)


class UserFlags(Struct):
    """What was changed for a user, and what is so for them."""

    own: Annotated[Flags, Meta(description="What was changed for this user alone.")]
    effective: Annotated[
        Flags,
        Meta(
            description="What holds for them: that, where it says nothing what was changed for everybody, and else what Recollect was "
            "started with."
        ),
    ]


class CommonFlags(Flags):
    """What was changed for everybody, and what holds."""

    effective: Annotated[
        Flags | None,
        Meta(description="What holds: that, and where it says nothing, what Recollect was started with."),
    ] = None


class Settings(Controller):
    """What can be changed while Recollect runs. It takes effect at once, and stays so over a restart."""

    tags = ("Settings",)

    @get(
        "/settings",
        summary="Read what was changed for everybody",
        response_description="The changes.",
        responses=documented(*ALWAYS),
    )
    async def read_settings(self, engine: OpenEngine) -> CommonFlags:
        """Return the changed settings. A null setting has the value with which Recollect was started, which `effective` tells."""
        return await _of_everybody(engine, await engine.flags())

    @patch(
        "/settings",
        summary="Change settings for everybody",
        response_description="What is changed now.",
        responses=documented(*ALWAYS, *READING_A_BODY),
    )
    async def change_settings(
        self, engine: OpenEngine, principal: WhoAsks, data: Annotated[CommonFlagsChange, BodyKwarg()]
    ) -> CommonFlags:
        """Change settings for everybody from the next request on; a restart keeps them. A user's own settings take precedence.

        `profile` is not among them: each user allows it for themselves.
        """
        return await _of_everybody(engine, await _change(engine, data, None, principal))


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
        """Return a user's settings, and what holds for them."""
        named = user_named(user_id)
        return await _of_user(engine, named, await engine.flags(named))

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
        """Change settings for a user from their next request on; a restart keeps them. Only administrators change caps.

        Who changed what is kept for a year, and the user sees it with what administrators read.
        """
        if not principal.is_administrator:
            _refuse_bounds(data)
        named = user_named(user_id)
        return await _of_user(engine, named, await _change(engine, data, named, principal))


def _refuse_bounds(change: FlagsChange) -> None:
    """Refuse a change of what bounds how much is kept of a user.

    Raises:
        RefusedError: It is one.
    """
    for name in OF_ADMINISTRATORS:
        if getattr(change, name) is not UNSET:
            raise RefusedError(replace(FORBIDDEN, about=name))


async def _of_everybody(engine: Engine, changed: model.Flags) -> CommonFlags:
    told = CommonFlags.of(changed)
    told.effective = Flags.of((await engine.policy_of(None)).flags)
    return told


async def _of_user(engine: Engine, user_id: str, own: model.Flags) -> UserFlags:
    effective = Flags.of((await engine.policy_of(user_id)).flags)
    effective.profile = bool(own.profile)
    return UserFlags(Flags.of(own), effective)


async def _change(
    engine: Engine, change: CommonFlagsChange, user_id: str | None, principal: Principal
) -> model.Flags:
    given = {name: value for name, value in msgspec.structs.asdict(change).items() if value is not UNSET}
    if not given:
        raise invalid_field(None, f"Give at least one of {', '.join(change.__struct_fields__)}.")
    if given.get("time_zone") is not None and zone_named(given["time_zone"]) is None:
        raise invalid_field("time_zone", f"`time_zone` must be {TIME_ZONE}.")
    return await engine.change_flags(model.Flags(**given), tuple(given), user_id, by=principal.changer)
