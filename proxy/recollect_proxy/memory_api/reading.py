"""Reads requests as the table declares them, strictly: path, query, headers, body. Never: an engine, a route.

A message names the field or parameter that is wrong and never repeats its value.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar, get_args, get_origin
from urllib.parse import parse_qsl
from uuid import UUID

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from recollect.api.failures import INVALID_JSON
from recollect.api.fields import (
    LONGEST_CONTENT,
    LONGEST_QUERY,
    LONGEST_QUESTION,
    LONGEST_TEXT,
    MOST_CHANGES,
    MOST_USERS,
)
from recollect.api.memories import MemoryChange
from recollect.model import (
    MOST_QUESTIONS,
    MOST_TOPICS,
    QUESTION_LENGTH,
    TOPIC_LENGTH,
    Doubt,
    Kind,
    Placement,
    ProfileField,
    Source,
    State,
    Strategy,
    Use,
)
from recollect.text.patterns import bounded
from recollect.text.secrets.in_names import id_without_secrets
from recollect_proxy.identity import opaque_id, readable_id
from recollect_proxy.memory_api.errors import (
    RefusedError,
    invalid_field,
    invalid_parameter,
    is_nameable,
    unknown_parameter,
)

Shape = TypeVar("Shape", bound=Struct)

TIME_ZONE = "a name of the IANA's database, as Pacific/Auckland, or an offset, as +13:00; or null"
KEY, MATCH = "Idempotency-Key", "If-Match"

_LONGEST_ID, _LONGEST_KEY, _MOST_TAGS = 256, 255, 20
_TAG = bounded(r'(W/)?"([\x21\x23-\x2B\x2D-\x7E]{0,128})"')  # without a comma, which parts them
_ID = "1 to 256 characters, without NUL, not `*` alone, and no unfilled template"
_SEGMENT = (
    "1 to 256 characters, as percent-encoded UTF-8, without NUL, not `*` alone, and no unfilled template"
)
_SWITCH = "true, false or null"
_CAP = "a whole number, 0 for any number, or null"
_TIME = "a date and time with its offset from UTC (RFC 3339), as 2026-03-15T09:30:00Z"


def _texts(most: int, longest: int) -> str:
    return f"a list of at most {most} strings of 1 to {longest} characters that are not only white space, without NUL"


_FIELDS = {
    "content": f"a string of 1 to {LONGEST_CONTENT} characters that are not only white space, without NUL",
    "kind": f"one of {', '.join(Kind)}",
    "ended_as": "done or dropped",
    "message": "a string of 1 to 256 characters, without NUL",
    "marked": "true or false",
    "importance": "a number from 0 to 1",
    **dict.fromkeys(("event_at", "holds_from", "holds_until"), f"{_TIME}, or null"),
    "operations": f"a list of 1 to {MOST_CHANGES} objects, each with `op`, which is `change` or `delete`, an `id`, "
    f"and for a change at least one of {', '.join(MemoryChange.__struct_fields__)}, as PATCH takes them",
    "use": f"one of {', '.join(Use)}",
    "topics": _texts(MOST_TOPICS, TOPIC_LENGTH),
    "questions": _texts(MOST_QUESTIONS, QUESTION_LENGTH),
    "session_id": "a string of 1 to 256 characters without NUL, not `*`, and no unfilled template, or null",
    "users": f"a list of 1 to {MOST_USERS} user ids, each 1 to 256 characters without NUL, "
    "not `*`, and no unfilled template",
    "field": f"one of {', '.join(ProfileField)}",
    **dict.fromkeys(
        ("recall", "standing", "record", "summaries", "queries", "profile", "lexical", "history"), _SWITCH
    ),
    "formation": f"one of {', '.join(Strategy)}, or null",
    "placement": f"one of {', '.join(Placement)}, or null",
    "max_memory_tokens": "a whole number from 50 to 100000, or null",
    "max_history_tokens": "a whole number from 0 to 100000, or null",
    "summary_turns": "a whole number from 0 to 10000, or null",
    "minimum_importance": "a number from 0 to 1, or null",
    "session_cap": _CAP,
    "user_cap": _CAP,
    "time_zone": TIME_ZONE,
}
"""What each field of a body must be."""

_PARAMETERS = {
    "limit": "a whole number from 1 to 200",
    "days": "a whole number from 1 to 30",
    "after": "the `next` of the page before",
    "kind": f"one of {', '.join(Kind)}; several are given as `kind=fact&kind=todo`",
    "source": f"one of {', '.join(Source)}; several are given as `source=manual&source=import`",
    "state": f"one of {', '.join(State)}",
    "standing": f"one of {', '.join(Doubt)}",
    "vacuum": "true or false",
    "text": f"1 to {LONGEST_TEXT} characters without NUL",
    "q": f"1 to {LONGEST_QUESTION} characters, not only white space, without NUL",
    "user": _ID,
    "session": _ID,
    **dict.fromkeys(("begun_before", "from", "until", "as_of", "valid_at"), _TIME),
}
"""What each parameter of a query must be."""

_NOT_TEXT = frozenset({"limit", "days", "vacuum"})
"""Parameters that are numbers and switches, which a query has as text."""

_WHOLE = frozenset({"session_cap", "user_cap", "max_memory_tokens", "max_history_tokens", "summary_turns"})


def read_body(body: bytes, shape: type[Shape]) -> Shape:
    """Return the body as ``shape``: nothing coerced, nothing overlooked.

    Raises:
        RefusedError: It is no JSON object, a field is unknown, missing or not what it must be.
    """
    try:
        given = msgspec.json.decode(body, type=dict[str, Raw])
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise RefusedError(INVALID_JSON) from error
    known = {field.name: field for field in msgspec.structs.fields(shape)}
    if "kind" in known and "type" in given.keys() - known.keys() and "kind" not in given:
        given["kind"] = given.pop("type")  # as other products call it
    for name in given:
        if name not in known:
            raise _unknown_field(name, known)
    for name, field in known.items():
        if field.required and name not in given:
            raise invalid_field(name, f"`{name}` is missing.")
    read = shape(**{name: _read_field(name, raw, known[name].type) for name, raw in given.items()})
    if not given and all(_may_be_unset(field.type) for field in known.values()):
        raise invalid_field(None, f"Give at least one of {', '.join(known)}.")
    return read


def _may_be_unset(declared: Any) -> bool:
    return UnsetType in get_args(declared)


def _unknown_field(name: str, known: Iterable[str]) -> RefusedError:
    return invalid_field(
        name if is_nameable(name) else None, f"The body has an unknown field. Known are {', '.join(known)}."
    )


def _read_field(name: str, raw: Raw, declared: Any) -> Any:
    try:
        value = msgspec.json.decode(_whole(raw) if name in _WHOLE else raw, type=declared)
        return _CHECKS[name](value) if name in _CHECKS and value is not None else value
    except (msgspec.DecodeError, ValueError, OverflowError, RecursionError) as error:
        raise invalid_field(name, f"`{name}` must be {_FIELDS[name]}.") from error


def _whole(raw: Raw) -> bytes | Raw:
    """Return a number without its fraction where that is zero: to JSON Schema 9.0 is an integer, too."""
    given = msgspec.json.decode(raw)
    return str(int(given)).encode() if isinstance(given, float) and given.is_integer() else raw


def _check_content(text: str) -> str:
    content = text.strip()
    if not content or len(text) > LONGEST_CONTENT or "\0" in text:  # as the document says it: of the whole
        raise ValueError
    return content


def _check_texts(most: int, longest: int) -> Callable[[Sequence[str]], list[str]]:
    def check(texts: Sequence[str]) -> list[str]:
        found = [each.strip() for each in texts]
        if len(found) > most or not all(found) or any(len(each) > longest or "\0" in each for each in texts):
            raise ValueError
        return list(dict.fromkeys(found))

    return check


def _check_message(text: str) -> str:
    if not 0 < len(text) <= _LONGEST_ID or "\0" in text:
        raise ValueError
    return text


def _in_utc(when: datetime) -> datetime:
    return when.astimezone(UTC)


def _check_user(user_id: str) -> str:
    if opaque_id(user_id) is None:
        raise ValueError
    return user_id


def _check_session(session_id: str) -> str:
    return id_without_secrets(_check_user(session_id))


def _check_operations(operations: Sequence[Any]) -> Sequence[Any]:
    if not 1 <= len(operations) <= MOST_CHANGES:
        raise ValueError
    for operation in operations:
        for name in ("content", "event_at", "holds_from", "holds_until", "topics", "questions"):
            if getattr(operation, name, UNSET) not in (None, UNSET):
                setattr(operation, name, _CHECKS[name](getattr(operation, name)))
    return operations


def _check_users(users: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(map(_check_user, users)))


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "content": _check_content,
    "message": _check_message,
    **dict.fromkeys(("event_at", "holds_from", "holds_until"), _in_utc),
    "session_id": _check_session,
    "operations": _check_operations,
    "users": _check_users,
    "topics": _check_texts(MOST_TOPICS, TOPIC_LENGTH),
    "questions": _check_texts(MOST_QUESTIONS, QUESTION_LENGTH),
}
"""What a field's type does not say."""


def changes(change: MemoryChange) -> dict[str, Any]:
    """Return what a change says, by field, without what it leaves as it is."""
    given = msgspec.structs.asdict(change)
    return {name: value for name, value in given.items() if value is not UNSET}


def read_query(query: bytes, shape: type[Struct] | None) -> Any:
    """Return a query as ``shape``; None for None.

    Raises:
        RefusedError: A parameter is unknown, missing, given twice, or not what it must be.
    """
    known = {} if shape is None else {field.encode_name: field for field in msgspec.structs.fields(shape)}
    given: dict[str, list[str]] = {}
    for name, value in parse_qsl(query.decode("latin-1"), keep_blank_values=True):
        if name not in known:
            raise unknown_parameter(name, known)
        given.setdefault(name, []).append(value)
    read: dict[str, Any] = {}
    for name, field in known.items():
        values = given.get(name)
        if values is None:
            if field.required:
                raise invalid_parameter(name, "given")
        elif len(values) > 1 and not _takes_many(field.type):
            raise invalid_parameter(name, f"given once, as {_PARAMETERS[name]}")
        else:
            read[field.name] = _read_parameter(name, values, field.type)
    return None if shape is None else shape(**read)


def _takes_many(declared: Any) -> bool:
    return get_origin(declared) is list or any(_takes_many(each) for each in get_args(declared))


def _read_parameter(name: str, values: list[str], declared: Any) -> Any:
    given: Any = values if _takes_many(declared) else values[0]
    try:
        value = msgspec.convert(given, _without_none(declared), strict=name not in _NOT_TEXT)
        return _PARAMETER_CHECKS[name](value) if name in _PARAMETER_CHECKS else value
    except (msgspec.ValidationError, ValueError, OverflowError) as error:
        raise invalid_parameter(name, _PARAMETERS[name]) from error


def _without_none(declared: Any) -> Any:
    """Return the type of a parameter that is given: `null` or nothing at all is no value of one."""
    parts = get_args(declared)
    if get_origin(declared) is Annotated and type(None) in get_args(parts[0]):
        return _without_none(parts[0])  # a description has no bounds: those are at the type itself
    if type(None) not in parts:
        return declared
    [only] = [each for each in parts if each is not type(None)]
    return only


def _check_text(most: int) -> Callable[[str], str]:
    def check(text: str) -> str:
        if not text or len(text) > most or "\0" in text:
            raise ValueError
        return text

    return check


def _check_question(text: str) -> str:
    if not text.strip() or len(text) > LONGEST_QUERY or "\0" in text:
        raise ValueError
    return text


_PARAMETER_CHECKS: dict[str, Callable[[Any], Any]] = {
    "text": _check_text(LONGEST_TEXT),
    "q": _check_question,
    "user": _check_user,
    "session": _check_user,
    **dict.fromkeys(("begun_before", "from", "until", "as_of", "valid_at"), _in_utc),
}


def user_named(segment: str) -> str:
    """Return the user id that a path segment, still percent-encoded, stands for.

    Raises:
        RefusedError: It stands for none.
    """
    return _id_named("user_id", segment)


def session_named(segment: str) -> str:
    """Return the id of a chat that a path segment, still percent-encoded, stands for.

    Raises:
        RefusedError: It stands for none.
    """
    return id_without_secrets(_id_named("session_id", segment))


def uuid_named(parameter: str, segment: str) -> UUID:
    """Return the id that a path segment stands for.

    Raises:
        RefusedError: It stands for none.
    """
    try:
        return UUID(segment)
    except ValueError as error:
        raise invalid_parameter(parameter, "a UUID") from error


def _id_named(parameter: str, segment: str) -> str:
    named = readable_id([segment.encode("latin-1")])
    if named is None:
        raise invalid_parameter(parameter, _SEGMENT)
    return named


def key_named(headers: Mapping[str, str]) -> str | None:
    """Return the request's `Idempotency-Key`; None for none.

    Raises:
        RefusedError: It can be no key.
    """
    key = headers.get(KEY.lower())
    if key is not None and not (0 < len(key) <= _LONGEST_KEY and all("!" <= each <= "~" for each in key)):
        raise invalid_parameter(KEY, f"1 to {_LONGEST_KEY} visible ASCII characters")
    return key


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
