"""Which failure answers which error. Never: an engine, a route."""

from collections.abc import Iterable
from dataclasses import replace

import structlog

from recollect.api.failures import (
    ALWAYS_NEEDED,
    CHANGED_MEANWHILE,
    DUPLICATE_ENTRY,
    DUPLICATE_MEMORY,
    EMBEDDER_UNAVAILABLE,
    INTERNAL_ERROR,
    INVALID_FIELD,
    INVALID_PARAMETER,
    MEMORY_NOT_FOUND,
    MESSAGE_NOT_FOUND,
    NOT_UNDOABLE,
    PROFILE_ENTRY_NOT_FOUND,
    PROFILE_FULL,
    PROFILE_NOT_ALLOWED,
    QUESTION_NOT_KEPT,
    SESSION_NOT_FOUND,
    STORE_FAILED,
    STORE_UNAVAILABLE,
    SWITCHED_OFF,
    TOO_MANY_ATTEMPTS,
    UPDATE_NOT_FOUND,
    Failure,
)
from recollect.errors import (
    AlwaysNeededError,
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
    QuestionNotKeptError,
    SessionNotFoundError,
    StoreError,
    StoreUnavailableError,
    SwitchedOffError,
    UpdateNotFoundError,
)
from recollect_proxy.access import TooManyAttemptsError

log = structlog.get_logger(__name__)


class RefusedError(Exception):
    """The request can't be answered as it is."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.code)
        self.failure = failure


def invalid_parameter(name: str, requirement: str) -> RefusedError:
    """Return the error of a parameter that is not as it must be."""
    return RefusedError(replace(INVALID_PARAMETER, message=f"`{name}` must be {requirement}.", about=name))


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


_ANSWERS: tuple[tuple[type[Exception], Failure], ...] = (
    (MemoryNotFoundError, MEMORY_NOT_FOUND),
    (SessionNotFoundError, SESSION_NOT_FOUND),
    (MessageNotFoundError, MESSAGE_NOT_FOUND),
    (UpdateNotFoundError, UPDATE_NOT_FOUND),
    (DuplicateMemoryError, DUPLICATE_MEMORY),
    (ChangedMeanwhileError, CHANGED_MEANWHILE),
    (NotUndoableError, NOT_UNDOABLE),
    (QuestionNotKeptError, QUESTION_NOT_KEPT),
    (AlwaysNeededError, ALWAYS_NEEDED),
    (ProfileEntryNotFoundError, PROFILE_ENTRY_NOT_FOUND),
    (ProfileNotAllowedError, PROFILE_NOT_ALLOWED),
    (ProfileFullError, PROFILE_FULL),
    (DuplicateEntryError, DUPLICATE_ENTRY),
    (EmbedderError, EMBEDDER_UNAVAILABLE),
    (StoreUnavailableError, STORE_UNAVAILABLE),  # before StoreError, which it is one of
    (StoreError, STORE_FAILED),
)


def failure_of(error: Exception) -> Failure:
    """Return the answer to ``error``."""
    match error:
        case RefusedError():
            return error.failure
        case TooManyAttemptsError():
            return replace(TOO_MANY_ATTEMPTS, headers={"retry-after": str(error.seconds)})
        case SwitchedOffError():
            return replace(SWITCHED_OFF, message=str(error))
        case _:
            return next((failure for kind, failure in _ANSWERS if isinstance(error, kind)), INTERNAL_ERROR)


def log_failure(failure: Failure, error: Exception) -> None:
    """Log an error that is ours."""
    if failure is INTERNAL_ERROR:
        log.error("memory_api_failed", exc_info=error)
    elif failure.status > INTERNAL_ERROR.status:
        log.warning("memory_api_unavailable", error=type(error).__name__, detail=str(error))
