"""The endpoints of what was said in a chat: its messages, their marks, its summary, and their JSON. Never: SQL."""

from collections.abc import Sequence
from typing import Annotated, Self
from uuid import UUID

from litestar import Controller, get, post
from litestar.params import BodyKwarg
from msgspec import Meta, Struct

from recollect import model
from recollect.errors import MessageNotFoundError
from recollect.model import FailedAt, Role, Scope
from recollect_proxy.memory_api.errors import (
    MESSAGE_NOT_FOUND,
    SESSION_NOT_FOUND,
    SUMMARY_NOT_FOUND,
    SWITCHED_OFF,
    RefusedError,
    documented,
    invalid_parameter,
)
from recollect_proxy.memory_api.parameters import (
    ALWAYS,
    READING_A_BODY,
    After,
    Limit,
    MessageId,
    OpenEngine,
    SessionId,
    UserId,
    session_named,
    user_named,
    uuid_named,
)
from recollect_proxy.memory_api.schemas import Time


class LoggedMessage(Struct):
    """A message of a chat, as the log has it."""

    id: UUID
    role: Annotated[Role, Meta(description="Who said it.")]
    speaker: Annotated[str | None, Meta(description="The name of who said it, where that is known.")]
    text: Annotated[str, Meta(description="What was said, whole.")]
    said_at: Annotated[Time, Meta(description="When its turn was said; an answer has the time of its turn.")]
    tokens: Annotated[int, Meta(description="About how many tokens it has.")]
    alternate: Annotated[
        bool, Meta(description="Whether it is a further answer to a turn; only the first is recalled.")
    ]
    marked: Annotated[bool, Meta(description="Whether somebody called its turn valuable.")]
    hidden: Annotated[
        bool, Meta(description="Whether it is recalled no more, as what it taught was taken away.")
    ]

    failed_at: Annotated[
        FailedAt | None,
        Meta(
            description="The stage at which the answer failed: its text is as much as came of it. `connect`: the LLM was not "
            "reached; `head`: it answered nothing, or with an error; `stream`: it broke off; `client`: the client left, or cancelled. "
            "Only an answer that the client stopped is recalled. Null for all else."
        ),
    ]
    failed_status: Annotated[
        int | None, Meta(description="The status of the LLM's error; null where it sent none.")
    ]

    @classmethod
    def of(cls, seen: model.MessageSeen) -> Self:
        """Return the JSON of a message."""
        return cls(
            seen.id,
            seen.role,
            seen.speaker,
            seen.content,
            seen.said_at,
            seen.tokens,
            seen.alternate,
            seen.marked,
            seen.hidden,
            None if seen.failure is None else seen.failure.stage,
            None if seen.failure is None else seen.failure.status,
        )


class MessagesPage(Struct):
    """One page of what was said in a chat, in order."""

    messages: list[LoggedMessage]
    next: Annotated[
        UUID | None, Meta(description="Send it as `after` for the following page; null on the last.")
    ]

    @classmethod
    def of(cls, seen: Sequence[model.MessageSeen], *, limit: int) -> Self:
        """Return the JSON of ``seen``: a page of ``limit``, and of one more than that only that there is one."""
        page = [LoggedMessage.of(message) for message in seen[:limit]]
        return cls(page, page[-1].id if len(seen) > limit else None)


class MarkedTurn(Struct, forbid_unknown_fields=True):
    """Whether a turn is valuable."""

    marked: Annotated[bool, Meta(description="True: it is; false: it is not, or no longer.")]


class SummaryOfSession(Struct):
    """What a chat was about."""

    memory_id: Annotated[UUID, Meta(description="The memory that is the summary.")]
    session_id: str
    text: Annotated[str, Meta(description="The summary itself.")]
    said_at: Annotated[Time, Meta(description="When what it tells of was said.")]
    created_at: Annotated[Time, Meta(description="When it was written.")]
    facts: list[str]
    preferences: list[str]
    decisions: list[str]
    todos: Annotated[list[str], Meta(description="Those still open when it was written.")]
    entities: Annotated[list[str], Meta(description="Who and what it speaks of.")]

    @classmethod
    def of(cls, summary: model.Memory, session_id: str) -> Self:
        """Return the JSON of a summary."""
        outline = summary.outline or model.Outline()
        return cls(
            summary.id,
            session_id,
            summary.content,
            summary.observed_at,
            summary.created_at,
            list(outline.facts),
            list(outline.preferences),
            list(outline.decisions),
            list(outline.todos),
            list(outline.entities),
        )


class AskedSummary(Struct):
    """What a summary that was asked for will hold."""

    turns: Annotated[
        int,
        Meta(
            description="Turns of the chat that are in no summary yet; all where it has none. 0: nothing new was said, and "
            "nothing is done."
        ),
    ]


class LogOfSession(Controller):
    """What was said in a user's chat."""

    path = "/users/{user_id:str}/sessions/{session_id:str}"
    tags = ("Users",)

    @get(
        "/messages",
        summary="List what was said in a chat",
        response_description="The page.",
        responses=documented(*ALWAYS, SESSION_NOT_FOUND),
    )
    async def list_messages(
        self,
        engine: OpenEngine,
        user_id: UserId,
        session_id: SessionId,
        limit: Limit = 50,
        after: After = None,
    ) -> MessagesPage:
        """Oldest first, as the log has it: with what is recalled no more, and with every answer to a turn."""
        scope = Scope(user_named(user_id), session_named(session_id))
        try:
            return MessagesPage.of(await engine.messages(scope, limit=limit + 1, after=after), limit=limit)
        except MessageNotFoundError as error:
            raise invalid_parameter("after", "the `next` of the page before") from error

    @post(
        "/messages/{message_id:str}/mark",
        status_code=204,
        summary="Call a turn valuable, or no longer",
        response_description="It is noted.",
        responses=documented(*ALWAYS, *READING_A_BODY, SESSION_NOT_FOUND, MESSAGE_NOT_FOUND),
    )
    async def mark_turn(
        self,
        engine: OpenEngine,
        user_id: UserId,
        session_id: SessionId,
        message_id: MessageId,
        data: Annotated[MarkedTurn, BodyKwarg()],
    ) -> None:
        """It holds for the message's whole turn, with its answers, as the header `x-recollect-mark` does.

        What is valuable is searched even where it looks like nothing to keep, and has embeddings with
        `RECOLLECT_EMBED=marked`. The turn is indexed anew for that, in the background; until then it is not found.
        What is hidden stays so.
        """
        scope = Scope(user_named(user_id), session_named(session_id))
        await engine.mark_turn(scope, uuid_named("message_id", message_id), marked=data.marked)

    @get(
        "/summary",
        summary="Read a chat's summary",
        response_description="The newest one.",
        responses=documented(*ALWAYS, SESSION_NOT_FOUND, SUMMARY_NOT_FOUND),
    )
    async def read_summary(
        self, engine: OpenEngine, user_id: UserId, session_id: SessionId
    ) -> SummaryOfSession:
        """What was said since it was written is not in it. A chat has none before it was long enough for one."""
        scope = Scope(user_named(user_id), session_named(session_id))
        summary = await engine.summary(scope)
        if summary is None:
            raise RefusedError(SUMMARY_NOT_FOUND)
        return SummaryOfSession.of(summary, scope.session_id)

    @post(
        "/summary",
        status_code=202,
        summary="Summarize a chat now",
        response_description="It is asked for.",
        responses=documented(*ALWAYS, SESSION_NOT_FOUND, SWITCHED_OFF),
    )
    async def ask_for_summary(
        self, engine: OpenEngine, user_id: UserId, session_id: SessionId
    ) -> AskedSummary:
        """The model summarizes it in the background, before the chats that are due; then `GET` on the same path tells it.

        What was said last is formed first. Asked again while it waits, nothing more is done. A chat is summarized so also
        where the setting `summaries` is off.
        """
        scope = Scope(user_named(user_id), session_named(session_id))
        return AskedSummary(await engine.ask_for_summary(scope))
