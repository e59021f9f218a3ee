"""The endpoints of a user's chats: which there are, and erasing one. Never: what was said in them."""

from datetime import UTC, datetime
from typing import Annotated, TypeAlias

import msgspec
from litestar import Controller, delete, get
from litestar.openapi.spec import Example
from litestar.params import QueryParameter
from msgspec import Meta, Struct

from recollect.model import Scope
from recollect_proxy.memory_api.errors import documented, invalid_parameter
from recollect_proxy.memory_api.parameters import (
    ALWAYS,
    OpenEngine,
    SessionId,
    UserId,
    session_named,
    user_named,
)
from recollect_proxy.memory_api.schemas import Erasure, Time

_BEGUN_BEFORE = "begun_before"

BegunBefore: TypeAlias = Annotated[
    str | None,
    QueryParameter(
        description="Only chats where something was said by then: a date and time with its offset from UTC (RFC 3339), "
        "as one percent-encoded value (a plus sign is %2B). None for all.",
        schema_extra={"format": "date-time"},
        examples=[Example(value="2026-03-15T09:30:00Z")],
    ),
]


class Sessions(Struct):
    """The chats of a user that are remembered."""

    sessions: Annotated[
        list[str],
        Meta(
            description="Their ids, as the frontend sent them; the one where something was said last first."
        ),
    ]


class SessionsOfUser(Controller):
    """A user's chats."""

    path = "/users/{user_id:str}/sessions"
    tags = ("Users",)

    @get(
        summary="List a user's chats",
        response_description="All that are remembered.",
        responses=documented(*ALWAYS),
    )
    async def list_sessions(
        self, engine: OpenEngine, user_id: UserId, begun_before: BegunBefore = None
    ) -> Sessions:
        """A chat without an id of the frontend's has one of ours."""
        named, by_then = user_named(user_id), _time_named(_BEGUN_BEFORE, begun_before)
        return Sessions(await engine.sessions(named, begun_before=by_then))

    @delete(
        "/{session_id:str}",
        status_code=200,
        summary="Erase a chat",
        response_description="It is gone; this proves it.",
        responses=documented(*ALWAYS),
    )
    async def erase_session(self, engine: OpenEngine, user_id: UserId, session_id: SessionId) -> Erasure:
        """What was said in it goes, and what only it taught; what it had changed of other memories is as before.

        A memory stays that was told in another chat, too, or that somebody wrote over, approved or brought back by hand.
        A chat nobody has heard of is erased by deleting nothing: 200, all counts are zero.
        """
        return Erasure.of(await engine.erase_session(Scope(user_named(user_id), session_named(session_id))))


def _time_named(parameter: str, value: str | None) -> datetime | None:
    """Return the time that a parameter stands for, in UTC.

    Raises:
        RefusedError: It stands for none, or has no zone.
    """
    if value is None:
        return None
    try:
        return msgspec.convert(value, Time).astimezone(UTC)
    except (msgspec.ValidationError, OverflowError) as error:
        raise invalid_parameter(
            parameter, "a date and time with its offset from UTC (RFC 3339), as 2026-03-15T09:30:00Z"
        ) from error
