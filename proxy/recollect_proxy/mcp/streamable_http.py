"""The protocol over streamable HTTP, at `/memory/mcp`.

Each request is independent: its token is checked, and the SDK gets a session that ends with the answer. So any replica
may answer any request.
"""

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

import msgspec
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from recollect.api.endpoint_table import Permission
from recollect.api.failures import FORBIDDEN, TOO_MANY_ATTEMPTS, UNAUTHORIZED, Failure
from recollect.api.queries import PROJECT
from recollect.engine.live.live_engine import LiveEngine
from recollect.model import LONGEST_PROJECT, project_scope, project_within
from recollect_proxy.access.authentication import Authentication
from recollect_proxy.access.failed_attempts import TooManyAttemptsError
from recollect_proxy.access.principal import Principal, TokenKind
from recollect_proxy.identity.caller import readable_id, readable_project
from recollect_proxy.mcp import REFUSED_HEADER
from recollect_proxy.mcp.protocol_server import (
    client_of,
    make_server,
    named_in_handshake,
    named_in_session,
    quiet_sdk,
    session_of,
)
from recollect_proxy.mcp.tools import ActingAgent
from recollect_proxy.web.asgi import (
    Event,
    Headers,
    Incoming,
    Receive,
    Scope,
    Send,
    peer_of,
    replayed,
    respond,
    values,
)
from recollect_proxy.web.request_limits import LARGEST_TOOL_CALL

USER_HEADER = b"x-recollect-user"
"""The header that names the user if the token belongs to none."""


NOT_NAMED = Failure(400, "user_not_named", "This token is nobody's own: name the user in `X-Recollect-User`.")
NAMED_TWICE = Failure(
    400,
    "user_named_twice",
    "The headers name two users, or one that can't be: 1 to 256 characters, not `*`, and no unfilled template.",
)


BAD_PROJECT = Failure(
    400,
    "bad_project",
    f"`{PROJECT}` must be given once: 1 to {LONGEST_PROJECT} characters in one line, percent-encoded.",
    PROJECT,
)


def project_in(headers: Headers, bound: str) -> str | Failure:
    """Return the project that a request's headers name, or the one that its token is for; "" for none."""
    found = values(headers, PROJECT.lower().encode())
    named = readable_project(found) if found else ""
    if named is None:
        return BAD_PROJECT
    project = project_within(bound, named)
    return FORBIDDEN if project is None else project


_LOCAL = ("localhost", "127.0.0.1", "[::1]")


class KnownHosts:
    """The names by which we are reached, against pages of other sites whose names were led here (DNS rebinding).

    Browsers send their page's origin with every POST: a page that is not known is refused, whatever name it reached us by.
    Where only this machine reaches us, only its names are ours. Served to a network, other programs reach us by names that
    we do not know, such as a container's: then any name will do where no page asks. Each request brings a token besides.

    Args:
        is_local: Whether only this machine reaches us.
        names: Further names that are ours.
        public_url: The origin by which browsers reach us, if there is one.
    """

    def __init__(self, *, is_local: bool, names: Sequence[str] = (), public_url: str | None = None) -> None:
        public = urlsplit(public_url).netloc if public_url else ""
        ours = [*_LOCAL, *names, *([public] if public else [])]
        self._hosts = [each for name in ours for each in (name, f"{name}:*")]
        self._origins = [f"{scheme}://{each}" for each in self._hosts for scheme in ("http", "https")]
        self._is_local = is_local

    def settings(self, host: str | None) -> TransportSecuritySettings:
        """Return the checks that the SDK makes of a request.

        Args:
            host: Its Host, if it has one.
        """
        also = [] if self._is_local or host is None else [host]
        return TransportSecuritySettings(
            allowed_hosts=[*self._hosts, *also], allowed_origins=list(self._origins)
        )


_SESSION = b"mcp-session-id"
_OK = 200
_TOO_LONG = Failure(413, "body_too_large", f"A request has {LARGEST_TOOL_CALL} bytes at most.")
_NOT_ALLOWED = Failure(
    405,
    "method_not_allowed",
    "Send POST: there are no streams and no sessions to listen to or to end.",
    headers={"allow": "POST"},
)


class McpApplication:
    """Answers agents.

    Args:
        engine: The engine with the memories; it may not be open yet.
        authentication: Knows the tokens.
        user_header: In which header the frontend names the user.
        hosts: The names by which we are reached.
    """

    def __init__(
        self, engine: LiveEngine, *, authentication: Authentication, user_header: str, hosts: KnownHosts
    ) -> None:
        quiet_sdk()
        self._engine = engine
        self._authentication = authentication
        self._user_header = user_header.lower().encode("latin-1")
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        caller = self._admitted(list(scope["headers"]), peer_of(scope))
        if isinstance(caller, Failure):
            await _refuse(send, caller)
            return
        if scope["method"] != "POST":
            await _refuse(send, _NOT_ALLOWED)
            return
        body = await Incoming(receive).read_body(LARGEST_TOOL_CALL)
        if body is None:
            await _refuse(send, _TOO_LONG)
            return
        name = named_in_handshake(body)
        path = scope["raw_path"].decode("latin-1")
        inner = {**scope, "path": path, "root_path": ""}
        host, session = (_first(scope["headers"], each) for each in (b"host", _SESSION))
        known = named_in_session(session)
        sessions = StreamableHTTPSessionManager(
            make_server(lambda context: replace(caller, client=client_of(context, known)), caller.user_id),
            json_response=True,
            stateless=True,
            security_settings=self._hosts.settings(host),
            max_request_body_size=LARGEST_TOOL_CALL,
        )
        async with sessions.run():
            await sessions.handle_request(inner, replayed(body, receive), _finishing(send, name))

    def _admitted(self, headers: Headers, peer: str | None) -> ActingAgent | Failure:
        """Return who calls, and for whom; or why they may not. The name of the client's program is not known yet."""
        try:
            principal = self._authentication.admitted(headers, peer)
        except TooManyAttemptsError:
            return TOO_MANY_ATTEMPTS
        if principal is None:
            return UNAUTHORIZED
        user_id = self._user_of(principal, headers)
        if isinstance(user_id, Failure):
            return user_id
        if not principal.may(Permission.OWN, user_id, reads=True):
            return FORBIDDEN
        project = project_in(headers, principal.project)
        if isinstance(project, Failure):
            return project
        return ActingAgent(
            lambda: self._engine.opened,
            project_scope(user_id, project),
            may_write=principal.may(Permission.OWN, user_id, reads=False),
            reader=principal.name if principal.is_administrator else None,
        )

    def _user_of(self, principal: Principal, headers: Headers) -> str | Failure:
        names = (USER_HEADER, self._user_header) if principal.kind is TokenKind.ACTING else (USER_HEADER,)
        sent = [found for name in dict.fromkeys(names) if (found := values(headers, name))]
        named = {readable_id(each) for each in sent}
        if principal.user_id is not None:
            return principal.user_id if named <= {principal.user_id} else FORBIDDEN
        if not named:
            return NOT_NAMED
        only = named.pop()
        return NAMED_TWICE if named or only is None else only


def _first(headers: Headers, name: bytes) -> str | None:
    return next((value.decode("latin-1") for value in values(headers, name)), None) or None


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
