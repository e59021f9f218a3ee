"""What the endpoints of the Memory API take alike: parameters, the engine, the errors that any may answer.

Never: an endpoint.
"""

from datetime import UTC, datetime
from typing import Annotated, Any, TypeAlias, get_origin
from uuid import UUID

import msgspec
from litestar import Request
from litestar.di import NamedDependency, Provide
from litestar.openapi.spec import Example
from litestar.params import PathParameter, QueryParameter, SkipValidation

from recollect.engine import Engine
from recollect.engine.live import LiveEngine
from recollect.errors import StoreUnavailableError
from recollect.text.secrets.in_names import id_without_secrets
from recollect_proxy.identity import readable_id
from recollect_proxy.memory_api.errors import (
    BODY_TOO_LARGE,
    FORBIDDEN,
    INTERNAL_ERROR,
    INVALID_FIELD,
    INVALID_JSON,
    INVALID_PARAMETER,
    STORE_FAILED,
    STORE_UNAVAILABLE,
    TIME,
    TOO_MANY_ATTEMPTS,
    UNAUTHORIZED,
    invalid_parameter,
    repeated_parameter,
    unknown_parameter,
)
from recollect_proxy.memory_api.schemas import Time

ALWAYS = (
    UNAUTHORIZED,
    FORBIDDEN,
    TOO_MANY_ATTEMPTS,
    INTERNAL_ERROR,
    STORE_UNAVAILABLE,
    STORE_FAILED,
    INVALID_PARAMETER,
)
READING_A_BODY = (INVALID_JSON, BODY_TOO_LARGE, INVALID_FIELD)

ID_SCHEMA = {"minLength": 1, "maxLength": 256, "pattern": r"^(?!\*$)[^\u0000]+$"}
"""What the document says of the id of a user, or of a chat."""

OpenEngine: TypeAlias = NamedDependency[SkipValidation[Engine]]
UserId: TypeAlias = Annotated[
    str,
    PathParameter(
        description="Whose memories: the id as the frontend sends it, as one percent-encoded path segment "
        "(a slash is %2F, a percent sign %25). 1 to 256 characters, any Unicode but NUL; not `*`, which names what users share, and no template that was not filled in, as `{{USER_ID}}`.",
        schema_extra=ID_SCHEMA,
        examples=[Example(value="7d9c1f52-2f1b-4c6e-9a53-0a8a3c1b7a11")],
    ),
]
SessionId: TypeAlias = Annotated[
    str,
    PathParameter(
        description="Which chat: the id as the list of the user's chats gives it, as one percent-encoded path segment.",
        schema_extra=ID_SCHEMA,
        examples=[Example(value="3e0d6a5b-6a38-4f0c-9a0e-2f4c6b8d1e57")],
    ),
]
MemoryId: TypeAlias = Annotated[
    str,
    PathParameter(
        description="The memory's id.",
        schema_extra={"format": "uuid"},
        examples=[Example(value="01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10")],
    ),
]
MessageId: TypeAlias = Annotated[
    str,
    PathParameter(
        description="The message's id, as the list of what was said in the chat gives it.",
        schema_extra={"format": "uuid"},
        examples=[Example(value="01980f6e-4b1c-7a07-8f0d-5d6a1f8c9e21")],
    ),
]
UpdateId: TypeAlias = Annotated[
    str,
    PathParameter(
        description="The change's id, as the audit shows it.",
        schema_extra={"format": "uuid"},
        examples=[Example(value="01980f70-0d3e-7c55-b1a5-3a9be1b9d0f4")],
    ),
]
Limit: TypeAlias = Annotated[
    int,
    QueryParameter(
        description="How many at most: 1 to 200, 50 where not given.",
        ge=1,
        le=200,
        examples=[Example(value=20)],
    ),
]
LimitOfAll: TypeAlias = Annotated[
    int | None,
    QueryParameter(
        name="limit",
        description="How many at most: 1 to 200; as many as there are where not given.",
        ge=1,
        le=200,
    ),
]
After: TypeAlias = Annotated[
    UUID | None, QueryParameter(description="The `next` of the page before; none for the first page.")
]


async def refuse_unknown_parameters(request: Request[Any, Any, Any]) -> None:
    """Refuse a query with a parameter that the endpoint does not know, or that is given twice, or not at all.

    Raises:
        RefusedError: It is such a one.
    """
    declared = request.route_handler.parsed_fn_signature.parameters
    known = {
        field.kwarg_definition.name or name: field
        for name, field in declared.items()
        if isinstance(field.kwarg_definition, QueryParameter)
    }
    for name in request.query_params:
        if name not in known:
            raise unknown_parameter(name, known)
        field, given = known[name], request.query_params.getall(name)
        takes_many = any(get_origin(each.annotation) is list for each in (field, *field.inner_types))
        if len(given) > 1 and not takes_many:
            raise repeated_parameter(name)
    for name, field in known.items():
        if field.is_required and name not in request.query_params:
            raise invalid_parameter(name, "given")


def engine_of(live: LiveEngine) -> Provide:
    """Return what hands the endpoints the engine.

    The dependency raises StoreUnavailableError while the engine is not open.
    """

    def opened() -> Engine:
        if live.engine is None:
            raise StoreUnavailableError
        return live.engine

    return Provide(opened, sync_to_thread=False)


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


def memory_named(segment: str) -> UUID:
    """Return the memory id that a path segment stands for.

    Raises:
        RefusedError: It stands for none.
    """
    return uuid_named("memory_id", segment)


def uuid_named(parameter: str, segment: str) -> UUID:
    """Return the id that a path segment stands for.

    Raises:
        RefusedError: It stands for none.
    """
    try:
        return UUID(segment)
    except ValueError as error:
        raise invalid_parameter(parameter, "a UUID") from error


def time_named(parameter: str, value: str | None) -> datetime | None:
    """Return the time that a parameter stands for, in UTC; None for none.

    Raises:
        RefusedError: It stands for none, or has no zone.
    """
    if value is None:
        return None
    try:
        return msgspec.convert(value, Time).astimezone(UTC)
    except (msgspec.ValidationError, OverflowError) as error:
        raise invalid_parameter(parameter, TIME) from error


def _id_named(parameter: str, segment: str) -> str:
    named = readable_id([segment.encode("latin-1")])
    if named is None:
        raise invalid_parameter(
            parameter,
            "1 to 256 characters, as percent-encoded UTF-8, without NUL, not `*` alone, and no unfilled template",
        )
    return named
