"""An LLM server as a request may reach it: what answers it, with memory or without."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from recollect_proxy.asgi import Application, Scope
from recollect_proxy.upstream import Upstream


@dataclass(frozen=True, slots=True)
class Destination:
    """An LLM server, below one path of ours or chosen by the model.

    Attributes:
        name: What it is called.
        base: What of a request's path stands for its base URL.
        upstream: The server.
        conversations: Answer chats with memory, by the path of their API.
        passthrough: Relays all else.
        websockets: Relays WebSockets.
        strip: Which headers of a client are not for it.
        takes: Whether it serves a model; of the one that serves all others: never.
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
