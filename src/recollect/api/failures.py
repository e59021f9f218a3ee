"""Every error response of the memory API: its status, its name, its message, and the exception for which it is sent.

All are answered in one shape. A message never repeats anything that was sent: it may hold a user's words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated
from uuid import UUID

from msgspec import UNSET, Struct, UnsetType

from recollect import errors
from recollect.api.fields import MEMORY, about


class ErrorDetail(Struct):
    """An error."""

    code: Annotated[str, about("Names the error for a program; stays the same over releases.")]
    message: Annotated[str, about("Says to a person what is wrong and what would be right.")]
    field: Annotated[str | None, about("The wrong field or parameter; null if none.")]


class ItemError(Struct):
    """An error in one of many changes."""

    index: Annotated[int, about("Its place among the operations, from 0.")]
    id: Annotated[UUID, about("The memory it is about.")]
    code: Annotated[str, about("Names the error as `error.code` does.")]
    message: Annotated[str, about("Says to a person what is wrong.")]


class ErrorBody(Struct):
    """The body of every answer that is an error: problem details (RFC 9457), with `error` added."""

    type: Annotated[str, about("Names the sort of problem: a reference to its place in this documentation.")]
    title: Annotated[str, about("The sort of problem in a few words; the same each time.")]
    status: Annotated[int, about("The HTTP status.")]
    detail: Annotated[str, about("Says to a person what is wrong and what would be right.")]
    error: Annotated[ErrorDetail, about("The same for a program. It was the whole body once.")]
    errors: Annotated[list[ItemError] | UnsetType, about("The changes that can't be made, of many.")] = UNSET


@dataclass(frozen=True, slots=True)
class Failure:
    """An answer that is an error.

    Attributes:
        about: The field or parameter that is wrong, if any.
        error: The exception that it answers, if it has one.
        meaning: Its description in the documentation, if the message differs from case to case.
        items: The wrong ones of many changes.
    """

    status: int
    code: str
    message: str
    about: str | None = None
    error: type[Exception] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    meaning: str = ""
    items: Sequence[ItemError] = ()

    @property
    def body(self) -> ErrorBody:
        """The body of the answer."""
        return ErrorBody(
            type=f"/memory/docs#{self.anchor}",
            title=self.code.replace("_", " ").capitalize(),
            status=self.status,
            detail=self.message,
            error=ErrorDetail(self.code, self.message, self.about),
            errors=list(self.items) or UNSET,
        )

    @property
    def anchor(self) -> str:
        """The anchor of its description on the documentation page."""
        return f"error-{self.code}"


_LATER = {"retry-after": "5"}


def _of(error: type[errors.RecollectError], status: int, about: str | None = None) -> Failure:
    """Return the failure that answers an error; its code is the error's name, its message the error's own."""
    words = (f"_{each.lower()}" if each.isupper() else each for each in error.__name__.removesuffix("Error"))
    return Failure(status, "".join(words).removeprefix("_"), error.__doc__ or "", about, error)


BAD_REQUEST = Failure(400, "bad_request", "The request could not be read. Check its path, query and headers.")
INVALID_JSON = Failure(400, "invalid_json", "The body must be one JSON object, in UTF-8.")
INVALID_PARAMETER = Failure(
    400,
    "invalid_parameter",
    "`limit` must be a whole number from 1 to 200.",
    "limit",
    meaning="A part of the path or a parameter is not what it must be.",
)
UNAUTHORIZED = Failure(
    401,
    "unauthorized",
    "Send a token in the header `Authorization: Bearer TOKEN`: the admin token, an access key, or one of your own.",
    headers={"www-authenticate": "Bearer"},
)
FORBIDDEN = Failure(
    403, "forbidden", "This token does not allow that. Use the admin token, or one of the user's own."
)
NOT_ALLOWED_IN_TEAM = _of(errors.NotAllowedInTeamError, 403, "team")
NOT_FOUND = Failure(404, "not_found", "Nothing is served at this path. /memory/docs lists what there is.")
REQUEST_NOT_FOUND = Failure(
    404, "request_not_found", "No such request is known. Requests are kept for 30 days."
)
MEMORY_NOT_FOUND = _of(errors.MemoryNotFoundError, 404)
NOT_GLOBAL = replace(MEMORY_NOT_FOUND, message="There is no such memory for everybody.")
NOT_TO_SHARE = replace(
    MEMORY_NOT_FOUND,
    message="The user has no such memory, or it can't be shared: a summary, or a question and answer kept word for word.",
)
PROJECT_NOT_FOUND = _of(errors.ProjectNotFoundError, 404, "project")
TEAM_NOT_FOUND = _of(errors.TeamNotFoundError, 404, "team")
SESSION_NOT_FOUND = _of(errors.SessionNotFoundError, 404, "session_id")
SUMMARY_NOT_FOUND = Failure(404, "summary_not_found", "This chat has no summary, or none yet.")
MESSAGE_NOT_FOUND = _of(errors.MessageNotFoundError, 404, "message_id")
NOT_ON_A_PAGE = replace(
    INVALID_PARAMETER,
    message="`after` must be the `next` of the page before.",
    about="after",
    error=errors.MessageNotFoundError,
)
PROFILE_ENTRY_NOT_FOUND = _of(errors.ProfileEntryNotFoundError, 404, "entry_id")
EXCHANGE_NOT_FOUND = Failure(
    404, "exchange_not_found", "The log has no such message in this chat.", "message"
)
CHANGE_NOT_FOUND = _of(errors.ChangeNotFoundError, 404)
METHOD_NOT_ALLOWED = Failure(
    405,
    "method_not_allowed",
    "This path does not support the method. The header `Allow` lists those that it supports.",
)
DUPLICATE_MEMORY = _of(errors.DuplicateMemoryError, 409, "content")
GLOBAL_ALREADY = replace(
    DUPLICATE_MEMORY, message="There is a memory with the same content for everybody already."
)
PROFILE_NOT_ALLOWED = _of(errors.ProfileNotAllowedError, 409, "profile")
PROFILE_FULL = _of(errors.ProfileFullError, 409)
DUPLICATE_ENTRY = _of(errors.DuplicateEntryError, 409, "content")
QUESTION_NOT_KEPT = _of(errors.QuestionNotKeptError, 409)
ENDS_BEFORE_IT_BEGINS = Failure(
    409,
    "ends_before_it_begins",
    "`holds_until` is before `holds_from`. Send the times in their order.",
    "holds_until",
    errors.EndsBeforeItBeginsError,
)
ALWAYS_NEEDED = _of(errors.AlwaysNeededError, 409)
SWITCHED_OFF = _of(errors.SwitchedOffError, 409)
NOT_UNDOABLE = _of(errors.NotUndoableError, 409)
BULK_REFUSED = Failure(
    409,
    "bulk_refused",
    "Nothing was changed, as some of the operations can't be done. `errors` says which, and why.",
    "operations",
    items=(ItemError(1, MEMORY, MEMORY_NOT_FOUND.code, MEMORY_NOT_FOUND.message),),
)
STILL_UNDER_WAY = Failure(
    409,
    "still_under_way",
    "The request that was sent with this key is still under way. Send it again in a moment.",
    "Idempotency-Key",
    headers={"retry-after": "1"},
)
CHANGED_MEANWHILE = _of(errors.ChangedMeanwhileError, 412, "If-Match")
BODY_TOO_LARGE = Failure(413, "body_too_large", "The body is longer than 64 KiB. Send less at once.")
LARGEST_IMPORT = 1 << 30
"""The most bytes of an export that HTTP imports; `recollect import recollect` has no limit."""
IMPORT_TOO_LARGE = replace(
    BODY_TOO_LARGE, message=f"The body is longer than {LARGEST_IMPORT >> 30} GiB: use `recollect import`."
)
INVALID_EXPORT = Failure(
    422,
    "invalid_export",
    "The body must be an export of Recollect, as docs/reference/export.md describes it.",
)
INVALID_FIELD = Failure(
    422,
    "invalid_field",
    "`importance` must be a number from 0 to 1.",
    "importance",
    meaning="A field of the body is unknown, missing, or not what it must be.",
)
KEY_REUSED = Failure(
    422,
    "key_reused",
    "This key was sent with another request within a day: take a new one for each thing to be done.",
    "Idempotency-Key",
)
TOO_MANY_ATTEMPTS = Failure(
    429,
    "too_many_attempts",
    "Too many wrong tokens came from this address within a minute. Wait, and send one that is valid.",
    headers={"retry-after": "60"},
)
TOO_MANY_STREAMS = Failure(
    429,
    "too_many_streams",
    "Too many streams of events are open: 8 of a user, or 200 of this server. Close one.",
    headers={"retry-after": "60"},
)
INTERNAL_ERROR = Failure(500, "internal_error", "Recollect failed. Its log says why.")
REQUEST_NOT_WRITTEN = Failure(
    503, "request_not_written", "The record of this request is still being written. Ask again in a moment."
)
EMBEDDER_UNAVAILABLE = Failure(
    503,
    "embedder_unavailable",
    "The embedding model did not answer. Try again later.",
    error=errors.EmbedderError,
    headers=_LATER,
)
EXTRACTOR_FAILED = Failure(
    503,
    "extractor_failed",
    errors.ExtractorError().args[0],
    error=errors.ExtractorError,
    headers=_LATER,
    meaning="The extraction model failed, can't be asked, or may not be asked today; the message says which.",
)
STORE_UNAVAILABLE = Failure(
    503,
    "store_unavailable",
    "The memory store can't be reached. Try again later.",
    error=errors.StoreUnavailableError,
    headers=_LATER,
)
STORE_FAILED = Failure(
    503,
    "store_failed",
    "The memory store failed. Try again later.",
    error=errors.StoreError,  # the base of most of the others, so it is last
    headers=_LATER,
)

# The failures that a column of the table implies.
ALWAYS = (INTERNAL_ERROR, INVALID_PARAMETER)
WITH_TOKEN = (UNAUTHORIZED, FORBIDDEN, TOO_MANY_ATTEMPTS)
FROM_STORE = (STORE_UNAVAILABLE, STORE_FAILED)
READING_A_BODY = (INVALID_JSON, BODY_TOO_LARGE, INVALID_FIELD)
ONCE = (KEY_REUSED, STILL_UNDER_WAY)
IF_MATCH = (CHANGED_MEANWHILE,)
OF_TEAMS = (TEAM_NOT_FOUND, NOT_ALLOWED_IN_TEAM)


def every_failure() -> list[Failure]:
    """Return each failure once, with its usual message, in the order of status and code."""
    known: dict[str, Failure] = {}
    for each in globals().values():
        if isinstance(each, Failure):
            known.setdefault(each.code, each)
    return sorted(known.values(), key=lambda each: (each.status, each.code))


def failure_of(error: Exception, first: Sequence[Failure] = ()) -> Failure:
    """Return the failure for an exception: that of its nearest class, of equals the one in ``first``; else INTERNAL_ERROR."""
    classes = type(error).__mro__
    known = (*first, *(each for each in globals().values() if isinstance(each, Failure)))
    answering = [each for each in known if each.error in classes]
    return min(answering, key=lambda each: classes.index(each.error or object), default=INTERNAL_ERROR)
