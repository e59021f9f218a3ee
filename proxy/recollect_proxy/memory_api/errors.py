"""What the Memory API answers when it can't do what was asked: one shape, and its only status codes.

A message never repeats what was sent: it may hold what a user said. Never: an engine, a route.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any
from uuid import UUID

import structlog
from litestar import Request, Response
from litestar.exceptions import (
    HTTPException,
    MethodNotAllowedException,
    NotFoundException,
    ValidationException,
)
from litestar.exceptions.http_exceptions import RequestEntityTooLarge
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import Example
from msgspec import UNSET, Meta, Struct, UnsetType

from recollect.errors import (
    ChangedMeanwhileError,
    DuplicateEntryError,
    DuplicateMemoryError,
    EmbedderError,
    MemoryNotFoundError,
    MessageNotFoundError,
    NotUndoableError,
    ProfileEntryNotFoundError,
    ProfileFullError,
    ProfileNotAllowedError,
    SessionNotFoundError,
    StoreError,
    StoreUnavailableError,
    SwitchedOffError,
    UpdateNotFoundError,
)
from recollect.model import Doubt, Kind, Source, State
from recollect_proxy.access import TooManyAttemptsError
from recollect_proxy.asgi import ClientLeftError

PROBLEM = "application/problem+json"
"""The media type of every error: problem details, RFC 9457."""

_RETRY_AFTER = {"retry-after": "5"}

log = structlog.get_logger(__name__)


class ErrorDetail(Struct):
    """What went wrong."""

    code: Annotated[str, Meta(description="Names the error for a program; stays the same over releases.")]
    message: Annotated[str, Meta(description="Says to a person what is wrong and what would be right.")]
    field: Annotated[
        str | None,
        Meta(description="The field of the body or the parameter that is wrong; null where it is none."),
    ]


class ItemError(Struct):
    """What is wrong with one of many changes."""

    index: Annotated[int, Meta(description="Its place among the operations, from 0.")]
    id: Annotated[UUID, Meta(description="The memory it is about.")]
    code: Annotated[str, Meta(description="Names the error as `error.code` does.")]
    message: Annotated[str, Meta(description="Says to a person what is wrong.")]


class ErrorBody(Struct):
    """The body of every answer that is an error: problem details (RFC 9457), and `error` beside them."""

    type: Annotated[
        str,
        Meta(description="Names the sort of problem: a reference to its place in this documentation."),
    ]
    title: Annotated[str, Meta(description="The sort of problem in a few words; the same each time.")]
    status: Annotated[int, Meta(description="The HTTP status.")]
    detail: Annotated[str, Meta(description="Says to a person what is wrong and what would be right.")]
    error: Annotated[ErrorDetail, Meta(description="The same for a program. It was the whole body once.")]
    errors: Annotated[
        list[ItemError] | UnsetType,
        Meta(description="Which of many changes can't be made, and why; only where many were sent."),
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
            UUID("01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10"),
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


TIME = "a date and time with its offset from UTC (RFC 3339), as 2026-03-15T09:30:00Z"
"""What a time must be."""

_WRONG_PARAMETERS = {
    "limit": "a whole number from 1 to 200",
    "days": "a whole number from 1 to 30",
    "after": "the `next` of the page before",
    "kind": f"one of {', '.join(Kind)}; several are given as `kind=fact&kind=todo`",
    "source": f"one of {', '.join(Source)}; several are given as `source=manual&source=import`",
    "state": f"one of {', '.join(State)}",
    "standing": f"one of {', '.join(Doubt)}",
    "vacuum": "true or false",
    **dict.fromkeys(("begun_before", "from", "until", "as_of"), TIME),
}


_NAMES = {"kinds": "kind", "sources": "source", "having": "state"}
"""Parameters that the code calls otherwise than the API."""


class RefusedError(Exception):
    """The request can't be answered as it is."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.code)
        self.failure = failure


def invalid_parameter(name: str, requirement: str) -> RefusedError:
    """Return the error of a parameter that is not as it must be."""
    return RefusedError(replace(INVALID_PARAMETER, message=f"`{name}` must be {requirement}.", about=name))


def repeated_parameter(name: str) -> RefusedError:
    """Return the error of a parameter that is given more than once."""
    requirement = _WRONG_PARAMETERS.get(name)
    return invalid_parameter(name, "given once" + (f", as {requirement}" if requirement else ""))


def unknown_parameter(name: str, known: Iterable[str]) -> RefusedError:
    """Return the error of a parameter that the endpoint does not know; its name is told where it can be one."""
    told = ", ".join(f"`{each}`" for each in known) or "none"
    return RefusedError(
        replace(
            INVALID_PARAMETER,
            message=f"The query has an unknown parameter. Known here: {told}.",
            about=name if is_nameable(name) else None,
        )
    )


def is_nameable(name: str) -> bool:
    """Tell whether a name may be repeated: anything else may be a text of somebody's."""
    return name.isidentifier() and len(name) < 64  # noqa: PLR2004


def invalid_field(name: str | None, message: str) -> RefusedError:
    """Return the error of a body that is JSON but not what it must be."""
    return RefusedError(replace(INVALID_FIELD, message=message, about=name))


def every_failure() -> list[Failure]:
    """Return all that may be answered, in the order of their statuses."""
    found = [each for each in globals().values() if isinstance(each, Failure)]
    return sorted(found, key=lambda each: (each.status, each.code))


def failure_of(error: Exception) -> Failure:  # noqa: C901, PLR0911, PLR0912  # one answer for each kind of error
    """Return the answer to ``error``."""
    match error:
        case RefusedError():
            return error.failure
        case TooManyAttemptsError():
            return replace(TOO_MANY_ATTEMPTS, headers={"retry-after": str(error.seconds)})
        case MemoryNotFoundError():
            return MEMORY_NOT_FOUND
        case SessionNotFoundError():
            return SESSION_NOT_FOUND
        case MessageNotFoundError():
            return MESSAGE_NOT_FOUND
        case UpdateNotFoundError():
            return UPDATE_NOT_FOUND
        case DuplicateMemoryError():
            return DUPLICATE_MEMORY
        case ChangedMeanwhileError():
            return CHANGED_MEANWHILE
        case NotUndoableError():
            return NOT_UNDOABLE
        case ProfileEntryNotFoundError():
            return PROFILE_ENTRY_NOT_FOUND
        case ProfileNotAllowedError():
            return PROFILE_NOT_ALLOWED
        case ProfileFullError():
            return PROFILE_FULL
        case DuplicateEntryError():
            return DUPLICATE_ENTRY
        case SwitchedOffError():
            return replace(SWITCHED_OFF, message=str(error))
        case EmbedderError():
            return EMBEDDER_UNAVAILABLE
        case StoreUnavailableError():
            return STORE_UNAVAILABLE
        case StoreError():
            return STORE_FAILED
        case HTTPException():
            return _failure_of_litestar(error)
        case _:
            return INTERNAL_ERROR


def _failure_of_litestar(error: HTTPException) -> Failure:
    match error:
        case NotFoundException():
            return NOT_FOUND
        case MethodNotAllowedException():
            return replace(METHOD_NOT_ALLOWED, headers=error.headers or {})
        case RequestEntityTooLarge():
            return BODY_TOO_LARGE
        case ValidationException():
            return _failure_of_validation(error)
        case _:
            return BAD_REQUEST if error.status_code < INTERNAL_ERROR.status else INTERNAL_ERROR


def _failure_of_validation(error: ValidationException) -> Failure:
    keys = {found.get("key") for found in error.extra or [] if isinstance(found, dict)}
    wrong = {_NAMES.get(str(key), key) for key in keys}
    for name, requirement in _WRONG_PARAMETERS.items():
        if name in wrong:
            return invalid_parameter(name, requirement).failure
    return INVALID_JSON if "data" in wrong else BAD_REQUEST  # Litestar's name for the body


def answer_error(_request: Request[Any, Any, Any], error: Exception) -> Response[ErrorBody]:
    """Answer ``error`` in the one shape, and log it where it is ours."""
    if isinstance(error, ClientLeftError):
        raise error
    failure = failure_of(error)
    if failure is INTERNAL_ERROR:
        log.error("memory_api_failed", exc_info=error)
    elif failure.status > INTERNAL_ERROR.status:
        log.warning("memory_api_unavailable", error=type(error).__name__, detail=str(error))
    return Response(
        failure.body, status_code=failure.status, headers=dict(failure.headers), media_type=PROBLEM
    )


def documented(*failures: Failure) -> dict[int, ResponseSpec]:
    """Return what the documentation says of these failures, an example of each with it."""
    statuses = sorted({failure.status for failure in failures})
    return {status: _documented([one for one in failures if one.status == status]) for status in statuses}


def _documented(failures: Sequence[Failure]) -> ResponseSpec:
    return ResponseSpec(
        data_container=ErrorBody,
        generate_examples=False,
        media_type=PROBLEM,
        description=" Or: ".join(one.meaning or one.message for one in failures),
        examples=[Example(summary=one.code, value=one.body) for one in failures],
    )
