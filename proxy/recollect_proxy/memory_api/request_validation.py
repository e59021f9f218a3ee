"""Reads requests as the table declares them, strictly: path, query, headers, body; and says which failure answers an error.

A message names the wrong field or parameter and never repeats its value.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, get_args
from urllib.parse import parse_qsl
from uuid import UUID

import msgspec
import structlog
from msgspec import UNSET, Struct, UnsetType
from msgspec import inspect as types

from recollect.api.failures import (
    INTERNAL_ERROR,
    INVALID_FIELD,
    INVALID_JSON,
    INVALID_PARAMETER,
    TOO_MANY_ATTEMPTS,
    Failure,
    failure_of,
)
from recollect.api.queries import KEY, MATCH, PROJECT
from recollect.errors import ExtractorError, SwitchedOffError
from recollect.model import LONGEST_PROJECT, TEAM, project_name, team_name
from recollect.text.patterns import bounded
from recollect_proxy.access.failed_attempts import TooManyAttemptsError
from recollect_proxy.identity.caller import readable_id, readable_project
from recollect_proxy.web.strict_json import ShapeField, WrongValueError, read_values, repeatable, shape_fields

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
    names = ", ".join(f"`{each}`" for each in known) or "none"
    message = f"The query has an unknown parameter. Known here: {names}."
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
    is_explained = isinstance(error, ExtractorError | SwitchedOffError)
    return replace(failure, message=str(error)) if is_explained else failure


Shape = TypeVar("Shape", bound=Struct)

_LONGEST_KEY, _MOST_TAGS = 255, 20
_TAG = bounded(r'(W/)?"([\x21\x23-\x2B\x2D-\x7E]{0,128})"')  # without a comma, which parts them
_LINE = f"1 to {LONGEST_PROJECT} characters in one line"
_PROJECT = f"{_LINE}, as percent-encoded UTF-8, and no unfilled template"
_TEAM = f"1 to {LONGEST_PROJECT - len(TEAM)} characters in one line, as percent-encoded UTF-8, and no unfilled template"


def read_body(body: bytes, shape: type[Shape]) -> Shape:
    """Return the body as ``shape``, or raise RefusedError: nothing is coerced, nothing overlooked."""
    try:
        given = msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise RefusedError(INVALID_JSON) from error
    known = shape_fields(shape)
    if "kind" in known and "type" in given.keys() - known.keys() and "kind" not in given:
        given["kind"] = given.pop("type")  # as other products call it
    if not given and all(UnsetType in get_args(field.declared) for field in known.values()):
        raise invalid_field(None, f"Give at least one of {', '.join(known)}.")
    try:
        return read_values(given, shape)
    except WrongValueError as error:
        raise invalid_field(error.name, str(error)) from error


def changes(change: Struct) -> dict[str, Any]:
    """Return the fields that a change sets."""
    given = msgspec.structs.asdict(change)
    return {name: value for name, value in given.items() if value is not UNSET}


def read_query(query: bytes, shape: type[Struct] | None) -> Any:
    """Return a query as ``shape``, None for None, or raise RefusedError."""
    known = {} if shape is None else shape_fields(shape)
    given: dict[str, list[str]] = {}
    for name, value in parse_qsl(query.decode("latin-1"), keep_blank_values=True):
        if name not in known:
            raise unknown_parameter(name, known)
        given.setdefault(name, []).append(value)
    read: dict[str, Any] = {}
    for name, field in known.items():
        if name in given:
            read[field.name] = _read_parameter(name, given[name], field)
        elif field.is_required:
            raise invalid_parameter(name, "given")
    return None if shape is None else shape(**read)


def _read_parameter(name: str, values: list[str], field: ShapeField) -> Any:
    takes_many = isinstance(field.base, types.ListType)
    if len(values) > 1 and not takes_many:
        raise invalid_parameter(name, f"given once, as {field.requirement}")
    is_text = not isinstance(field.base, types.IntType | types.BoolType)
    if not is_text and values[0].lower() == "null":  # msgspec would read it as None
        raise invalid_parameter(name, field.requirement)
    try:
        return field.convert(values if takes_many else values[0], strict=is_text)
    except ValueError as error:
        raise invalid_parameter(name, field.requirement) from error


_SEGMENT = "1 to 256 characters, as percent-encoded UTF-8, without NUL and U+001F, not `*` alone, and no unfilled template"
_OF_PATHS: dict[str, tuple[Callable[[list[bytes]], str | None], str]] = {
    **dict.fromkeys(("user_id", "session_id", "member"), (readable_id, _SEGMENT)),
    "project": (readable_project, _PROJECT),
    "team": (lambda found: team_name(readable_project(found)), _TEAM),
}
"""The reading and the requirement of each parameter of a path; any other is a UUID."""


def parameter_named(name: str, segment: str) -> Any:
    """Return the value of a path segment, still percent-encoded, or raise RefusedError."""
    if name in _OF_PATHS:
        read, requirement = _OF_PATHS[name]
        if (found := read([segment.encode("latin-1")])) is None:
            raise invalid_parameter(name, requirement)
        return found
    try:
        return UUID(segment)
    except ValueError as error:
        raise invalid_parameter(name, "a UUID") from error


def key_named(headers: Mapping[str, str]) -> str | None:
    """Return the request's `Idempotency-Key`, None for none, or raise RefusedError."""
    key = headers.get(KEY.lower())
    if key is not None and not (0 < len(key) <= _LONGEST_KEY and all("!" <= each <= "~" for each in key)):
        raise invalid_parameter(KEY, f"1 to {_LONGEST_KEY} visible ASCII characters")
    return key


def project_named(headers: Mapping[str, str], *, takes_one: bool) -> str:
    """Return the project that a request names; "" for none.

    Raises:
        RefusedError: It can be none, or the operation concerns all of a person's projects.
    """
    header = headers.get(PROJECT.lower())
    if header is None:
        return ""
    name = readable_project([header.encode("latin-1")])
    if not takes_one:
        raise invalid_parameter(PROJECT, "absent: this concerns the person, whatever their projects are")
    if name is None:
        raise invalid_parameter(PROJECT, _PROJECT)
    return name


def project_in_body(text: str | None) -> str:
    """Return the name of a project that a body's field `project` stands for, "" for null, or raise RefusedError."""
    name = "" if text is None else project_name(text)
    if name is None:
        raise invalid_field("project", f"`project` must be {_LINE}, or null.")
    return name


def versions_named(headers: Mapping[str, str]) -> frozenset[str] | None:
    """Return which versions `If-Match` names; None for any.

    A weak one matches nothing, nor does an empty list (RFC 9110, 13.1.1).

    Raises:
        RefusedError: It names none.
    """
    header = headers.get(MATCH.lower())
    if header is None or header.strip() == "*":
        return None
    given = [each.strip() for each in header.split(",", 2 * _MOST_TAGS)]
    tags = [_TAG.fullmatch(each) for each in given if each]  # empty elements are none (RFC 9110, 5.6.1.2)
    if len(tags) > _MOST_TAGS or any(tag is None for tag in tags):
        raise invalid_parameter(
            MATCH, f"`*`, or 1 to {_MOST_TAGS} entity tags in quotation marks, parted by commas"
        )
    return frozenset(tag[2] for tag in tags if tag is not None and tag[1] is None)
