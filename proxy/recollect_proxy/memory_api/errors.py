"""What the Memory API answers when it can't do what was asked: one shape, and its only status codes.

A message never repeats what was sent: it may hold what a user said. Never: an engine, a route.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

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
from msgspec import Meta, Struct

from recollect.errors import (
    DuplicateMemoryError,
    MemoryNotFoundError,
    NotUndoableError,
    StoreError,
    StoreUnavailableError,
    UpdateNotFoundError,
)
from recollect_proxy.asgi import ClientLeftError

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


class ErrorBody(Struct):
    """The body of every answer that is an error."""

    error: ErrorDetail


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
    """

    status: int
    code: str
    message: str
    about: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    meaning: str = ""

    @property
    def body(self) -> ErrorBody:
        """The body that says it."""
        return ErrorBody(ErrorDetail(self.code, self.message, self.about))


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
    "Send the admin token in the header `Authorization: Bearer TOKEN`.",
    headers={"www-authenticate": "Bearer"},
)
NOT_FOUND = Failure(404, "not_found", "Nothing is served at this path. /memory/docs lists what there is.")
REQUEST_NOT_FOUND = Failure(
    404, "request_not_found", "No such request is known; what requests were like is kept for 30 days."
)
MEMORY_NOT_FOUND = Failure(404, "memory_not_found", "This user has no such memory.")
UPDATE_NOT_FOUND = Failure(404, "update_not_found", "This user has no such change in their audit.")
METHOD_NOT_ALLOWED = Failure(
    405, "method_not_allowed", "This path does not know the method. The header `Allow` names those it knows."
)
DUPLICATE_MEMORY = Failure(
    409, "duplicate_memory", "This user has a memory with the same content already.", "content"
)
NOT_UNDOABLE = Failure(
    409,
    "not_undoable",
    "This can't be undone: it changed nothing, was undone already, or something was changed since.",
)
BODY_TOO_LARGE = Failure(413, "body_too_large", "The body is longer than 64 KiB.")
INVALID_FIELD = Failure(
    422,
    "invalid_field",
    "`importance` must be a number from 0 to 1.",
    "importance",
    meaning="A field of the body is unknown, missing, or not what it must be.",
)
INTERNAL_ERROR = Failure(500, "internal_error", "Recollect failed. Its log says why.")
STORE_UNAVAILABLE = Failure(
    503, "store_unavailable", "The memory store can't be reached. Try again later.", headers=_RETRY_AFTER
)
STORE_FAILED = Failure(503, "store_failed", "The memory store failed. Try again later.", headers=_RETRY_AFTER)


_WRONG_PARAMETERS = {
    "limit": "a whole number from 1 to 200",
    "after": "the `next` of the page before",
}


class RefusedError(Exception):
    """The request can't be answered as it is."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.code)
        self.failure = failure


def invalid_parameter(name: str, requirement: str) -> RefusedError:
    """Return the error of a parameter that is not as it must be."""
    return RefusedError(replace(INVALID_PARAMETER, message=f"`{name}` must be {requirement}.", about=name))


def invalid_field(name: str | None, message: str) -> RefusedError:
    """Return the error of a body that is JSON but not what it must be."""
    return RefusedError(replace(INVALID_FIELD, message=message, about=name))


def failure_of(error: Exception) -> Failure:  # noqa: PLR0911  # one answer for each kind of error
    """Return the answer to ``error``."""
    match error:
        case RefusedError():
            return error.failure
        case MemoryNotFoundError():
            return MEMORY_NOT_FOUND
        case UpdateNotFoundError():
            return UPDATE_NOT_FOUND
        case DuplicateMemoryError():
            return DUPLICATE_MEMORY
        case NotUndoableError():
            return NOT_UNDOABLE
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
    wrong = {found.get("key") for found in error.extra or [] if isinstance(found, dict)}
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
    return Response(failure.body, status_code=failure.status, headers=dict(failure.headers))


def documented(*failures: Failure) -> dict[int, ResponseSpec]:
    """Return what the documentation says of these failures, an example of each with it."""
    statuses = sorted({failure.status for failure in failures})
    return {status: _documented([one for one in failures if one.status == status]) for status in statuses}


def _documented(failures: Sequence[Failure]) -> ResponseSpec:
    return ResponseSpec(
        data_container=ErrorBody,
        generate_examples=False,
        description=" Or: ".join(one.meaning or one.message for one in failures),
        examples=[Example(summary=one.code, value=one.body) for one in failures],
    )
