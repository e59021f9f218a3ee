"""The protocol over streamable HTTP, at `/memory/mcp`.

Each request is independent: its token is checked, and the SDK gets a session that ends with the answer. So any replica
may answer any request.
"""

from typing import Any

import msgspec
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from recollect.api.failures import Failure
from recollect.engine import Engine
from recollect.engine.live.live_engine import LiveEngine
from recollect.errors import StoreUnavailableError
from recollect_proxy.access import Authentication
from recollect_proxy.mcp import REFUSED_HEADER
from recollect_proxy.mcp.access import AgentAccess, Granted
from recollect_proxy.mcp.caller import Caller
from recollect_proxy.mcp.client_name import (
    named_in_handshake,
    named_in_session,
    session_of,
)
from recollect_proxy.mcp.protocol_server import Context, client_of, make_server, quiet_sdk
from recollect_proxy.mcp.rebinding import KnownHosts
from recollect_proxy.web.asgi import (
    Application,
    Event,
    Incoming,
    Receive,
    Scope,
    Send,
    peer_of,
    replayed,
    respond,
    values,
)

_LONGEST_BODY = 256 * 1024
_GRANTED = "recollect.granted"
_SESSION = b"mcp-session-id"
_OK = 200
_TOO_LONG = Failure(413, "body_too_large", f"A request has {_LONGEST_BODY} bytes at most.")
_NOT_ALLOWED = Failure(
    405,
    "method_not_allowed",
    "Send POST: there are no streams and no sessions to listen to or to end.",
    headers={"allow": "POST"},
)


def mcp_application(
    engine: LiveEngine, *, authentication: Authentication, user_header: str, hosts: KnownHosts
) -> Application:
    """Return the application.

    Args:
        engine: The engine with the memories; it may not be open yet.
        authentication: Knows the tokens.
        user_header: In which header the frontend names the user.
        hosts: The names by which we are reached.
    """
    quiet_sdk()
    return _McpApplication(engine, AgentAccess(authentication, user_header=user_header), hosts)


class _McpApplication:
    def __init__(self, engine: LiveEngine, access: AgentAccess, hosts: KnownHosts) -> None:
        self._engine = engine
        self._access = access
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        granted = self._access.grant(list(scope["headers"]), peer_of(scope))
        if isinstance(granted, Failure):
            await _refuse(send, granted)
            return
        if scope["method"] != "POST":
            await _refuse(send, _NOT_ALLOWED)
            return
        body = await Incoming(receive).read_body(_LONGEST_BODY)
        if body is None:
            await _refuse(send, _TOO_LONG)
            return
        name = named_in_handshake(body)
        path = scope["raw_path"].decode("latin-1")
        told = {**scope, "path": path, "root_path": "", "state": {_GRANTED: granted}}
        host = b"".join(values(scope["headers"], b"host")[:1]).decode("latin-1") or None
        sessions = StreamableHTTPSessionManager(
            make_server(self._caller, granted.user_id),
            json_response=True,
            stateless=True,
            security_settings=self._hosts.settings(host),
            max_request_body_size=_LONGEST_BODY,
        )
        async with sessions.run():
            await sessions.handle_request(told, replayed(body, receive), _finishing(send, name))

    def _caller(self, context: Context) -> Caller:
        request: Any = context.request
        granted: Granted = request.scope["state"][_GRANTED]
        principal = granted.principal
        return Caller(
            self._opened,
            granted.user_id,
            client_of(context, named_in_session(request.headers.get(_SESSION.decode()))),
            may_write=granted.may_write,
            reader=principal.name if principal.is_administrator else None,
        )

    def _opened(self) -> Engine:
        if self._engine.engine is None:
            raise StoreUnavailableError
        return self._engine.engine


def _finishing(send: Send, name: str | None) -> Send:
    """Return a ``send`` that lets nothing be cached, and gives a client that made itself known its session id."""

    async def finished(event: Event) -> None:
        if event["type"] == "http.response.start":
            headers = [*event["headers"], (b"cache-control", b"no-store")]
            if name is not None and event["status"] == _OK:
                headers.append((_SESSION, session_of(name).encode()))
            event = {**event, "headers": headers}
        await send(event)

    return finished


async def _refuse(send: Send, failure: Failure) -> None:
    headers = [(name.encode(), value.encode()) for name, value in failure.headers.items()]
    headers += [(b"cache-control", b"no-store"), (REFUSED_HEADER, failure.code.encode())]
    body = msgspec.json.encode({"error": failure.body.error})
    await respond(send, failure.status, body, content_type=b"application/json", headers=headers)
