"""The failures with which the Memory API answers errors."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import structlog

from recollect.api.failures import (
    INTERNAL_ERROR,
    INVALID_FIELD,
    INVALID_PARAMETER,
    TOO_MANY_ATTEMPTS,
    Failure,
    failure_of,
)
from recollect.errors import ExtractorError, SwitchedOffError
from recollect_proxy.access import TooManyAttemptsError
from recollect_proxy.web.values import repeatable

log = structlog.get_logger(__name__)


class RefusedError(Exception):
    """The request can't be answered as it is."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.code)
        self.failure = failure


def invalid_parameter(name: str, requirement: str) -> RefusedError:
    """Return the error of a parameter that does not meet its requirement."""
    return RefusedError(replace(INVALID_PARAMETER, message=f"`{name}` must be {requirement}.", about=name))


def unknown_parameter(name: str, known: Iterable[str]) -> RefusedError:
    """Return the error of a parameter that the operation does not know."""
    told = ", ".join(f"`{each}`" for each in known) or "none"
    message = f"The query has an unknown parameter. Known here: {told}."
    return RefusedError(replace(INVALID_PARAMETER, message=message, about=repeatable(name)))


def invalid_field(name: str | None, message: str) -> RefusedError:
    """Return the error of a JSON body with a wrong field."""
    return RefusedError(replace(INVALID_FIELD, message=message, about=name))


def answer_to(error: Exception, first: Sequence[Failure] = ()) -> Failure:
    """Return the failure that answers ``error``, one of ``first`` if any does, and log it if the fault is ours."""
    match error:
        case RefusedError():
            return error.failure
        case TooManyAttemptsError():
            return replace(TOO_MANY_ATTEMPTS, headers={"retry-after": str(error.seconds)})
    failure = failure_of(error, first)
    if failure is INTERNAL_ERROR:
        log.error("memory_api_failed", exc_info=error)
    elif failure.status > INTERNAL_ERROR.status:
        log.warning("memory_api_store_failed", error=type(error).__name__, detail=str(error))
    told = isinstance(error, ExtractorError | SwitchedOffError)
    return replace(failure, message=str(error)) if told else failure
