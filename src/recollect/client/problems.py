"""Failures of the memory API as exceptions that carry its problem details (RFC 9457)."""

import msgspec

from recollect.api.failures import ErrorBody, ErrorDetail


class MemoryApiError(Exception):
    """The memory API failed or refused.

    Attributes:
        problem: Its answer; None if that was unreadable.
    """

    def __init__(self, message: str, problem: ErrorBody | None = None) -> None:
        super().__init__(message)
        self.problem = problem

    @property
    def code(self) -> str:
        """The error's name for a program, as `memory_not_found`; "" where no memory API answered."""
        return "" if self.problem is None else self.problem.error.code


class InvalidRequestError(MemoryApiError):
    """The request makes no sense: 400, 413, 422."""


class UnauthorizedError(MemoryApiError):
    """The token is missing or wrong, or may not do this: 401, 403."""


class NotFoundError(MemoryApiError):
    """There is no such thing: 404."""


class ConflictError(MemoryApiError):
    """It can't be done as things stand, as there is an equal memory: 409. ``problem.errors`` lists many changes."""


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
    """Return the error that an answer stands for, from whichever server it came."""
    try:
        problem = msgspec.json.decode(body, type=ErrorBody)
    except (msgspec.DecodeError, ValueError, RecursionError):
        detail = f"The server answered {status} without problem details."
        problem = ErrorBody(
            "about:blank", "No problem details", status, detail, ErrorDetail("", detail, None)
        )
    default = UnavailableError if status >= _SERVERS_FAULT else MemoryApiError
    kind = _BY_STATUS.get(status, default)
    return kind(f"{status} {problem.error.code}: {problem.detail}", problem)
