"""The JSON of chats: messages, summaries, the changes of one message; and conversations that an extraction is tried with."""

from typing import Annotated, Self, TypeAlias
from uuid import UUID

from msgspec import Meta, Struct

from recollect import model
from recollect.api.fields import (
    LONGEST_CONTENT,
    NOT_BLANK,
    SessionId,
    Time,
    UserId,
    about,
    bounded_text,
    one_of,
    word,
)
from recollect.api.memories import Outline, Page
from recollect.model import FailedAt, Reason, Role


class Sessions(Struct):
    """The chats of a user that are remembered."""

    sessions: Annotated[list[str], about("Their ids, as the frontend sent them; the latest first.")]


_LONGEST_WAIT = 300

Language: TypeAlias = Annotated[
    str,
    bounded_text(
        35,
        "The language of the line for the person (BCP 47); by default that of the memories.",
        example="de-DE",
    ),
]


class MessageToUndo(Struct, forbid_unknown_fields=True):
    """The message whose changes are undone."""

    message: Annotated[
        str,
        bounded_text(
            256,
            "The id of the person's message, as the frontend sent it in `X-Recollect-Message`.",
            example="5b1c3a52-0f1b-4c6e-9a53-0a8a3c1b7a11",
        ),
    ]
    language: Language | None = None


class ChangesOfMessage(MessageToUndo, forbid_unknown_fields=True):
    """The message whose changes are taken."""

    button: Annotated[
        Annotated[str, bounded_text(64, "")] | None,
        about(
            "The name of the button that shows memories in the frontend: the line of the first ones names it."
        ),
    ] = None
    wait: Annotated[
        int,
        Meta(
            description="Seconds to wait at most until they are known.",
            ge=0,
            le=_LONGEST_WAIT,
            examples=[_LONGEST_WAIT],
        ),
    ] = 0


class MarkedTurn(Struct, forbid_unknown_fields=True):
    """Whether a turn is valuable."""

    marked: Annotated[bool, about("True: it is; false: it is not, or no longer.")]


class LoggedMessage(Struct):
    """A message of a chat, as the log has it."""

    id: UUID
    role: Annotated[str, word(Role), about("Who said it.")]
    speaker: Annotated[str | None, about("The name of who said it, where that is known.")]
    text: Annotated[str, about("What was said, whole.", example="I'm allergic to peanuts, by the way.")]
    said_at: Annotated[Time, about("When its turn was said; an answer has the time of its turn.")]
    tokens: Annotated[int, about("About how many tokens it has.")]
    alternate: Annotated[bool, about("Whether it is a further answer to a turn; only the first is recalled.")]
    marked: Annotated[bool, about("Whether somebody called its turn valuable.")]
    hidden: Annotated[
        bool, about("Whether it is recalled no more, as the memories from it were undone or forgotten.")
    ]
    failed_at: Annotated[
        Annotated[str, word(FailedAt)] | None,
        about(
            "The stage at which the answer failed: its text is as much as came of it. `connect`: the LLM "
            "was not reached; `head`: it answered nothing, or with an error; `stream`: it broke off; "
            "`client`: the client left, or cancelled. Only an answer that the client stopped is recalled. "
            "Null for all else."
        ),
    ]
    failed_status: Annotated[int | None, about("The status of the LLM's error; null where it sent none.")]

    @classmethod
    def from_seen(cls, seen: model.MessageSeen) -> Self:
        """Return the JSON of a message."""
        failure = seen.failure
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
            None if failure is None else failure.stage,
            None if failure is None else failure.status,
        )


class MessagesPage(Page[LoggedMessage, UUID]):
    """One page of a chat's messages, in order."""

    messages: list[LoggedMessage]


class FoundMessage(Struct):
    """A message or a summary that a search found."""

    id: Annotated[UUID, about("The message, or the memory that is the summary.")]
    kind: Annotated[str, one_of("message", "summary"), about("Which of both it is.")]
    session_id: SessionId
    said_at: Annotated[Time, about("When it was said; of a summary, when it was written.")]
    role: Annotated[Annotated[str, word(Role)] | None, about("Who said it; null for a summary.")]
    speaker: Annotated[str | None, about("The name of who said it, where that is known.")]
    text: Annotated[str, about("The part that fits best.", example="The attic needs insulation.")]
    score: Annotated[float, about("What it was ranked by: the higher, the better it fits.")]

    @classmethod
    def from_recollection(cls, found: model.Recollection) -> Self:
        """Return the JSON of a search result."""
        item, score = found.item, round(found.score, 4)
        if isinstance(item, model.Memory):
            return cls(item.id, "summary", item.session_id or "", item.dated, None, None, item.content, score)
        said = (item.said_at, item.role, item.speaker, item.content)
        return cls(item.id, "message", item.session_id, *said, score)


class FoundMessages(Page[FoundMessage, UUID], kw_only=True):
    """One page of messages and summaries, best first."""

    found: list[FoundMessage]
    degraded: Annotated[list[str], about("Skipped stages, failed or late: `embedding`, ...")]


class SummaryOfSession(Outline, kw_only=True):
    """The summary of a chat."""

    memory_id: Annotated[UUID, about("The memory that is the summary.")]
    session_id: str
    text: Annotated[str, about("The summary itself.", example="The user plans a trip to Bali.")]
    said_at: Annotated[Time, about("When what it tells of was said.")]
    created_at: Annotated[Time, about("When it was written.")]


class AskedSummary(Struct):
    """The extent of a requested summary."""

    turns: Annotated[int, about("Turns that no summary covers yet; 0: nothing is done.")]


MOST_TRIED = 20
"""Messages of a conversation that an extraction may be tried with."""


class TriedMessage(Struct, forbid_unknown_fields=True):
    """A message of a tried conversation."""

    content: Annotated[
        str,
        bounded_text(
            LONGEST_CONTENT,
            "What was said.",
            pattern=NOT_BLANK,
            example="I'm allergic to peanuts, by the way.",
        ),
    ]
    role: Annotated[Role, about("Who said it.")] = Role.USER


class TriedConversation(Struct, forbid_unknown_fields=True):
    """A conversation of which an extraction is tried."""

    user: UserId
    messages: Annotated[
        list[TriedMessage],
        Meta(
            description="The messages, in order.", extra_json_schema={"minItems": 1, "maxItems": MOST_TRIED}
        ),
    ]
    model: Annotated[
        str,
        Meta(
            description="The model of the chat; it is asked if no other is named to form memories.",
            max_length=256,
            examples=["llama3.1:8b"],
        ),
    ] = ""


class TriedDecision(Struct):
    """A decision about a tried message."""

    message: Annotated[
        int, about("The number of the message in the conversation, counting the user's from 1.")
    ]
    action: Annotated[
        str,
        one_of(
            "add", "replace", "quarantine", "reinforce", "retire", "mark", "limit", "hide", "erase", "ignore"
        ),
        about("The kind of change; `ignore`: the statement is not kept."),
    ]
    reason: Annotated[str, word(Reason), about("Why.")]
    content: Annotated[
        str | None, about("The statement; null: the decision is about a memory that is there.")
    ]
    evidence: Annotated[str | None, about("The quote it rests on, secrets masked.")]
    kind: Annotated[str | None, about("What sort of statement it is.")]
    importance: Annotated[float | None, about("From 0, trivial, to 1, vital.")]
    memory_id: Annotated[UUID | None, about("The memory that changes, or says it already; null: none does.")]


class FormationTrial(Struct):
    """A tried extraction."""

    decisions: Annotated[list[TriedDecision], about("The decisions, message by message.")]
    is_read: Annotated[bool, about("Whether a model could read all of it, and its answer could be read.")]
    tokens: Annotated[int, about("The tokens that the model took.")]
    seconds: Annotated[float, about("How long it took.")]
