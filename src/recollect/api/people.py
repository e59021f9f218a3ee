"""The JSON of people: profile, the settings of one and of everybody (flags), erasure, export, tokens."""

from datetime import date
from typing import Annotated, TypeAlias
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from recollect.api.fields import (
    NOT_BLANK,
    OF_LIFETIMES,
    Content,
    LifetimesText,
    Time,
    TimeZone,
    about,
    word,
)
from recollect.model import (
    LONGEST_INSTRUCTIONS,
    EntryState,
    Party,
    Placement,
    ProfileField,
    Strategy,
)

FieldOfProfile: TypeAlias = Annotated[
    ProfileField,
    about(
        "Of what it tells: `name`; `address`, how to be addressed; `answers`, how to be answered; "
        "`coding_style`; `languages`, those of programs; `frameworks`, and how well they are known; "
        "`goals`; `domain`; `constraints`; `notes`."
    ),
]


class NewProfileEntry(Struct, forbid_unknown_fields=True):
    """A profile entry to be written by hand."""

    field: FieldOfProfile
    content: Content


class ProfileEntryChange(Struct, forbid_unknown_fields=True):
    """A correction of a profile entry: at least one of the fields. The others stay as they are."""

    field: FieldOfProfile | UnsetType = UNSET
    content: Content | UnsetType = UNSET


class ProfileEntry(Struct):
    """An entry of a profile."""

    id: UUID
    field: Annotated[str, word(ProfileField), about("Of what it tells.")]
    content: str
    state: Annotated[str, word(EntryState), about("`proposed`: it counts once confirmed.")]
    memory_id: Annotated[UUID | None, about("The memory that proposed it; null: it was written by hand.")]
    outdated: Annotated[bool, about("Whether that memory changed or is gone: no prompt gets it then.")]
    created_at: Time
    changed_at: Annotated[Time, about("When it was proposed, written, changed or confirmed last.")]


class Profile(Struct):
    """A user's profile."""

    consents: Annotated[bool, about("Whether the user allows a profile, by the setting `profile`.")]
    entries: Annotated[
        list[ProfileEntry], about("200 confirmed ones at most, and proposals; the oldest first.")
    ]
    updated_at: Annotated[Time | None, about("When something of it was changed last.")]


Records = Annotated[bool | None, about("Whether what is said is kept at all; false: it is not even logged.")]
Recall = Annotated[bool | None, about("Whether anything is recalled.")]
Stands = Annotated[bool | None, about("Whether the most important memories are in every chat.")]
_FORMATION = about(
    "How exchanges become memories: by a model, as they are, both; off: they are logged, and nothing else."
)
_PLACEMENT = about("Where in a prompt goes what is recalled.")
Summaries = Annotated[bool | None, about("Whether chats are summarized.")]
Queries = Annotated[bool | None, about("Whether recalls and explanations show the question.")]
Consents = Annotated[
    bool | None,
    about(
        "Whether the user allows a profile; only their own setting counts. Anything but true deletes the "
        "profile and its embeddings at once."
    ),
]
Lexical = Annotated[bool | None, about("Whether recall searches by words beside the meaning.")]
FromLog = Annotated[bool | None, about("Whether recall searches the message log beside the memories.")]
_MEMORY_TOKENS = about("Tokens for a turn's memories; a request may name others.")
_HISTORY_TOKENS = about("Tokens for a conversation's missing history; 0: none.")
_SUMMARY_TURNS = about("Turns after which a chat is summarized again; 0: never.")
MinimumImportance = Annotated[
    Annotated[float, Meta(ge=0, le=1)] | None, about("Less important ones are not kept.")
]
Cap = Annotated[int, Meta(ge=0, le=1_000_000)]
_SESSION_CAP = about("Memories that one chat may leave; 0: any number.")
_USER_CAP = about("Memories a user may have; 0: any number.")


_Instructions = Annotated[str, Meta(min_length=1, max_length=LONGEST_INSTRUCTIONS, pattern=NOT_BLANK)]
_OF_OPERATOR = about("The operator's instructions for the model that forms memories. The user can read them.")
_OF_USER = about(
    "The user's own instructions on what to keep of them and what to leave out. A model may err."
)
ApprovesFirst = Annotated[
    bool | None,
    about(
        "Whether what is learned waits until the user approves it. Messages are not recalled then, and chats not "
        "summarized. Where it is so for everybody, no user's own setting ends it."
    ),
]


class Flags(Struct):
    """Changed settings; a null setting has its value from the start, which may be beyond the limits of a change."""

    record: Records = None
    recall: Recall = None
    standing: Stands = None
    formation: Annotated[Annotated[str, word(Strategy)] | None, _FORMATION] = None
    placement: Annotated[Annotated[str, word(Placement)] | None, _PLACEMENT] = None
    summaries: Summaries = None
    queries: Queries = None
    profile: Consents = None
    lexical: Lexical = None
    history: FromLog = None
    max_memory_tokens: Annotated[int | None, _MEMORY_TOKENS] = None
    max_history_tokens: Annotated[int | None, _HISTORY_TOKENS] = None
    summary_turns: Annotated[int | None, _SUMMARY_TURNS] = None
    minimum_importance: MinimumImportance = None
    session_cap: Annotated[int | None, _SESSION_CAP] = None
    user_cap: Annotated[int | None, _USER_CAP] = None
    approve_first: ApprovesFirst = None
    time_zone: TimeZone = None
    operator_instructions: Annotated[str | None, _OF_OPERATOR] = None
    instructions: Annotated[str | None, _OF_USER] = None
    lifetimes: Annotated[str | None, OF_LIFETIMES] = None


class CommonFlags(Flags):
    """The settings changed for everybody, and the effective ones."""

    effective: Annotated[Flags | None, about("The same, with the values from the start filled in.")] = None


class UserFlags(Struct):
    """The settings changed for a user, and the effective ones."""

    own: Annotated[Flags, about("What was changed for this user alone.")]
    effective: Annotated[Flags, about("These, then everybody's, then the values from the start.")]


class CommonFlagsChange(Struct, forbid_unknown_fields=True):
    """A change of everybody's settings: at least one of the fields; null takes a change back. The others stay as they are."""

    record: Records | UnsetType = UNSET
    recall: Recall | UnsetType = UNSET
    standing: Stands | UnsetType = UNSET
    formation: Annotated[Strategy | None, _FORMATION] | UnsetType = UNSET
    placement: Annotated[Placement | None, _PLACEMENT] | UnsetType = UNSET
    summaries: Summaries | UnsetType = UNSET
    queries: Queries | UnsetType = UNSET
    lexical: Lexical | UnsetType = UNSET
    history: FromLog | UnsetType = UNSET
    max_memory_tokens: (
        Annotated[Annotated[int, Meta(ge=50, le=100_000)] | None, _MEMORY_TOKENS] | UnsetType
    ) = UNSET
    max_history_tokens: (
        Annotated[Annotated[int, Meta(ge=0, le=100_000)] | None, _HISTORY_TOKENS] | UnsetType
    ) = UNSET
    summary_turns: Annotated[Annotated[int, Meta(ge=0, le=10_000)] | None, _SUMMARY_TURNS] | UnsetType = UNSET
    minimum_importance: MinimumImportance | UnsetType = UNSET
    session_cap: Annotated[Cap | None, _SESSION_CAP] | UnsetType = UNSET
    user_cap: Annotated[Cap | None, _USER_CAP] | UnsetType = UNSET
    approve_first: ApprovesFirst | UnsetType = UNSET
    time_zone: TimeZone | UnsetType = UNSET
    operator_instructions: Annotated[_Instructions | None, _OF_OPERATOR] | UnsetType = UNSET


class FlagsChange(CommonFlagsChange, forbid_unknown_fields=True):
    """A change of a user's settings: as for everybody, and what each user says for themselves: a profile, instructions, lifetimes."""

    profile: Consents | UnsetType = UNSET
    instructions: Annotated[_Instructions | None, _OF_USER] | UnsetType = UNSET
    lifetimes: LifetimesText | UnsetType = UNSET


class Usage(Struct):
    """Tokens that models took for a user to form and to summarize."""

    day: Annotated[date, about("Since midnight of this day, UTC.")]
    tokens: Annotated[int, about("Of prompts and answers together.")]
    limit: Annotated[int | None, about("Tokens a day (`user_tokens_per_day`); null: any number.")]


class AdminRead(Struct):
    """A read of a user's data by an administrator."""

    id: UUID
    at: Time
    reader: Annotated[str, about("The name of the token that was used.")]
    operation: Annotated[str, about("The `operationId`, a page as `page: memories`, or a command.")]


class ValueChange(Struct):
    """A setting before and after; null if it followed everybody's."""

    before: bool | int | float | str | None
    after: bool | int | float | str | None


class SettingsChange(Struct):
    """A change of a user's own settings."""

    id: UUID
    at: Time
    by: Annotated[str, word(Party), about("`integration`: an application that acts for the user.")]
    name: Annotated[str, about("Of the token or key that was used; `chat`: it was said in a chat.")]
    changed: Annotated[dict[str, ValueChange], about("By the setting's name.")]


class ReadsOfUser(Struct):
    """Administrators' reads of a user, and changes of the user's settings."""

    reads: Annotated[list[AdminRead], about("Newest first.")]
    settings: Annotated[list[SettingsChange], about("Changes of settings, newest first.")] = []


class Erasure(Struct):
    """The proof of an erasure. It holds no content and no user."""

    id: Annotated[UUID, about("Names the tombstone that stays.")]
    erased_at: Time
    rows: Annotated[
        dict[str, int], about("How many rows of each table were erased.", example={"messages": 256})
    ]


class UserErasure(Erasure):
    """The proof that a user was erased. It holds no content and no user."""

    left: Annotated[
        dict[str, int],
        about(
            "What was found when every table, queue, spool and cache was looked through once more "
            "afterwards: 0 each; anything else came meanwhile.",
            example={"messages": 0, "spool": 0},
        ),
    ]
    vacuumed: Annotated[
        list[str] | None,
        about(
            "The tables where VACUUM made free what the rows took; those are missing where the database's "
            "role may not. Null where it was not asked for, or failed."
        ),
    ]


class ImportedRows(Struct):
    """The number of imported rows."""

    new: Annotated[dict[str, int], about("Rows that were not there, by section.", example={"memories": 12})]
    there: Annotated[
        dict[str, int], about("Rows that were there and stay, by section.", example={"memories": 3})
    ]
    ignored: Annotated[
        dict[str, int], about("Rows that can't be imported, by section.", example={"kept_answers": 1})
    ] = {}


class OwnToken(Struct):
    """A token of a user's own."""

    token: Annotated[str, about("Sent as `Authorization: Bearer TOKEN`. It opens what is this user's.")]
    expires_at: Time


class PageLink(Struct):
    """A link to a user's own page."""

    url: Annotated[str, about("Opens the page for this user alone. Whoever has it may: hand it to them.")]
    expires_at: Annotated[Time, about("Until when it opens the page.")]
