"""What the API answers when it can't do what was asked: one shape, and its only status codes.

A message never repeats what was sent: it may hold what a user said. Never: an engine, a route.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated
from uuid import UUID

from msgspec import UNSET, Struct, UnsetType

from recollect.api.fields import MEMORY, about


class ErrorDetail(Struct):
    """What went wrong."""

    code: Annotated[str, about("Names the error for a program; stays the same over releases.")]
    message: Annotated[str, about("Says to a person what is wrong and what would be right.")]
    field: Annotated[
        str | None,
        about("The field of the body or the parameter that is wrong; null where it is none."),
    ]


class ItemError(Struct):
    """What is wrong with one of many changes."""

    index: Annotated[int, about("Its place among the operations, from 0.")]
    id: Annotated[UUID, about("The memory it is about.")]
    code: Annotated[str, about("Names the error as `error.code` does.")]
    message: Annotated[str, about("Says to a person what is wrong.")]


class ErrorBody(Struct):
    """The body of every answer that is an error: problem details (RFC 9457), and `error` beside them."""

    type: Annotated[
        str,
        about("Names the sort of problem: a reference to its place in this documentation."),
    ]
    title: Annotated[str, about("The sort of problem in a few words; the same each time.")]
    status: Annotated[int, about("The HTTP status.")]
    detail: Annotated[str, about("Says to a person what is wrong and what would be right.")]
    error: Annotated[ErrorDetail, about("The same for a program. It was the whole body once.")]
    errors: Annotated[
        list[ItemError] | UnsetType,
        about("Which of many changes can't be made, and why; only where many were sent."),
    ] = UNSET


@dataclass(frozen=True, slots=True)
class Failure:
    """An answer that is an error.

    Attributes:
        status: The HTTP status.
        code: Names it for a program.
        message: Says it to a person.
        about: The field or parameter that is wrong, if it is one.
        headers: What is sent with it.
        meaning: What the documentation says of it, where the message is only one of many.
        items: Which of many changes are wrong.
    """

    status: int
    code: str
    message: str
    about: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    meaning: str = ""
    items: Sequence[ItemError] = ()

    @property
    def body(self) -> ErrorBody:
        """The body that says it."""
        return ErrorBody(
            type=f"/memory/docs#{anchor_of(self.code)}",
            title=self.code.replace("_", " ").capitalize(),
            status=self.status,
            detail=self.message,
            error=ErrorDetail(self.code, self.message, self.about),
            errors=list(self.items) or UNSET,
        )


def anchor_of(code: str) -> str:
    """Return where on the page of the documentation an error stands."""
    return f"error-{code}"


_RETRY_AFTER = {"retry-after": "5"}

BAD_REQUEST = Failure(400, "bad_request", "The request could not be read.")
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
FORBIDDEN = Failure(403, "forbidden", "This token does not allow that.")
NOT_FOUND = Failure(404, "not_found", "Nothing is served at this path. /memory/docs lists what there is.")
REQUEST_NOT_FOUND = Failure(
    404, "request_not_found", "No such request is known; what requests were like is kept for 30 days."
)
REQUEST_NOT_WRITTEN = Failure(
    503, "request_not_written", "What the request was like is still being written. Ask again in a moment."
)
MEMORY_NOT_FOUND = Failure(404, "memory_not_found", "This user has no such memory.")
SESSION_NOT_FOUND = Failure(
    404, "session_not_found", "Nothing that was said in such a chat of this user is kept.", "session_id"
)
SUMMARY_NOT_FOUND = Failure(404, "summary_not_found", "This chat has no summary, or none yet.")
MESSAGE_NOT_FOUND = Failure(
    404, "message_not_found", "The log has no message with this id in this chat.", "message_id"
)
PROFILE_ENTRY_NOT_FOUND = Failure(
    404, "profile_entry_not_found", "This user's profile has no such statement.", "entry_id"
)
EXCHANGE_NOT_FOUND = Failure(
    404, "exchange_not_found", "The log has no such message in this chat.", "message"
)
UPDATE_NOT_FOUND = Failure(404, "update_not_found", "This user has no such change in their audit.")
METHOD_NOT_ALLOWED = Failure(
    405, "method_not_allowed", "This path does not know the method. The header `Allow` names those it knows."
)
DUPLICATE_MEMORY = Failure(
    409, "duplicate_memory", "This user has a memory with the same content already.", "content"
)
PROFILE_NOT_ALLOWED = Failure(
    409,
    "profile_not_allowed",
    "This user does not allow a profile: their setting `profile` is not true.",
    "profile",
)
PROFILE_FULL = Failure(409, "profile_full", "This user's profile holds 200 statements, and no more are kept.")
DUPLICATE_ENTRY = Failure(409, "duplicate_entry", "This user's profile says that already.", "content")
QUESTION_NOT_KEPT = Failure(
    409,
    "question_not_kept",
    "The log does not have what this request asked, so no question is known for next time.",
)
ALWAYS_NEEDED = Failure(
    409,
    "always_needed",
    "This memory shapes every answer, or concerns health. It can be edited or deleted.",
)
SWITCHED_OFF = Failure(409, "switched_off", "This is switched off for this user.")
NOT_UNDOABLE = Failure(
    409,
    "not_undoable",
    "This can't be undone: it changed nothing, was undone already, or something was changed since.",
)
CHANGED_MEANWHILE = Failure(
    412,
    "changed_meanwhile",
    "The memory was changed since it was read: read it again, and look whether the change is still wanted.",
    "If-Match",
)
BULK_REFUSED = Failure(
    409,
    "bulk_refused",
    "Nothing was changed, as some of the operations can't be done. `errors` says which, and why.",
    "operations",
    items=(
        ItemError(
            1,
            MEMORY,
            "memory_not_found",
            "This user has no such memory.",
        ),
    ),
)
KEY_REUSED = Failure(
    422,
    "key_reused",
    "This key was sent with another request within a day: take a new one for each thing to be done.",
    "Idempotency-Key",
)
STILL_UNDER_WAY = Failure(
    409,
    "still_under_way",
    "The request that was sent with this key is still under way. Send it again in a moment.",
    "Idempotency-Key",
    headers={"retry-after": "1"},
)
TOO_MANY_ATTEMPTS = Failure(
    429,
    "too_many_attempts",
    "Too many wrong tokens came from this address within a minute. Wait, and send one that is valid.",
    headers={"retry-after": "60"},
)
BODY_TOO_LARGE = Failure(413, "body_too_large", "The body is longer than 64 KiB.")
INVALID_EXPORT = Failure(
    422, "invalid_export", "The body must be an export of Recollect, as docs/export.md describes it."
)
INVALID_FIELD = Failure(
    422,
    "invalid_field",
    "`importance` must be a number from 0 to 1.",
    "importance",
    meaning="A field of the body is unknown, missing, or not what it must be.",
)
INTERNAL_ERROR = Failure(500, "internal_error", "Recollect failed. Its log says why.")
EMBEDDER_UNAVAILABLE = Failure(
    503,
    "embedder_unavailable",
    "The embedding model failed, and words alone are not searched for. Try again later.",
    headers=_RETRY_AFTER,
)
STORE_UNAVAILABLE = Failure(
    503, "store_unavailable", "The memory store can't be reached. Try again later.", headers=_RETRY_AFTER
)
STORE_FAILED = Failure(503, "store_failed", "The memory store failed. Try again later.", headers=_RETRY_AFTER)


ALWAYS = (
    UNAUTHORIZED,
    FORBIDDEN,
    TOO_MANY_ATTEMPTS,
    INTERNAL_ERROR,
    STORE_UNAVAILABLE,
    STORE_FAILED,
    INVALID_PARAMETER,
)
"""What any operation that asks the store may answer."""

READING_A_BODY = (INVALID_JSON, BODY_TOO_LARGE, INVALID_FIELD)
"""What an operation that takes a body may answer besides."""

ONCE = (KEY_REUSED, STILL_UNDER_WAY)
"""What an operation that takes an `Idempotency-Key` may answer besides."""


def every_failure() -> list[Failure]:
    """Return all that may be answered, in the order of their statuses."""
    found = [each for each in globals().values() if isinstance(each, Failure)]
    return sorted(found, key=lambda each: (each.status, each.code))
