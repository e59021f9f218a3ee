"""What a page says when something can't be shown or done. Pure."""

from dataclasses import dataclass

from litestar.exceptions import HTTPException

from recollect.errors import (
    DuplicateMemoryError,
    MemoryNotFoundError,
    NotUndoableError,
    StoreError,
    UpdateNotFoundError,
)

_CLIENT_ERRORS = range(400, 500)


@dataclass(frozen=True, slots=True)
class PageFailure:
    """What went wrong.

    Attributes:
        status: Of the answer (RFC 9110).
        key: Of the words that tell it, with a heading: ``failure.KEY`` and ``failure.KEY.title``.
    """

    status: int
    key: str


NOT_ENTERED = PageFailure(401, "not_entered")
BAD_TICKET = PageFailure(401, "bad_ticket")
BAD_KEY = PageFailure(401, "bad_key")
READ_ONLY = PageFailure(403, "read_only")
FOREIGN_FORM = PageFailure(403, "foreign_form")
TOO_OFTEN = PageFailure(429, "too_often")
NOT_FOUND = PageFailure(404, "not_found")
BAD_INPUT = PageFailure(400, "bad_input")
NO_USER = PageFailure(409, "no_user")
DUPLICATE = PageFailure(409, "duplicate")
NOT_UNDOABLE = PageFailure(409, "not_undoable")
AWAY = PageFailure(503, "away")
BROKEN = PageFailure(500, "broken")


class PageError(Exception):
    """A request to a page can't be answered as it is."""

    def __init__(self, failure: PageFailure) -> None:
        super().__init__(failure.key)
        self.failure = failure


def failure_of(error: Exception) -> PageFailure:  # noqa: PLR0911  # one answer for each kind of error
    """Return what a page says of ``error``."""
    match error:
        case PageError():
            return error.failure
        case MemoryNotFoundError() | UpdateNotFoundError():
            return NOT_FOUND
        case DuplicateMemoryError():
            return DUPLICATE
        case NotUndoableError():
            return NOT_UNDOABLE
        case StoreError():
            return AWAY
        case HTTPException() if error.status_code in _CLIENT_ERRORS:
            known = NOT_FOUND if error.status_code == NOT_FOUND.status else BAD_INPUT
            return PageFailure(error.status_code, known.key)
        case _:
            return BROKEN
