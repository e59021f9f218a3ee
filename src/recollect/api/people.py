"""The JSON of people and their chats: what was said, profile, settings, erasure, export, tokens. Never: an engine."""

from dataclasses import asdict
from datetime import date
from typing import Annotated, Self, TypeAlias
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from recollect import model
from recollect.api.fields import Content, SessionId, Time, about, bounded_text, one_of, word
from recollect.api.memories import Outline, Page
from recollect.model import EntryState, FailedAt, Party, Placement, ProfileField, Role, Strategy


class Sessions(Struct):
    """The chats of a user that are remembered."""

    sessions: Annotated[
        list[str],
        about("Their ids, as the frontend sent them; the one where something was said last first."),
    ]


class SaidMessage(Struct, forbid_unknown_fields=True):
    """Which message of a chat."""

    message: Annotated[
        str,
        bounded_text(
            256,
            "The id of the person's message, as the frontend sent it in `X-Recollect-Message`.",
            example="5b1c3a52-0f1b-4c6e-9a53-0a8a3c1b7a11",
        ),
    ]


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
    hidden: Annotated[bool, about("Whether it is recalled no more, as what it taught was taken away.")]
    failed_at: Annotated[
        Annotated[str, word(FailedAt)] | None,
        about(
            "The stage at which the answer failed: its text is as much as came of it. `connect`: the LLM was not "
            "reached; `head`: it answered nothing, or with an error; `stream`: it broke off; `client`: the client left, or cancelled. "
            "Only an answer that the client stopped is recalled. Null for all else."
        ),
    ]
    failed_status: Annotated[int | None, about("The status of the LLM's error; null where it sent none.")]

    @classmethod
    def of(cls, seen: model.MessageSeen) -> Self:
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
    """One page of what was said in a chat, in order."""

    messages: list[LoggedMessage]


class FoundMessage(Struct):
    """A message or a summary that a search found."""

    id: Annotated[UUID, about("The message, or the memory that is the summary.")]
    kind: Annotated[str, one_of("message", "summary"), about("Which of both it is.")]
    session_id: SessionId
    said_at: Annotated[Time, about("When it was said; of a summary, when it was written.")]
    role: Annotated[Annotated[str, word(Role)] | None, about("Who said it; null for a summary.")]
    speaker: Annotated[str | None, about("The name of who said it, where that is known.")]
    text: Annotated[
        str, about("The part of the message that fits best.", example="The attic needs insulation.")
    ]
    score: Annotated[float, about("What it was ranked by: the higher, the better it fits.")]

    @classmethod
    def of(cls, found: model.Recollection) -> Self:
        """Return the JSON of what was found."""
        item, score = found.item, round(found.score, 4)
        if isinstance(item, model.Memory):
            return cls(item.id, "summary", item.session_id or "", item.dated, None, None, item.content, score)
        said = (item.said_at, item.role, item.speaker, item.content)
        return cls(item.id, "message", item.session_id, *said, score)


class FoundMessages(Page[FoundMessage, UUID], kw_only=True):
    """One page of what a search in chats found, best first."""

    found: list[FoundMessage]
    degraded: Annotated[
        list[str], about("Stages that failed or were late, and were done without: `embedding`, ...")
    ]


class SummaryOfSession(Outline, kw_only=True):
    """What a chat was about."""

    memory_id: Annotated[UUID, about("The memory that is the summary.")]
    session_id: str
    text: Annotated[str, about("The summary itself.", example="The user plans a trip to Bali.")]
    said_at: Annotated[Time, about("When what it tells of was said.")]
    created_at: Annotated[Time, about("When it was written.")]


class AskedSummary(Struct):
    """What a summary that was asked for will hold."""

    turns: Annotated[
        int,
        about(
            "Turns of the chat that are in no summary yet; all where it has none. 0: nothing new was said, and nothing is done."
        ),
    ]


FieldOfProfile: TypeAlias = Annotated[
    ProfileField,
    about(
        "Of what it tells: `name`; `address`, how to be addressed; `answers`, how to be answered; `coding_style`; "
        "`languages`, those of programs; `frameworks`, and how well they are known; `goals`; `domain`; `constraints`; `notes`."
    ),
]


class NewProfileEntry(Struct, forbid_unknown_fields=True):
    """A statement to be written into a profile by hand."""

    field: FieldOfProfile
    content: Content


class ProfileEntryChange(Struct, forbid_unknown_fields=True):
    """What is to be otherwise: at least one of the fields. The others stay as they are."""

    field: FieldOfProfile | UnsetType = UNSET
    content: Content | UnsetType = UNSET


class ProfileEntry(Struct):
    """A statement of a profile."""

    id: UUID
    field: Annotated[str, word(ProfileField), about("Of what it tells.")]
    content: str
    state: Annotated[
        str,
        word(EntryState),
        about("`confirmed`; or `proposed`: a memory says it, and it counts once it is confirmed."),
    ]
    memory_id: Annotated[UUID | None, about("The memory that proposed it; null: it was written by hand.")]
    outdated: Annotated[
        bool,
        about(
            "Whether that memory says otherwise by now, or is gone: then no prompt is given it until it is confirmed again."
        ),
    ]
    created_at: Time
    changed_at: Annotated[Time, about("When it was proposed, written, changed or confirmed last.")]

    @classmethod
    def of(cls, entry: model.ProfileEntry) -> Self:
        """Return the JSON of ``entry``."""
        return cls(**{name: getattr(entry, name) for name in cls.__struct_fields__})


class Profile(Struct):
    """What a user says of themselves."""

    consents: Annotated[
        bool, about("Whether the user allows a profile, by the setting `profile`; without it there is none.")
    ]
    entries: Annotated[
        list[ProfileEntry],
        about("200 statements that are confirmed at most, and what is proposed; the oldest first."),
    ]
    updated_at: Annotated[Time | None, about("When something of it was changed last.")]

    @classmethod
    def of(cls, profile: model.OwnProfile) -> Self:
        """Return the JSON of ``profile``."""
        changed = max((each.changed_at for each in profile.entries), default=None)
        return cls(profile.consents, [ProfileEntry.of(each) for each in profile.entries], changed)


Records = Annotated[bool | None, about("Whether what is said is kept at all; false: it is not even logged.")]
Recall = Annotated[bool | None, about("Whether anything is recalled.")]
Stands = Annotated[
    bool | None, about("Whether the most important statements stand in every chat, whatever is asked.")
]
_FORMATION = about(
    "How exchanges become memories: by a model, as they are, both; off: they are logged, and nothing else."
)
_PLACEMENT = about("Where in a prompt goes what is recalled.")
Summaries = Annotated[bool | None, about("Whether chats are summarized.")]
Queries = Annotated[
    bool | None, about("Whether recalls and explanations tell what was asked, as the message log has it.")
]
Consents = Annotated[
    bool | None,
    about(
        "Whether the user allows a profile; only their own setting counts. Anything but true deletes the profile "
        "and its embeddings at once."
    ),
]
Lexical = Annotated[bool | None, about("Whether recall searches by words beside the meaning.")]
FromLog = Annotated[bool | None, about("Whether recall searches the message log beside the memories.")]
MemoryTokens = Annotated[
    Annotated[int, Meta(ge=50, le=100_000)] | None,
    about("Tokens that a turn's memories may take; a request may name others."),
]
HistoryTokens = Annotated[
    Annotated[int, Meta(ge=0, le=100_000)] | None,
    about("Tokens that a conversation's missing history may take; 0: none is told."),
]
SummaryTurns = Annotated[
    Annotated[int, Meta(ge=0, le=10_000)] | None,
    about("After how many turns a chat is summarized again; 0: never for their number."),
]
MinimumImportance = Annotated[
    Annotated[float, Meta(ge=0, le=1)] | None, about("Less important statements are not kept.")
]
Cap = Annotated[int, Meta(ge=0, le=1_000_000)]
SessionCap = Annotated[Cap | None, about("Memories that one chat may leave; 0: any number.")]
UserCap = Annotated[Cap | None, about("Memories a user may have; 0: any number.")]
TimeZone = Annotated[
    Annotated[str, Meta(min_length=1, max_length=64)] | None,
    about(
        "Whose days count where a request names no other: a name of the IANA's database, as Pacific/Auckland, or an offset, "
        "as +13:00."
    ),
]


class Flags(Struct):
    """What was changed; what is null is as Recollect was started."""

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
    max_memory_tokens: MemoryTokens = None
    max_history_tokens: HistoryTokens = None
    summary_turns: SummaryTurns = None
    minimum_importance: MinimumImportance = None
    session_cap: SessionCap = None
    user_cap: UserCap = None
    time_zone: TimeZone = None

    @classmethod
    def of(cls, flags: model.Flags) -> Self:
        """Return the JSON of ``flags``, without what is learned."""
        return cls(**{name: value for name, value in asdict(flags).items() if name in cls.__struct_fields__})


class CommonFlags(Flags):
    """What was changed for everybody, and what holds."""

    effective: Annotated[
        Flags | None, about("What holds: that, and where it says nothing, what Recollect was started with.")
    ] = None


class UserFlags(Struct):
    """What was changed for a user, and what is so for them."""

    own: Annotated[Flags, about("What was changed for this user alone.")]
    effective: Annotated[
        Flags,
        about(
            "What holds for them: that, where it says nothing what was changed for everybody, and else what Recollect was "
            "started with."
        ),
    ]


class CommonFlagsChange(Struct, forbid_unknown_fields=True):
    """What is to be otherwise for everybody: at least one of the fields; null takes a change back. The others stay as they are."""

    record: Records | UnsetType = UNSET
    recall: Recall | UnsetType = UNSET
    standing: Stands | UnsetType = UNSET
    formation: Annotated[Strategy | None, _FORMATION] | UnsetType = UNSET
    placement: Annotated[Placement | None, _PLACEMENT] | UnsetType = UNSET
    summaries: Summaries | UnsetType = UNSET
    queries: Queries | UnsetType = UNSET
    lexical: Lexical | UnsetType = UNSET
    history: FromLog | UnsetType = UNSET
    max_memory_tokens: MemoryTokens | UnsetType = UNSET
    max_history_tokens: HistoryTokens | UnsetType = UNSET
    summary_turns: SummaryTurns | UnsetType = UNSET
    minimum_importance: MinimumImportance | UnsetType = UNSET
    session_cap: SessionCap | UnsetType = UNSET
    user_cap: UserCap | UnsetType = UNSET
    time_zone: TimeZone | UnsetType = UNSET


class FlagsChange(CommonFlagsChange, forbid_unknown_fields=True):
    """What is to be otherwise for a user: as for everybody, and the profile, which each user allows for themselves."""

    profile: Consents | UnsetType = UNSET


class Usage(Struct):
    """Tokens that models took for a user to form and to summarize."""

    day: Annotated[date, about("Since midnight of this day, UTC.")]
    tokens: Annotated[int, about("Of prompts and answers together.")]
    limit: Annotated[
        int | None, about("What they may take on a day (`user_tokens_per_day`); null: any number.")
    ]


class AdminRead(Struct):
    """That an administrator read what is kept of the user."""

    id: UUID
    at: Time
    reader: Annotated[str, about("The name of the token that was used.")]
    operation: Annotated[
        str,
        about(
            "Which operation of this API it was, by its `operationId`, or which page, as `page: memories`, or which "
            "command, as `audit-store`."
        ),
    ]


class ValueChange(Struct):
    """What a setting was, and what it is then; null: it follows what is set for everybody."""

    before: bool | int | float | str | None
    after: bool | int | float | str | None


class SettingsChange(Struct):
    """That settings of a user's own were changed."""

    id: UUID
    at: Time
    by: Annotated[
        str,
        word(Party),
        about("`person`: the user; `integration`: an application that acts for them; or `administrator`."),
    ]
    name: Annotated[str, about("Of the token or key that was used; `chat`: it was said in a chat.")]
    changed: Annotated[dict[str, ValueChange], about("By the setting's name.")]


class ReadsOfUser(Struct):
    """What administrators read of a user, and who changed the user's settings."""

    reads: Annotated[list[AdminRead], about("Newest first.")]
    settings: Annotated[list[SettingsChange], about("Changes of settings, newest first.")] = []


class Erasure(Struct):
    """The proof of an erasure. It holds no content and no user."""

    id: Annotated[UUID, about("Names the tombstone that stays.")]
    erased_at: Time
    rows: Annotated[dict[str, int], about("How many rows of each table are gone.", example={"messages": 256})]


class UserErasure(Erasure):
    """The proof that a user was erased. It holds no content and no user."""

    left: Annotated[
        dict[str, int],
        about(
            "What was found when every table, queue, spool and cache was looked through once more afterwards: "
            "0 each; anything else came meanwhile.",
            example={"messages": 0, "spool": 0},
        ),
    ]
    vacuumed: Annotated[
        list[str] | None,
        about(
            "The tables where VACUUM made free what the rows took; those are missing where the database's role may "
            "not. Null where it was not asked for, or failed."
        ),
    ]


class ImportedRows(Struct):
    """What came of an import."""

    new: Annotated[dict[str, int], about("Rows that were not there, by section.", example={"memories": 12})]
    there: Annotated[
        dict[str, int],
        about("Rows that were, and stay as they are, by section.", example={"memories": 3}),
    ]
    ignored: Annotated[
        dict[str, int],
        about("Rows that can't be brought back, as kept answers, by section.", example={"kept_answers": 1}),
    ] = {}


class OwnToken(Struct):
    """A token of a user's own."""

    token: Annotated[str, about("Sent as `Authorization: Bearer TOKEN`. It opens what is this user's.")]
    expires_at: Time


class PageLink(Struct):
    """A link to a user's own page."""

    url: Annotated[str, about("Opens the page for this user alone. Whoever has it may: hand it to them.")]
    expires_at: Annotated[Time, about("Until when it opens the page.")]
