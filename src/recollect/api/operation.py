"""An operation of the memory API: a method of a path, its body or query, its answer and its failures."""

from enum import StrEnum
from types import NoneType
from typing import Generic, Literal, TypeVar

from msgspec import Struct

from recollect.api.failures import (
    ALWAYS,
    FROM_STORE,
    IF_MATCH,
    OF_TEAMS,
    ONCE,
    READING_A_BODY,
    WITH_TOKEN,
    Failure,
)

Answer = TypeVar("Answer")


class Permission(StrEnum):
    """The permission that an operation requires of a token."""

    OWN = "own"
    """It concerns the user in the path, and that user may do it."""

    OWN_REQUEST = "own-request"
    """It concerns a request; the operation itself checks whose it was."""

    ADMIN = "admin"
    """It concerns all users, or gives a user something of others: administrators only."""

    PUBLIC = "public"
    """Anyone may do it, without a token."""


class Operation(Generic[Answer]):
    """A row of the table, in a class whose docstring is its chapter in the document.

    The function of the same name in `recollect_proxy.memory_api` answers it; that function's docstring documents it.

    Args:
        method: The HTTP method.
        path: The path, with its parameters in braces.
        answers: The shape of the answer; NoneType for none.
        takes: The shape of the query (GET, DELETE) or of the body (POST, PATCH); None for none.
        *further: Failures other than those that the other arguments imply.
        status: The HTTP status of the answer; by default 200, or 204 without a body.
        permission: The permission that a token needs.
        once: Whether it takes an `Idempotency-Key`.
        if_match: Whether it takes `If-Match`.
        media_type: The media type of the answer.
        asks_store: Whether it fails while the store is away.
        of_person: Whether it concerns the user as a person, whatever their projects are.
        leaves_project: Whether it changes another project's memory, too, or is a decision that a key for one project may not make.

    Attributes:
        in_projects: Whether it takes `X-Recollect-Project`: it concerns a memory, and each project has one.
        stays_in_project: Whether a token for one project may do it.
        is_stream: Whether its answer is a stream of events, which takes `Last-Event-ID`.
        name: Its `operationId`, the name of its row.
        tag: Its chapter.
    """

    def __init__(
        self,
        method: Literal["GET", "POST", "PATCH", "DELETE"],
        path: str,
        answers: type[Answer],
        takes: type[Struct] | None = None,
        *further: Failure,
        status: int | None = None,
        permission: Permission = Permission.OWN,
        once: bool = False,
        if_match: bool = False,
        media_type: str = "application/json",
        asks_store: bool = True,
        of_person: bool = False,
        leaves_project: bool = False,
    ) -> None:
        self.name = self.tag = ""
        self.method, self.path = method, path
        self.answers, self.takes = answers, takes
        self.further = further
        self.status = status or (204 if answers is NoneType else 200)
        self.permission = permission
        self.once, self.if_match = once, if_match
        self.in_projects = "{user_id}" in path and not of_person
        self.stays_in_project = self.in_projects and not leaves_project
        self.media_type = media_type
        self.is_stream = media_type == "text/event-stream"
        self.takes_body = takes is not None and method in {"POST", "PATCH"}
        self.failures: tuple[Failure, ...] = (
            *ALWAYS,
            *(() if permission is Permission.PUBLIC else WITH_TOKEN),
            *(FROM_STORE if asks_store else ()),
            *(READING_A_BODY if self.takes_body else ()),
            *further,
            *(OF_TEAMS if self.in_projects else ()),
            *(ONCE if once else ()),
            *(IF_MATCH if if_match else ()),
        )

    def __set_name__(self, chapter: type, name: str) -> None:
        self.name, self.tag = name, (chapter.__doc__ or "").rstrip(".")
