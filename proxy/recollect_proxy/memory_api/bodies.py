"""Reads the bodies of requests as they are declared, strictly. Never: an engine, a route."""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec
from msgspec import Raw, Struct

from recollect.model import Kind, Placement, ProfileField, Strategy
from recollect.text.secrets.in_names import id_without_secrets
from recollect_proxy.identity import opaque_id
from recollect_proxy.memory_api.errors import INVALID_JSON, RefusedError, invalid_field, is_nameable
from recollect_proxy.memory_api.schemas import LONGEST_CONTENT, MOST_CHANGES, MOST_USERS, Time

_CAP = "a whole number, 0 for any number, or null"

TIME_ZONE = "a name of the IANA's database, as Pacific/Auckland, or an offset, as +13:00; or null"

_MUST_BE = {
    "content": f"a string of 1 to {LONGEST_CONTENT} characters that are not only white space, without NUL",
    "kind": f"one of {', '.join(Kind)}",
    "message": "a string of 1 to 256 characters, without NUL",
    "marked": "true or false",
    "importance": "a number from 0 to 1",
    "event_at": "a date and time with its offset from UTC (RFC 3339), as 2026-03-15T09:30:00Z, or null",
    "operations": f"a list of 1 to {MOST_CHANGES} objects, each with `op`, which is `change` or `delete`, an `id`, "
    "and for a change at least one of content, kind, importance, event_at, as PATCH takes them",
    "session_id": "a string of 1 to 256 characters without NUL, not `*`, and no unfilled template, or null",
    "users": f"a list of 1 to {MOST_USERS} user ids, each 1 to 256 characters without NUL, "
    "not `*`, and no unfilled template",
    "recall": "true, false or null",
    "standing": "true, false or null",
    "record": "true, false or null",
    "formation": f"one of {', '.join(Strategy)}, or null",
    "placement": f"one of {', '.join(Placement)}, or null",
    "summaries": "true, false or null",
    "queries": "true, false or null",
    "profile": "true, false or null",
    "field": f"one of {', '.join(ProfileField)}",
    "lexical": "true, false or null",
    "history": "true, false or null",
    "max_memory_tokens": "a whole number from 50 to 100000, or null",
    "max_history_tokens": "a whole number from 0 to 100000, or null",
    "summary_turns": "a whole number from 0 to 10000, or null",
    "minimum_importance": "a number from 0 to 1, or null",
    "session_cap": _CAP,
    "user_cap": _CAP,
    "time_zone": TIME_ZONE,
}

_LONGEST_ID = 256
_WHOLE = frozenset({"session_cap", "user_cap", "max_memory_tokens", "max_history_tokens", "summary_turns"})

Body = TypeVar("Body", bound=Struct)


def read_body(body: bytes, shape: type[Body]) -> Body:
    """Return the body as ``shape``.

    Raises:
        RefusedError: It is no JSON object, a field is unknown, missing or not what it must be. The
            message never repeats the value.
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
    return shape(**{name: _read_field(name, raw, known[name].type) for name, raw in given.items()})


def _unknown_field(name: str, known: Iterable[str]) -> RefusedError:
    return invalid_field(
        name if is_nameable(name) else None, f"The body has an unknown field. Known are {', '.join(known)}."
    )


def _read_field(name: str, raw: Raw, declared: Any) -> Any:
    try:
        value = msgspec.json.decode(_whole(raw) if name in _WHOLE else raw, type=declared)
        return _READ[name](value) if name in _READ and value is not None else value
    except (msgspec.DecodeError, ValueError, OverflowError, RecursionError) as error:
        raise invalid_field(name, f"`{name}` must be {_MUST_BE[name]}.") from error


def _whole(raw: Raw) -> bytes | Raw:
    """Return a number without its fraction where that is zero: to JSON Schema 9.0 is an integer, too."""
    given = msgspec.json.decode(raw)
    return str(int(given)).encode() if isinstance(given, float) and given.is_integer() else raw


def _read_content(text: str) -> str:
    content = text.strip()
    if not content or len(text) > LONGEST_CONTENT or "\0" in text:  # as the document says it: of the whole
        raise ValueError
    return content


def _read_message(text: str) -> str:
    if not 0 < len(text) <= _LONGEST_ID or "\0" in text:
        raise ValueError
    return text


def _read_time(when: Time) -> Time:
    return when.astimezone(UTC)


def _read_session(session_id: str) -> str:
    if opaque_id(session_id) is None:
        raise ValueError
    return id_without_secrets(session_id)


def _read_operations(operations: Sequence[Any]) -> Sequence[Any]:
    if not 1 <= len(operations) <= MOST_CHANGES:
        raise ValueError
    for operation in operations:
        if isinstance(getattr(operation, "content", None), str):
            operation.content = _read_content(operation.content)
        if isinstance(getattr(operation, "event_at", None), datetime):
            operation.event_at = _read_time(operation.event_at)
    return operations


def _read_users(users: Sequence[str]) -> list[str]:
    if any(opaque_id(user) is None for user in users):
        raise ValueError
    return list(dict.fromkeys(users))


_READ: dict[str, Callable[[Any], Any]] = {
    "content": _read_content,
    "message": _read_message,
    "event_at": _read_time,
    "session_id": _read_session,
    "operations": _read_operations,
    "users": _read_users,
}
