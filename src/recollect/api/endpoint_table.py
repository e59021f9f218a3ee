"""The table of the memory API: every operation there is. Dispatch, document, permissions and client are made from it.

An operation is a method of a path, its body or query, its answer and its failures.
"""

from enum import StrEnum
from types import NoneType
from typing import Any, Generic, Literal, TypeVar

from msgspec import Struct

from recollect.api.chats import *
from recollect.api.failures import *
from recollect.api.failures import (
    ALWAYS,
    FROM_STORE,
    IF_MATCH,
    OF_TEAMS,
    ONCE,
    READING_A_BODY,
    WITH_TOKEN,
    Failure,
)
from recollect.api.memories import *
from recollect.api.people import *
from recollect.api.projects import (
    NewMember,
    NewTeam,
    Project,
    ProjectChange,
    ProjectList,
    Team,
    TeamErasure,
    TeamList,
)
from recollect.api.queries import *
from recollect.api.requests_and_health import *

Answer = TypeVar("Answer")


class Permission(StrEnum):
    """The permission that an operation requires of a token."""

    OWN = "own"
    """It concerns the user in the path, and that user may do it."""
    OWN_REQUEST = "own-request"
    """It concerns a request; the operation itself checks whose it was."""
    ADMIN = "admin"
    """It concerns all users, or gives a user something of others: administrators only."""
    PUBLIC = "public"
    """Anyone may do it, without a token."""


class Operation(Generic[Answer]):
    """A row of the table, in a class whose docstring is its chapter in the document.

    The function of the same name in `recollect_proxy.memory_api` answers it; that function's docstring documents it.

    Args:
        path: The path, with its parameters in braces.
        answers: The shape of the answer; NoneType for none.
        takes: The shape of the query (GET, DELETE) or of the body (POST, PATCH); None for none.
        *further: Failures other than those that the other arguments imply.
        status: The HTTP status of the answer; by default 200, or 204 without a body.
        once: Whether it takes an `Idempotency-Key`.
        if_match: Whether it takes `If-Match`.
        asks_store: Whether it fails while the store is away.
        of_person: Whether it concerns the user as a person, whatever their projects are.
        leaves_project: Whether it changes another project's memory, too, or is a decision that a key for one project may not make.

    Attributes:
        in_projects: Whether it takes `X-Recollect-Project`: it concerns a memory, and each project has one.
        stays_in_project: Whether a token for one project may do it.
        is_stream: Whether its answer is a stream of events, which takes `Last-Event-ID`.
        name: Its `operationId`, the name of its row; ``tag`` is its chapter.
    """

    def __init__(
        self,
        method: Literal["GET", "POST", "PATCH", "DELETE"],
        path: str,
        answers: type[Answer],
        takes: type[Struct] | None = None,
        *further: Failure,
        status: int | None = None,
        permission: Permission = Permission.OWN,
        once: bool = False,
        if_match: bool = False,
        media_type: str = "application/json",
        asks_store: bool = True,
        of_person: bool = False,
        leaves_project: bool = False,
    ) -> None:
        self.name = self.tag = ""
        self.method, self.path = method, path
        self.answers, self.takes = answers, takes
        self.further = further
        self.status = status or (204 if answers is NoneType else 200)
        self.permission = permission
        self.once, self.if_match = once, if_match
        self.in_projects = "{user_id}" in path and not of_person
        self.stays_in_project = self.in_projects and not leaves_project
        self.media_type = media_type
        self.is_stream = media_type == "text/event-stream"
        self.takes_body = takes is not None and method in {"POST", "PATCH"}
        self.failures: tuple[Failure, ...] = (
            *ALWAYS,
            *(() if permission is Permission.PUBLIC else WITH_TOKEN),
            *(FROM_STORE if asks_store else ()),
            *(READING_A_BODY if self.takes_body else ()),
            *further,
            *(OF_TEAMS if self.in_projects else ()),
            *(ONCE if once else ()),
            *(IF_MATCH if if_match else ()),
        )

    def __set_name__(self, chapter: type, name: str) -> None:
        self.name, self.tag = name, (chapter.__doc__ or "").rstrip(".")


_USER = "/memory/users/{user_id}"
_MEMORIES = f"{_USER}/memories"
_MEMORY = f"{_MEMORIES}/{{memory_id}}"
_CHAT = f"{_USER}/sessions/{{session_id}}"
_OF_CHAT = f"{_CHAT}/memories"
_HELD = f"{_USER}/held"
_PROFILE = f"{_USER}/profile"
_ENTRY = f"{_PROFILE}/{{entry_id}}"
_TEAMS = "/memory/teams"
_TEAM = f"{_TEAMS}/{{team}}"
_PROJECT = f"{_USER}/projects/{{project}}"
_GIVEN = f"{_USER}/recalls/{{request_id}}/memories/{{memory_id}}/not-helpful"
_GLOBAL = "/memory/global"
_ENTRY_REFUSED = PROFILE_NOT_ALLOWED, PROFILE_FULL, DUPLICATE_ENTRY


class Memories:
    """Memories."""

    list_memories = Operation("GET", _MEMORIES, MemoryPage, OfMemories)
    add_memory = Operation("POST", _MEMORIES, Memory, NewMemory, DUPLICATE_MEMORY, status=201, once=True)
    search_memories = Operation("GET", f"{_MEMORIES}/search", FoundMemories, OfSearch, EMBEDDER_UNAVAILABLE)
    change_many_memories = Operation("POST", f"{_MEMORIES}/bulk", BulkResults, Bulk, BULK_REFUSED, once=True)
    list_changes = Operation("GET", f"{_MEMORIES}/changes", Changes, OfPage)
    stream_events = Operation(
        "GET", f"{_USER}/events", str, None, TOO_MANY_STREAMS, media_type="text/event-stream"
    )
    undo_change = Operation(
        "POST",
        f"{_MEMORIES}/changes/{{change_id}}/undo",
        Change,
        None,
        CHANGE_NOT_FOUND,
        NOT_UNDOABLE,
        DUPLICATE_MEMORY,
        once=True,
    )
    read_memory = Operation("GET", _MEMORY, Memory, None, MEMORY_NOT_FOUND)
    correct_memory = Operation(
        "PATCH",
        _MEMORY,
        Memory,
        MemoryChange,
        DUPLICATE_MEMORY,
        ENDS_BEFORE_IT_BEGINS,
        MEMORY_NOT_FOUND,
        if_match=True,
    )
    forget_memory = Operation("DELETE", _MEMORY, NoneType, None, MEMORY_NOT_FOUND, if_match=True)
    list_memory_changes = Operation("GET", f"{_MEMORY}/changes", Changes, OfPage, MEMORY_NOT_FOUND)
    list_todos = Operation("GET", f"{_USER}/todos", Todos, OfLimit)
    end_todo = Operation("POST", f"{_USER}/todos/{{memory_id}}", Change, TodoEnd, MEMORY_NOT_FOUND, once=True)
    list_session_memories = Operation("GET", _OF_CHAT, MemoryPage, OfPage, SESSION_NOT_FOUND)
    add_session_memory = Operation(
        "POST", _OF_CHAT, Memory, NewSessionMemory, SESSION_NOT_FOUND, DUPLICATE_MEMORY, status=201, once=True
    )
    read_session_memory = Operation(
        "GET", f"{_OF_CHAT}/{{memory_id}}", Memory, None, SESSION_NOT_FOUND, MEMORY_NOT_FOUND
    )
    forget_session_memory = Operation(
        "DELETE",
        f"{_OF_CHAT}/{{memory_id}}",
        NoneType,
        None,
        SESSION_NOT_FOUND,
        MEMORY_NOT_FOUND,
        if_match=True,
    )


class Projects:
    """Projects."""

    list_projects = Operation("GET", f"{_USER}/projects", ProjectList, of_person=True)
    change_project = Operation("PATCH", _PROJECT, Project, ProjectChange, PROJECT_NOT_FOUND, of_person=True)
    erase_project = Operation("DELETE", _PROJECT, Erasure, None, PROJECT_NOT_FOUND, of_person=True)
    move_memory = Operation(
        "POST",
        f"{_MEMORY}/move",
        Memory,
        Move,
        MEMORY_NOT_FOUND,
        DUPLICATE_MEMORY,
        once=True,
        leaves_project=True,
    )


class Teams:
    """Teams."""

    list_teams = Operation("GET", _TEAMS, TeamList, permission=Permission.OWN_REQUEST)
    keep_team = Operation("POST", _TEAMS, Team, NewTeam, *OF_TEAMS, permission=Permission.OWN_REQUEST)
    read_team = Operation("GET", _TEAM, Team, None, *OF_TEAMS, permission=Permission.OWN_REQUEST)
    set_member = Operation(
        "POST", f"{_TEAM}/members", Team, NewMember, *OF_TEAMS, permission=Permission.OWN_REQUEST
    )
    leave_team = Operation(
        "DELETE", f"{_TEAM}/members/{{member}}", Team, None, *OF_TEAMS, permission=Permission.OWN_REQUEST
    )
    erase_team = Operation("DELETE", _TEAM, TeamErasure, None, *OF_TEAMS, permission=Permission.OWN_REQUEST)


class Held:
    """Memories held back."""

    list_held = Operation("GET", _HELD, HeldMemories, OfHeld)
    approve_held = Operation(
        "POST",
        f"{_HELD}/{{memory_id}}/approve",
        Memory,
        None,
        MEMORY_NOT_FOUND,
        DUPLICATE_MEMORY,
        once=True,
        leaves_project=True,
    )
    decide_held = Operation("POST", _HELD, HeldDecided, HeldDecision, once=True, leaves_project=True)
    refuse_held = Operation("DELETE", f"{_HELD}/{{memory_id}}", NoneType, None, MEMORY_NOT_FOUND)


class Shared:
    """Sharing."""

    share_memory = Operation(
        "POST", f"{_MEMORY}/share", Memory, Sharing, NOT_TO_SHARE, permission=Permission.ADMIN, once=True
    )
    list_global_memories = Operation("GET", _GLOBAL, GlobalMemories, OfAll, permission=Permission.ADMIN)
    add_global_memory = Operation(
        "POST", _GLOBAL, Memory, NewGlobalMemory, GLOBAL_ALREADY, status=201, permission=Permission.ADMIN
    )
    forget_global_memory = Operation(
        "DELETE", f"{_GLOBAL}/{{memory_id}}", NoneType, None, NOT_GLOBAL, permission=Permission.ADMIN
    )


class Users:
    """Users."""

    erase_user = Operation("DELETE", _USER, UserErasure, OfErasure, of_person=True)
    export_user: Operation[dict[str, Any]] = Operation("GET", f"{_USER}/export", dict, of_person=True)
    import_user = Operation(
        "POST",
        f"{_USER}/import",
        ImportedRows,
        None,
        INVALID_EXPORT,
        IMPORT_TOO_LARGE,
        permission=Permission.ADMIN,
        of_person=True,
    )
    list_sessions = Operation("GET", f"{_USER}/sessions", Sessions, OfSessions)
    erase_session = Operation("DELETE", _CHAT, Erasure)
    undo_message = Operation("POST", f"{_CHAT}/undo", Undone, MessageToUndo, EXCHANGE_NOT_FOUND)
    take_message_changes = Operation("POST", f"{_CHAT}/changes", MessageChanges, ChangesOfMessage)
    read_openwebui_page = Operation(
        "GET",
        f"{_USER}/openwebui-page",
        str,
        OfLanguage,
        media_type="text/html",
        asks_store=False,
        of_person=True,
    )
    list_messages = Operation(
        "GET", f"{_CHAT}/messages", MessagesPage, OfPage, SESSION_NOT_FOUND, NOT_ON_A_PAGE
    )
    search_messages = Operation(
        "GET", f"{_USER}/messages", FoundMessages, OfMessages, EMBEDDER_UNAVAILABLE, NOT_ON_A_PAGE
    )
    mark_turn = Operation(
        "POST",
        f"{_CHAT}/messages/{{message_id}}/mark",
        NoneType,
        MarkedTurn,
        SESSION_NOT_FOUND,
        MESSAGE_NOT_FOUND,
    )
    read_summary = Operation(
        "GET", f"{_CHAT}/summary", SummaryOfSession, None, SESSION_NOT_FOUND, SUMMARY_NOT_FOUND
    )
    ask_for_summary = Operation(
        "POST", f"{_CHAT}/summary", AskedSummary, None, SESSION_NOT_FOUND, SWITCHED_OFF, status=202
    )
    list_admin_reads = Operation("GET", f"{_USER}/admin-reads", ReadsOfUser, OfLimit, of_person=True)


class Profiles:
    """Profile."""

    read_profile = Operation("GET", _PROFILE, Profile, of_person=True)
    add_profile_entry = Operation(
        "POST",
        _PROFILE,
        ProfileEntry,
        NewProfileEntry,
        *_ENTRY_REFUSED,
        status=201,
        once=True,
        of_person=True,
    )
    propose_profile = Operation(
        "POST",
        f"{_PROFILE}/proposals",
        Profile,
        None,
        PROFILE_NOT_ALLOWED,
        EMBEDDER_UNAVAILABLE,
        of_person=True,
    )
    correct_profile_entry = Operation(
        "PATCH",
        _ENTRY,
        ProfileEntry,
        ProfileEntryChange,
        PROFILE_ENTRY_NOT_FOUND,
        *_ENTRY_REFUSED,
        of_person=True,
    )
    confirm_profile_entry = Operation(
        "POST",
        f"{_ENTRY}/confirm",
        ProfileEntry,
        None,
        PROFILE_ENTRY_NOT_FOUND,
        *_ENTRY_REFUSED,
        of_person=True,
    )
    erase_profile_entry = Operation("DELETE", _ENTRY, NoneType, None, PROFILE_ENTRY_NOT_FOUND, of_person=True)


class Settings:
    """Settings."""

    read_settings = Operation("GET", "/memory/settings", CommonFlags, permission=Permission.ADMIN)
    change_settings = Operation(
        "PATCH", "/memory/settings", CommonFlags, CommonFlagsChange, permission=Permission.ADMIN
    )
    read_user_settings = Operation("GET", f"{_USER}/settings", UserFlags, of_person=True)
    change_user_settings = Operation("PATCH", f"{_USER}/settings", UserFlags, FlagsChange, of_person=True)


class Server:
    """Operation."""

    read_usage = Operation("GET", f"{_USER}/usage", Usage, of_person=True)
    read_usage_by_day = Operation("GET", "/memory/usage", UsageByDay, OfReport, permission=Permission.ADMIN)
    retry_formation = Operation("POST", "/memory/formation/retry", Retried, permission=Permission.ADMIN)
    inspect_retrieval = Operation(
        "GET", "/memory/debug/retrieval", Retrieval, OfRetrieval, permission=Permission.ADMIN
    )
    try_formation = Operation(
        "POST",
        "/memory/debug/formation",
        FormationTrial,
        TriedConversation,
        EXTRACTOR_FAILED,
        permission=Permission.ADMIN,
    )
    read_stats = Operation("GET", "/memory/debug/stats", StoreStats, permission=Permission.ADMIN)
    read_embeddings = Operation("GET", "/memory/embeddings", Embeddings, permission=Permission.ADMIN)
    read_report = Operation("GET", "/memory/report", WeekReport, OfReport, permission=Permission.ADMIN)
    check_health = Operation("GET", "/memory/health", Health, permission=Permission.PUBLIC, asks_store=False)
    read_metrics = Operation(
        "GET", "/memory/metrics", str, permission=Permission.ADMIN, media_type="text/plain", asks_store=False
    )
    read_metrics_as_json = Operation(
        "GET", "/memory/metrics.json", MetricsAsJson, permission=Permission.ADMIN, asks_store=False
    )


class Tokens:
    """Tokens."""

    make_token = Operation("POST", f"{_USER}/tokens", OwnToken, status=201, of_person=True)
    make_page_link = Operation("POST", f"{_USER}/page-links", PageLink, status=201, of_person=True)


class Requests:
    """Requests."""

    list_recalls = Operation("GET", f"{_USER}/recalls", RecallsPage, OfPage)
    explain_request = Operation(
        "GET",
        "/memory/explain/{request_id}",
        Explanation,
        None,
        REQUEST_NOT_FOUND,
        REQUEST_NOT_WRITTEN,
        permission=Permission.OWN_REQUEST,
    )
    explain_users_request = Operation(
        "GET", f"{_USER}/explain/{{request_id}}", Explanation, None, REQUEST_NOT_FOUND, REQUEST_NOT_WRITTEN
    )
    call_not_helpful = Operation(
        "POST", _GIVEN, NoneType, None, REQUEST_NOT_FOUND, MEMORY_NOT_FOUND, QUESTION_NOT_KEPT, ALWAYS_NEEDED
    )
    take_back_not_helpful = Operation("DELETE", _GIVEN, NoneType, None, MEMORY_NOT_FOUND)
    list_not_helpful = Operation("GET", f"{_MEMORY}/not-helpful", NotHelpfulFor)


CHAPTERS = (Memories, Projects, Teams, Held, Shared, Users, Profiles, Settings, Tokens, Requests, Server)
OPERATIONS: tuple[Operation[Any], ...] = tuple(
    each for chapter in CHAPTERS for each in vars(chapter).values() if isinstance(each, Operation)
)
"""All operations, in the order of the document."""
