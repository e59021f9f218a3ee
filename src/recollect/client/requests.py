"""The HTTP request of an operation of the table."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypedDict, Unpack
from urllib.parse import quote
from uuid import UUID

import msgspec
from msgspec import Struct, UnsetType

from recollect.api.operation import Operation
from recollect.api.queries import KEY, MATCH, PROJECT


@dataclass(frozen=True, slots=True)
class Request:
    """A request.

    Attributes:
        method: The HTTP method.
        path: Below the server's address, percent-encoded.
        query: The parameters of the query.
        body: The JSON, or None.
        headers: The headers other than the token.
    """

    method: str
    path: str
    query: list[tuple[str, str]]
    body: bytes | None
    headers: dict[str, str]


class Given(TypedDict, total=False):
    """The arguments of a request other than its path.

    Attributes:
        send: The query or body, of the shape that the operation takes.
        key: An `Idempotency-Key`: sent again with it within a day, the request changes nothing.
        if_match: The ``etag`` of a memory: the operation fails if the memory has another by now.
        project: The project of the user whose memory is meant; None for their own.
    """

    send: Struct | None
    key: str | None
    if_match: str | UnsetType | None
    project: str | None


def request_of(operation: Operation[Any], *ids: str | UUID, **given: Unpack[Given]) -> Request:
    """Return the request of an operation.

    Args:
        operation: A row of the table.
        ids: The ids of the path, in its order: a user, a chat, a memory. Any text; it is encoded here.
        given: The other arguments.

    Raises:
        ValueError: An id is empty, or the path has more or fewer.
        TypeError: ``send`` is not of the operation's shape.
        msgspec.ValidationError: A field does not fit its type, as a time without a zone.
    """
    send, key = given.get("send"), given.get("key")
    if_match, project = given.get("if_match"), given.get("project")
    if send is not None:
        if operation.takes is None or not isinstance(send, operation.takes):
            raise TypeError(f"{operation.name} does not take {type(send).__name__}.")
        msgspec.json.decode(msgspec.json.encode(send), type=type(send))
    body = msgspec.json.encode(send) if send is not None and operation.takes_body else None
    headers = {} if body is None else {"Content-Type": "application/json"}
    headers |= {} if key is None else {KEY: key}
    headers |= {MATCH: if_match} if isinstance(if_match, str) else {}
    headers |= {} if project is None else {PROJECT: quote(project, safe="")}
    query = _query(send) if send is not None and not operation.takes_body else []
    return Request(operation.method, _path(operation.path, ids), query, body, headers)


def _path(template: str, ids: tuple[str | UUID, ...]) -> str:
    names = re.findall(r"\{\w+\}", template)
    if len(names) != len(ids):
        raise ValueError(f"The path names {', '.join(names) or 'nothing'}.")
    for name, given in zip(names, ids, strict=True):
        if not str(given):
            raise ValueError("An id is empty.")
        # a dot is encoded, too: alone it would mean another path
        template = template.replace(name, quote(str(given), safe="").replace(".", "%2E"), 1)
    return template


def _query(send: Struct) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for field in msgspec.structs.fields(send):
        value = getattr(send, field.name)
        if value is not None and value != field.default:
            values = value if isinstance(value, list) else [value]
            found += [(field.encode_name, _as_text(each)) for each in values]
    return found


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, datetime) else str(value)
