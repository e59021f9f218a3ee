"""The endpoints of a user's chats: which there are, and erasing one. Never: what was said in them."""

from typing import Annotated

from litestar import Controller, delete, get
from msgspec import Meta, Struct

from recollect.model import Scope
from recollect_proxy.memory_api.errors import documented
from recollect_proxy.memory_api.parameters import (
    ALWAYS,
    OpenEngine,
    SessionId,
    UserId,
    session_named,
    user_named,
)
from recollect_proxy.memory_api.shapes import Erasure


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
    async def list_sessions(self, engine: OpenEngine, user_id: UserId) -> Sessions:
        """A chat without an id of the frontend's has one of ours."""
        return Sessions(await engine.sessions(user_named(user_id)))

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
        """
        return Erasure.of(await engine.erase_session(Scope(user_named(user_id), session_named(session_id))))
