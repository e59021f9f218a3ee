"""What a row of the API's table says of an operation. Never: a row, a route."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Literal, TypeVar

from msgspec import Struct

from recollect.api.failures import ALWAYS, ONCE, READING_A_BODY, Failure

Answer = TypeVar("Answer")


class Permission(StrEnum):
    """What an operation asks of a token."""

    OWN = "own"
    """It is about one user, whom the path names, and that user may do it."""

    OWN_REQUEST = "own-request"
    """It is about a request; the operation itself looks whether it was the user's."""

    ADMIN = "admin"
    """It is about all users, or gives a user what others have: administrators alone."""

    PUBLIC = "public"
    """Anybody may, without a token."""


@dataclass(frozen=True, slots=True)
class Operation(Generic[Answer]):
    """A method of a path: what it takes, answers, and asks for.

    Attributes:
        name: Its `operationId`, and the name of the function that answers it.
        method: The HTTP method.
        path: The path, with the names of its parameters in braces.
        answers: The shape of the answer; NoneType: 204, without a body.
        summary: What it does, in a line.
        returns: What the answer is, in a line.
        description: What else there is to say.
        tag: The chapter of the document.
        takes: The shape of the query of a GET or DELETE, or of the body of a POST or PATCH; None: nothing.
        status: Of the answer.
        permission: What it asks of a token.
        further: Failures besides those that follow from the other fields.
        once: Whether it takes an `Idempotency-Key`.
        if_match: Whether it takes `If-Match`.
        etag: Whether the answer has an `ETag`.
        media_type: Of an answer that is no JSON.
        own_failures: Failures in place of those that any operation may answer.
    """

    name: str
    method: Literal["GET", "POST", "PATCH", "DELETE"]
    path: str
    answers: type[Answer]
    summary: str
    returns: str
    description: str
    tag: str
    takes: type[Struct] | None = None
    status: int = 200
    permission: Permission = Permission.OWN
    further: tuple[Failure, ...] = ()
    once: bool = False
    if_match: bool = False
    etag: bool = False
    media_type: str = "application/json"
    own_failures: tuple[Failure, ...] = ALWAYS

    @property
    def takes_body(self) -> bool:
        """Whether what it takes is the body."""
        return self.takes is not None and self.method in {"POST", "PATCH"}

    @property
    def failures(self) -> tuple[Failure, ...]:
        """All that it may answer but what it is for."""
        reading = READING_A_BODY if self.takes_body else ()
        return (*self.own_failures, *reading, *self.further, *(ONCE if self.once else ()))
