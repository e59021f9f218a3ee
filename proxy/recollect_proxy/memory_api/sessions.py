"""The endpoints of a user's chats: which there are, and erasing one."""

from typing import Annotated, Any, TypeAlias

from litestar import Controller, Request, delete, get, post
from litestar.di import NamedDependency
from litestar.openapi.spec import Example
from litestar.params import BodyKwarg, QueryParameter, SkipValidation
from msgspec import Meta, Struct

from recollect.engine.live import LiveEngine
from recollect.model import Scope
from recollect_openwebui import notices
from recollect_proxy.memory_api.authorization import WhoAsks, note_read
from recollect_proxy.memory_api.errors import EXCHANGE_NOT_FOUND, RefusedError, documented
from recollect_proxy.memory_api.parameters import (
    ALWAYS,
    READING_A_BODY,
    OpenEngine,
    SessionId,
    UserId,
    session_named,
    time_named,
    user_named,
)
from recollect_proxy.memory_api.schemas import Erasure, SaidMessage, Taught, Undone

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
        named, by_then = user_named(user_id), time_named(_BEGUN_BEFORE, begun_before)
        return Sessions(await engine.sessions(named, begun_before=by_then))

    @delete(
        "/{session_id:str}",
        status_code=200,
        summary="Erase a chat",
        response_description="It is gone; this proves it.",
        responses=documented(*ALWAYS),
    )
    async def erase_session(self, engine: OpenEngine, user_id: UserId, session_id: SessionId) -> Erasure:
        """Erase the chat: its messages, the memories that rest on it alone, and its changes to other memories.

        A memory stays that was told in another chat, too, or that somebody wrote over, approved or brought back by hand.
        A chat nobody has heard of is erased by deleting nothing: 200, all counts are zero.
        """
        return Erasure.of(await engine.erase_session(Scope(user_named(user_id), session_named(session_id))))

    @post(
        "/{session_id:str}/undo",
        status_code=200,
        summary="Undo what a message taught",
        response_description="What was undone.",
        responses=documented(*ALWAYS, *READING_A_BODY, EXCHANGE_NOT_FOUND),
    )
    async def undo_message(
        self,
        engine: OpenEngine,
        principal: WhoAsks,
        user_id: UserId,
        session_id: SessionId,
        data: Annotated[SaidMessage, BodyKwarg()],
    ) -> Undone:
        """Newest first, with what the answer to it said was remembered meanwhile; from then on its words are not recalled either.

        What waits to be formed of it never is. What was changed again since stays.
        """
        scope = Scope(user_named(user_id), session_named(session_id))
        undone = await engine.take_back(scope, data.message, actor=principal.actor)
        if undone is None:
            raise RefusedError(EXCHANGE_NOT_FOUND)
        return Undone.of(undone)

    @post(
        "/{session_id:str}/taught",
        status_code=200,
        summary="Take what a message taught, to show it",
        response_description="The line to show.",
        responses=documented(*ALWAYS, *READING_A_BODY),
    )
    async def take_taught(
        self,
        request: Request[Any, Any, Any],
        live: NamedDependency[SkipValidation[LiveEngine]],
        principal: WhoAsks,
        engine: OpenEngine,
        user_id: UserId,
        session_id: SessionId,
        data: Annotated[SaidMessage, BodyKwarg()],
    ) -> Taught:
        """It is told once: neither a second call nor the chat's next answer tells it again."""
        scope = Scope(user_named(user_id), session_named(session_id))
        await note_read(live, principal, scope.user_id, request.route_handler)
        news = await engine.tell(scope, data.message, own=True)
        return Taught(notices.changes(news.updates[::-1]))
