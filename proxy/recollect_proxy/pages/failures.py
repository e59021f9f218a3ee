"""The failures that a page can show, and the errors of the engine that they stand for. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from litestar.exceptions import HTTPException

from recollect.errors import (
    AlwaysNeededError,
    ChangeNotFoundError,
    DuplicateEntryError,
    DuplicateMemoryError,
    EmbedderError,
    EndsBeforeItBeginsError,
    MemoryNotFoundError,
    NotAllowedInTeamError,
    NotUndoableError,
    ProfileEntryNotFoundError,
    ProfileFullError,
    ProfileNotAllowedError,
    QuestionNotKeptError,
    StoreError,
    TeamNotFoundError,
)
from recollect_proxy.access.principal import Refusal, SignInError

_CLIENT_ERRORS = range(400, 500)


@dataclass(frozen=True, slots=True)
class PageFailure:
    """A failure.

    Attributes:
        status: The status of the answer (RFC 9110).
        key: The key of its words, ``failure.KEY``, and of their heading, ``failure.KEY.title``.
    """

    status: int
    key: str

    @property
    def is_of_provider(self) -> bool:
        """Whether a sign-in at an OpenID provider failed."""
        return self.key in _OF_SIGN_INS


NOT_ENTERED = PageFailure(401, "not_entered")
BAD_TICKET = PageFailure(401, "bad_ticket")
BAD_KEY = PageFailure(401, "bad_key")
READ_ONLY = PageFailure(403, "read_only")
FOREIGN_FORM = PageFailure(403, "foreign_form")
TOO_OFTEN = PageFailure(429, "too_often")
NOT_FOUND = PageFailure(404, "not_found")
BAD_INPUT = PageFailure(400, "bad_input")
BAD_TAGS = PageFailure(400, "bad_tags")
NO_USER = PageFailure(409, "no_user")
BROKEN = PageFailure(500, "broken")


_OF_SIGN_INS = {
    Refusal.AWAY: 503,
    Refusal.CANCELLED: 403,
    Refusal.OVER: 401,
    Refusal.UNPROVEN: 403,
    Refusal.NO_ADMINISTRATOR: 403,
}


class PageError(Exception):
    """A request to a page can't be answered as it is."""

    def __init__(self, failure: PageFailure) -> None:
        super().__init__(failure.key)
        self.failure = failure


_OF_ERRORS: Sequence[tuple[type[Exception] | tuple[type[Exception], ...], PageFailure]] = (
    ((MemoryNotFoundError, ChangeNotFoundError, ProfileEntryNotFoundError, TeamNotFoundError), NOT_FOUND),
    (NotAllowedInTeamError, READ_ONLY),
    (DuplicateMemoryError, PageFailure(409, "duplicate")),
    (EndsBeforeItBeginsError, BAD_INPUT),
    (NotUndoableError, PageFailure(409, "not_undoable")),
    (AlwaysNeededError, PageFailure(409, "always_needed")),
    (QuestionNotKeptError, PageFailure(409, "question_not_kept")),
    (ProfileNotAllowedError, PageFailure(409, "no_profile")),
    (ProfileFullError, PageFailure(409, "profile_full")),
    (DuplicateEntryError, PageFailure(409, "said_already")),
    (EmbedderError, PageFailure(503, "no_proposals")),
    (StoreError, PageFailure(503, "away")),
)
"""The failures by the engine's errors; the first match counts."""


def failure_of(error: Exception) -> PageFailure:
    """Return the failure that a page shows for ``error``."""
    if isinstance(error, PageError):
        return error.failure
    if isinstance(error, SignInError):
        return PageFailure(_OF_SIGN_INS[error.refusal], error.refusal.value)
    if isinstance(error, HTTPException) and error.status_code in _CLIENT_ERRORS:
        known = NOT_FOUND if error.status_code == NOT_FOUND.status else BAD_INPUT
        return PageFailure(error.status_code, known.key)
    return next((failure for kind, failure in _OF_ERRORS if isinstance(error, kind)), BROKEN)
