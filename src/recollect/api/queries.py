"""The parameters of queries, a struct each, and those of paths and headers."""

from typing import Annotated, TypeAlias
from uuid import UUID

from msgspec import Meta, Struct, field

from recollect.api.fields import (
    CHAT,
    ID,
    LONGEST_QUERY,
    LONGEST_QUESTION,
    LONGEST_TEXT,
    MEMORY,
    NOT_BLANK,
    USER,
    ProjectName,
    TeamName,
    Time,
    about,
    bounded_text,
    id_of,
)
from recollect.model import MOST_KEYS, TAG_LENGTH, VALUE_LENGTH, Doubt, Kind, Source, State

_ENCODED = "a date and time with its offset from UTC (RFC 3339), percent-encoded (a plus sign is %2B)."

Limit: TypeAlias = Annotated[
    int, Meta(description="How many at most; 50 by default.", ge=1, le=200, examples=[20])
]
LimitOfAll: TypeAlias = Annotated[
    Annotated[int, Meta(ge=1, le=200)] | None, about("How many at most; all by default.")
]
AFTER = about("The `next` of the page before; none for the first page.", must="the `next` of the page before")
After: TypeAlias = Annotated[UUID | None, AFTER]
Kinds: TypeAlias = Annotated[
    list[Kind] | None,
    about(
        "Only these kinds: `kind=fact&kind=todo`. By default all but questions and answers kept word for word (`qa_turn`).",
        example=["fact"],
        must=f"one of {', '.join(Kind)}; several are given as `kind=fact&kind=todo`",
    ),
]
Sources: TypeAlias = Annotated[
    list[Source] | None,
    about(
        "Only memories from one of these sources.",
        example=["manual"],
        must=f"one of {', '.join(Source)}; several are given as `source=manual&source=import`",
    ),
]
PLACE = "[0-9]{1,17}[.][0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
"""How `next` names a place in the list of memories held back: microseconds since 1970, and an id."""


PAIR = rf"^[A-Za-z0-9_.-]{{1,40}}:[^\u0000]{{0,{VALUE_LENGTH}}}$"
"""How a filter names a key of metadata and its value."""
PAIRS = f"a key of metadata, a colon and a value, as `priority:2`; at most {MOST_KEYS} such pairs"

TagsAsked: TypeAlias = Annotated[
    list[Annotated[str, bounded_text(TAG_LENGTH, "", pattern=NOT_BLANK)]] | None,
    about(
        "Only memories with each of these tags: `tag=work&tag=travel`.",
        example=["work"],
        must=f"1 to {TAG_LENGTH} characters, not only white space",
    ),
]
PairsAsked: TypeAlias = Annotated[
    Annotated[list[Annotated[str, Meta(pattern=PAIR)]], Meta(max_length=MOST_KEYS)] | None,
    about(
        "Only memories with each of these values: `metadata=source:crm&metadata=priority:2`. A value that reads as a number or "
        'a truth value of JSON is one; `"2"` in quotes is the text.',
        example=["source:crm"],
        must=PAIRS,
    ),
]

KEY, MATCH, PROJECT = "Idempotency-Key", "If-Match", "X-Recollect-Project"
LAST_EVENT = "Last-Event-ID"
EVENT_ID = "[0-9a-f]{32}[.][0-9]{1,18}"
_KEY = {
    "minLength": 1,
    "maxLength": 255,
    "pattern": r"^[\x21-\x7E]+$",
    "examples": ["8e03978e-40d5-43dd-bc93-6894a57f9324"],
}
_TAGS = {
    "pattern": r'^(\*|(W/)?"[!#-+\-.-~]{0,128}"( *, *(W/)?"[!#-+\-.-~]{0,128}"){0,19})?$',
    "examples": ["*"],
}


class OfPage(Struct, kw_only=True):
    """Which page."""

    limit: Limit = 50
    after: After = None


class OfAll(Struct, kw_only=True):
    """Which page, or all at once."""

    limit: LimitOfAll = None
    after: After = None


class OfHeld(Struct, kw_only=True):
    """A page of the memories held back."""

    limit: LimitOfAll = None
    after: Annotated[Annotated[str, Meta(extra_json_schema={"pattern": f"^{PLACE}$"})] | None, AFTER] = None


class OfLimit(Struct, kw_only=True):
    """How many."""

    limit: Limit = 50


class OfMemories(OfPage, kw_only=True):
    """Which memories are listed."""

    kind: Kinds = None
    source: Sources = None
    tag: TagsAsked = None
    metadata: PairsAsked = None
    session: Annotated[
        Annotated[str, Meta(extra_json_schema=ID)] | None,
        about("Only memories from this chat: its id, percent-encoded."),
    ] = None
    text: Annotated[
        Annotated[str, bounded_text(LONGEST_TEXT, "")] | None,
        about(
            f"Only memories whose content or a tag holds this, in any case: 1 to {LONGEST_TEXT} characters."
        ),
    ] = None
    observed_from: Annotated[Time | None, about(f"Only memories said then or later: {_ENCODED}")] = field(
        name="from", default=None
    )
    until: Annotated[Time | None, about(f"Only memories said before then: {_ENCODED}")] = None
    state: Annotated[State, about("`past`: replaced, forgotten or pruned, but not erased.")] = State.CURRENT
    doubt: Annotated[Doubt | None, about("Only memories with this doubt.")] = None
    as_of: Annotated[
        Time | None,
        about(
            f"What the user had then, each with its content of then; `state` is meant of then, "
            f"too: {_ENCODED}"
        ),
    ] = None
    valid_at: Annotated[
        Time | None,
        about(
            f"What was true then, as far as it is known today: what the user has, and their past, whatever "
            f"`state` says: {_ENCODED}"
        ),
    ] = None


def _sought(example: str) -> Meta:
    description = f"What is looked for, as a question or in words: 1 to {LONGEST_QUESTION} characters, not only white space."
    return bounded_text(LONGEST_QUESTION, description, pattern=NOT_BLANK, example=example)


class OfSearch(Struct, kw_only=True):
    """Which memories are searched for."""

    q: Annotated[str, _sought("What am I allergic to?")]
    limit: Limit = 20
    kind: Kinds = None
    source: Sources = None
    tag: TagsAsked = None
    metadata: PairsAsked = None


class OfMessages(OfPage, kw_only=True):
    """Which messages are searched for."""

    q: Annotated[str, _sought("the attic")]
    limit: Limit = 20
    said_from: Annotated[Time | None, about(f"Only what was said then or later: {_ENCODED}")] = field(
        name="from", default=None
    )
    until: Annotated[Time | None, about(f"Only what was said before then: {_ENCODED}")] = None


class OfSessions(Struct, kw_only=True):
    """Which chats."""

    begun_before: Annotated[
        Time | None,
        about(
            "Only chats where something was said by then: a date and time with its offset from UTC (RFC "
            "3339), as one percent-encoded value (a plus sign is %2B). None for all.",
            example="2026-03-15T09:30:00Z",
        ),
    ] = None


class OfLanguage(Struct, kw_only=True):
    """The language of a page."""

    language: Annotated[
        Annotated[str, bounded_text(35, "")] | None,
        about("A language (BCP 47); English serves the others.", example="de-DE"),
    ] = None


class OfErasure(Struct, kw_only=True):
    """The options of an erasure."""

    vacuum: Annotated[bool, about("Whether to VACUUM the tables afterwards; the answer waits for it.")] = (
        False
    )


class OfReport(Struct, kw_only=True):
    """The time of a report."""

    days: Annotated[
        int,
        Meta(description="Of how many days until now; requests are kept for 30.", ge=1, le=30, examples=[7]),
    ] = 7


class OfRetrieval(Struct, kw_only=True):
    """Which recall is tried."""

    q: Annotated[
        str,
        bounded_text(
            LONGEST_QUERY,
            f"What is asked: 1 to {LONGEST_QUERY} characters, not only white space.",
            pattern=NOT_BLANK,
            example="May I eat satay?",
        ),
    ]
    user: Annotated[
        str,
        Meta(description="Who asks: the id as the frontend sends it.", extra_json_schema=ID, examples=[USER]),
    ]
    session: Annotated[
        Annotated[str, Meta(extra_json_schema=ID)] | None,
        about("In which of their chats; none: in a new one."),
    ] = None


class InPath(Struct, kw_only=True):
    """The parameters of paths."""

    user_id: Annotated[
        str,
        id_of(
            "Whose memories: the id as the frontend sends it, as one percent-encoded path segment (a slash is "
            "%2F, a percent sign %25). 1 to 256 characters, any Unicode but NUL and U+001F; not `*`, the owner of shared "
            "memories, and no template that was not filled in, as `{{USER_ID}}`."
        ),
    ]
    session_id: Annotated[
        str,
        id_of("Which chat: its id in the list of the user's chats, as one percent-encoded segment.", CHAT),
    ]
    memory_id: Annotated[UUID, about("The memory's id.", example=str(MEMORY))]
    message_id: Annotated[UUID, about("The message's id in the list of the chat.", example=str(MEMORY))]
    change_id: Annotated[UUID, about("The change's id.", example=str(MEMORY))]
    entry_id: Annotated[UUID, about("The entry's id in the profile.", example=str(MEMORY))]
    request_id: Annotated[UUID, about("The answer's `x-recollect-request-id`.", example=str(MEMORY))]
    project: ProjectName
    team: TeamName
    member: Annotated[
        str, id_of("Who: the id as the frontend sends it, as one percent-encoded path segment.")
    ]


class InHeaders(Struct, kw_only=True):
    """The headers that some operations take."""

    key: Annotated[
        Annotated[str, Meta(extra_json_schema=_KEY)] | None,
        about(
            "Any id that is another for each thing to be done, 1 to 255 visible ASCII characters: sent again "
            "with the same request within a day, nothing is done, and the first answer comes again."
        ),
    ] = field(name=KEY, default=None)
    match: Annotated[
        Annotated[str, Meta(extra_json_schema=_TAGS)] | None,
        about(
            "The `ETag` that the memory was read with, or several, or `*`: if it has another by now, nothing is "
            "done, and the answer is 412."
        ),
    ] = field(name=MATCH, default=None)
    project: Annotated[
        ProjectName | None,
        about(
            "Which project of the user's is meant, percent-encoded, or a team of theirs as `team:family`; none for their "
            "own memory outside of all projects."
        ),
    ] = field(name=PROJECT, default=None)
    last_event: Annotated[
        Annotated[str, Meta(extra_json_schema={"pattern": f"^{EVENT_ID}$"})] | None,
        about(
            "The `id` of the last event that was received: the stream goes on behind it. None: it begins now."
        ),
    ] = field(name=LAST_EVENT, default=None)
