"""The JSON of tried extractions."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from recollect.api.fields import LONGEST_CONTENT, NOT_BLANK, UserId, about, bounded_text, one_of, word
from recollect.model import Reason, Role

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
