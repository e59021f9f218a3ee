"""A request as the functions that answer it see it, and their answer."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from uuid import UUID

import msgspec
from msgspec import Struct

from recollect.api.operations import Operation
from recollect.engine import Engine
from recollect.engine.live.live_engine import LiveEngine
from recollect.errors import StoreUnavailableError
from recollect.model import Actor, Erasure, Memory, Scope, Skip, project_scope
from recollect.text.secrets.in_names import id_without_secrets
from recollect_proxy.access import Authentication, Principal
from recollect_proxy.memory_api.event_streams import EventStreams
from recollect_proxy.memory_api.reading import id_named, uuid_named
from recollect_proxy.metrics.exposition import Metrics
from recollect_proxy.metrics.health_check import Condition, Inquiry
from recollect_proxy.web.asgi import Incoming
from recollect_proxy.web.json_shapes import shaped

Stream: TypeAlias = AsyncGenerator[bytes, None]


@dataclass(frozen=True, slots=True)
class ApiParts:
    """The parts that answers are made with.

    Attributes:
        live: The engine, which may not be open yet.
        authentication: Knows the tokens.
        check: Asks how the store is.
        metrics: Knows the figures.
        skipped: How many requests had no memory, by reason.
        public_url: Under which address people's browsers reach us; None: as a request's Host says.
        streams: The streams of events.
    """

    live: LiveEngine
    authentication: Authentication
    check: Inquiry[Condition]
    metrics: Metrics
    skipped: Mapping[Skip, int]
    public_url: str | None
    streams: EventStreams


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer.

    Attributes:
        status: The HTTP status.
        body: All of it, or its pieces.
        content_type: The media type of the body.
        headers: Further headers.
    """

    status: int
    body: bytes | Stream
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request that is let in.

    Attributes:
        parts: The parts that answers are made with.
        operation: The operation.
        path: The path's parameters, percent-encoded.
        principal: The owner of its token; None for a public operation.
        sent: Its query or body, as the operation takes it.
        versions: The versions in `If-Match`; None for any.
        incoming: Its body, unread where the operation takes none.
        origin: The scheme and host it was sent to.
        project: The project whose memory it concerns; "" for the user's own.
        last_event: The `Last-Event-ID`; None: none.
    """

    parts: ApiParts
    operation: Operation[Any]
    path: Mapping[str, str]
    principal: Principal | None
    sent: Any
    versions: frozenset[str] | None
    incoming: Incoming
    origin: str
    project: str = ""
    last_event: str | None = None

    @property
    def engine(self) -> Engine:
        """The engine.

        Raises:
            StoreUnavailableError: It is not open.
        """
        if self.parts.live.engine is None:
            raise StoreUnavailableError
        return self.parts.live.engine

    @property
    def who(self) -> Principal:
        """The owner of the token."""
        assert self.principal is not None  # noqa: S101 -- only public operations are let in without one
        return self.principal

    @property
    def actor(self) -> Actor:
        """The actor in the audit."""
        return self.who.actor

    @property
    def user_id(self) -> str:
        """The user in the path, or the id of the project of theirs that the request names."""
        return project_scope(id_named("user_id", self.path["user_id"]), self.project)

    @property
    def chat(self) -> Scope:
        """The user and the chat in the path."""
        return Scope(self.user_id, id_without_secrets(id_named("session_id", self.path["session_id"])))

    def id(self, name: str) -> UUID:
        """Return a parameter of the path that is an id."""
        return uuid_named(name, self.path[name])

    async def note_read(self, user_id: str) -> None:
        """Note an administrator's read of a user's data before it happens.

        Raises:
            StoreError: It can't be kept.
        """
        if self.who.is_administrator:
            await self.engine.note_admin_read(user_id, reader=self.who.name, operation=self.operation.name)


def reply_of(operation: Operation[Any], answer: Any) -> Reply:
    """Return the reply with the answer of an operation's function; a memory's version becomes its ETag."""
    if isinstance(answer, Reply):
        return answer
    body = b"" if answer is None else msgspec.json.encode(shaped(answer, operation.answers))
    headers = {"ETag": f'"{answer.version}"'} if isinstance(answer, Memory) else {}
    return Reply(operation.status, body, operation.media_type, headers)


def erasure_as_json(proof: Erasure) -> dict[str, Any]:
    """Return the JSON of the proof of an erasure."""
    return {"id": proof.id, "erased_at": proof.at, "rows": dict(proof.rows)}


def fields_of(told: Any, shape: type[Struct]) -> dict[str, Any]:
    """Return those attributes of an object that are named as fields of a shape."""
    return {name: getattr(told, name) for name in shape.__struct_fields__ if hasattr(told, name)}
