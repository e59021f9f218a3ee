"""An LLM server as a request may reach it, with the applications that answer the request."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from recollect_proxy.asgi import Application, Scope
from recollect_proxy.upstream import Upstream


@dataclass(frozen=True, slots=True)
class Destination:
    """An LLM server that is chosen by a path or by a model.

    Attributes:
        name: The server's name in the settings.
        base: The prefix of a request's path that stands for the server's base URL.
        upstream: The HTTP client of the server.
        conversations: The applications that answer chats with memory, by the path of their API.
        passthrough: Relays every other request.
        websockets: Relays WebSockets.
        strip: Whether a client's header, by its lower-case name, is not forwarded.
        takes: Whether the server serves a model, by its name. The default server takes none: it gets what no other takes.
    """

    name: str
    base: bytes
    upstream: Upstream
    conversations: Mapping[bytes, Application]
    passthrough: Application
    websockets: Application
    strip: Callable[[bytes], bool]
    takes: Callable[[str], bool]

    def application(self, scope: Scope, api: bytes | None) -> Application:
        """Return what answers a request.

        Args:
            scope: The request.
            api: Which chat API its path asks for, as ``chat_path`` says.
        """
        if scope["type"] == "websocket":
            return self.websockets
        if api is None or scope["method"] != "POST":
            return self.passthrough
        return self.conversations[api]
