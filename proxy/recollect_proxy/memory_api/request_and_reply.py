"""The request that an operation gets, and the reply that it returns: a document, or a stream of events."""

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from uuid import UUID

import msgspec
from msgspec import Struct

from recollect.api.endpoint_table import Operation
from recollect.engine import Engine
from recollect.engine.live.live_engine import LiveEngine
from recollect.model import Actor, Erasure, Memory, Scope, Skip, project_scope
from recollect.text.secrets.masking import id_without_secrets
from recollect_proxy.access.authentication import Authentication
from recollect_proxy.access.principal import Principal
from recollect_proxy.memory_api.event_streams import EventStreams
from recollect_proxy.metrics import Inquiry, Metrics, read_condition
from recollect_proxy.web.asgi import Incoming
from recollect_proxy.web.strict_json import shaped

Stream: TypeAlias = AsyncGenerator[bytes, None]


class ApiParts:
    """The parts that answers are made with.

    Attributes:
        live: The engine with the memories; it may not be open yet.
        authentication: Knows the tokens.
        skipped: How many requests had no memory, by reason, as it is counted elsewhere.
        metrics_public: Whether the metrics need no token.
        public_url: Under which address people's browsers reach us; None: as the request that asks for a link.
        check: Asks how the store is.
        metrics: Knows the figures.
        streams: The streams of events, which end when the process ``ends``.
    """

    def __init__(
        self,
        engine: LiveEngine,
        *,
        authentication: Authentication,
        skipped: Mapping[Skip, int] | None = None,
        metrics_public: bool = False,
        public_url: str | None = None,
        ends: Callable[[], bool] = lambda: False,
    ) -> None:
        self.live, self.authentication, self.public_url = engine, authentication, public_url
        self.skipped: Mapping[Skip, int] = {} if skipped is None else skipped
        self.metrics_public = metrics_public
        self.check, self.metrics = Inquiry(engine, read_condition), Metrics(engine, self.skipped)
        self.streams = EventStreams(engine, ends)


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
        api: The parts that answers are made with.
        operation: The operation.
        path: The path's parameters, read.
        principal: The owner of its token; None for a public operation.
        sent: Its query or body, as the operation takes it.
        versions: The versions in `If-Match`; None for any.
        incoming: Its body, unread where the operation takes none.
        origin: The scheme and host it was sent to.
        project: The project whose memory it concerns; "" for the user's own.
        last_event: The `Last-Event-ID`; None: none.
    """

    api: ApiParts
    operation: Operation[Any]
    path: Mapping[str, Any]
    principal: Principal | None
    sent: Any
    versions: frozenset[str] | None
    incoming: Incoming
    origin: str
    project: str = ""
    last_event: str | None = None

    @property
    def engine(self) -> Engine:
        """The engine; raises StoreUnavailableError while it is not open."""
        return self.api.live.opened

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
        return project_scope(self.path["user_id"], self.project)

    @property
    def chat(self) -> Scope:
        """The user and the chat in the path."""
        return Scope(self.user_id, id_without_secrets(self.path["session_id"]))

    def id(self, name: str) -> UUID:
        """Return a parameter of the path that is an id."""
        known: UUID = self.path[name]
        return known

    async def note_read(self, user_id: str) -> None:
        """Note an administrator's read of a user's data before it happens. Raises StoreError: it can't be kept."""
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
