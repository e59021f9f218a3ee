"""What goes wrong when the memory API is asked: exceptions that carry its problem details (RFC 9457)."""

from uuid import UUID

import msgspec
from msgspec import Struct


class _Told(Struct):
    code: str
    message: str
    field: str | None = None


class ItemProblem(Struct):
    """What is wrong with one of many changes: its place among them, its memory, and why."""

    index: int
    id: UUID
    code: str
    message: str


class _Body(Struct):
    type: str = "about:blank"
    title: str = ""
    status: int = 0
    detail: str = ""
    error: _Told | None = None
    errors: list[ItemProblem] = []


class Problem(Struct, frozen=True):
    """Problem details.

    Attributes:
        status: The HTTP status.
        code: Names the error for a program, as `memory_not_found`; "" where no memory API answered.
        title: The sort of problem.
        detail: What is wrong and what would be right.
        type: Where the documentation says more.
        field: Which parameter or field is wrong, if it is one.
        errors: Which of many changes can't be made.
    """

    status: int
    code: str
    title: str
    detail: str
    type: str
    field: str | None = None
    errors: tuple[ItemProblem, ...] = ()


class MemoryApiError(Exception):
    """The memory API did not do what was asked for.

    Attributes:
        problem: What it answered; None where nothing could be read.
    """

    def __init__(self, message: str, problem: Problem | None = None) -> None:
        super().__init__(message)
        self.problem = problem


class InvalidRequestError(MemoryApiError):
    """What was asked for makes no sense: 400, 413, 422."""


class UnauthorizedError(MemoryApiError):
    """The token is missing or wrong, or may not do this: 401, 403."""


class NotFoundError(MemoryApiError):
    """There is no such thing: 404."""


class ConflictError(MemoryApiError):
    """It can't be done as things stand, as there is an equal memory: 409. ``problem.errors`` tells of many changes."""


class ChangedMeanwhileError(MemoryApiError):
    """The memory was changed since it was read: 412."""


class UnavailableError(MemoryApiError):
    """It can't be done now; trying again later may help: 5xx, or no server was reached."""


_BY_STATUS: dict[int, type[MemoryApiError]] = {
    400: InvalidRequestError,
    401: UnauthorizedError,
    403: UnauthorizedError,
    404: NotFoundError,
    409: ConflictError,
    412: ChangedMeanwhileError,
    413: InvalidRequestError,
    422: InvalidRequestError,
}
_SERVERS_FAULT = 500


def error_of(status: int, body: bytes) -> MemoryApiError:
    """Return the error that an answer stands for, whoever gave it."""
    try:
        read = msgspec.json.decode(body, type=_Body)
    except (msgspec.DecodeError, ValueError, RecursionError):
        read = _Body(
            title="No problem details", detail=f"The server answered {status} without problem details."
        )
    told = read.error
    problem = Problem(
        status=status,
        code="" if told is None else told.code,
        title=read.title,
        detail=read.detail or ("" if told is None else told.message),
        type=read.type,
        field=None if told is None else told.field,
        errors=tuple(read.errors),
    )
    default = UnavailableError if status >= _SERVERS_FAULT else MemoryApiError
    kind = _BY_STATUS.get(status, default)
    return kind(f"{status} {problem.code}: {problem.detail}", problem)
