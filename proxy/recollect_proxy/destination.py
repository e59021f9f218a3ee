"""An LLM server as a request may reach it, with the applications that answer the request."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from recollect_proxy.upstream.upstream import Upstream
from recollect_proxy.web.asgi import Application, Event, Receive, Scope, Send
from recollect_proxy.web.error_answers import MODELS_STAY, NOT_FOUND, Failure, Refusing
from recollect_proxy.web.paths import changes_models, is_of_api

COMPLETIONS_PATH = b"/chat/completions"
RESPONSES_PATH = b"/responses"
MESSAGES_PATH = b"/messages"
OLLAMA_CHAT_PATH = b"/api/chat"
OLLAMA_COMPLETION_PATH = b"/api/generate"

_VERSION = b"/v1"
_CANCEL = b"/cancel"


def is_below(path: bytes, base: bytes) -> bool:
    """Return whether a path is a base or below it."""
    return path == base or path.startswith(base + b"/")


def is_kept_answer(plain: bytes, base: bytes) -> bool:
    """Return whether a canonical path, of which ``base`` stands for the server, names an answer that it keeps, or cancels it."""
    parent, _, last = plain.removesuffix(_CANCEL).rpartition(b"/")
    return bool(last) and chat_path(parent, base) == RESPONSES_PATH


def chat_path(plain: bytes, base: bytes) -> bytes | None:
    """Return which chat API a path asks for, as one of the paths above; None if it asks for no chat.

    A path that ends in `/chat/completions` always asks for a chat, as `/deployments/NAME/chat/completions` does. Other APIs have
    paths that end in `/responses` or `/messages` (`/threads/ID/messages`). So these two count only directly below the base or
    a `/v1`, and Ollama's directly below the base, which stands for the server's base URL in the canonical path.
    """
    if plain.endswith(COMPLETIONS_PATH):
        return COMPLETIONS_PATH
    for path in (RESPONSES_PATH, MESSAGES_PATH):
        if plain == base.lower() + path or plain.endswith(_VERSION + path):
            return path
    below = plain.removeprefix(base.lower())
    return below if below in (OLLAMA_CHAT_PATH, OLLAMA_COMPLETION_PATH) else None


_NAME = b"x-recollect-upstream"
_APIS = (b"/v1", b"/api")


@dataclass(frozen=True, slots=True)
class Destination:
    """An LLM server that is chosen by a path or by a model, with the applications that answer for it.

    Attributes:
        name: The server's name in the settings.
        base: The prefix of a request's path that stands for the server's base URL.
        conversations: The applications that answer chats with memory, by their API's path.
        kept_answers: Relays requests for answers that the server keeps.
        passthrough: Relays every other request.
        strip: Whether a client's header, by its lower-case name, is not forwarded.
        takes: Whether the server serves a model, by its name. The default server takes none: it gets what no other takes.
        is_api_only: Whether only the server's APIs can be reached, and its root, by which clients see that it is there.
        allows_changes: Whether the models of an Ollama server may be changed.
        root: The path of the server's base URL.
    """

    name: str
    base: bytes
    upstream: Upstream
    conversations: Mapping[bytes, Application]
    kept_answers: Application
    passthrough: Application
    websockets: Application
    strip: Callable[[bytes], bool]
    takes: Callable[[str], bool]
    is_api_only: bool = False
    allows_changes: bool = False
    root: bytes = b""

    def application(self, scope: Scope, plain: bytes, base: bytes) -> Application:
        """Return the application for a request with the canonical path ``plain``, which begins with the server's ``base``."""
        if (failure := self.refusal(scope["raw_path"], plain, base)) is not None:
            return Refusing(failure)
        if scope["type"] == "websocket":
            return self.websockets
        api = chat_path(plain, base)
        if api is not None and scope["method"] == "POST":
            return self.conversations[api]
        is_kept = scope["method"] in {"GET", "POST"} and is_kept_answer(plain, base)
        return self.kept_answers if is_kept else self.passthrough

    def refusal(self, path: bytes, plain: bytes, base: bytes) -> Failure | None:
        """Return why a request or a WebSocket with this path goes no further, None if it may; the rest as of ``application``."""
        if not self.allows_changes and (
            changes_models(plain) or changes_models(self.root + plain[len(base) :])
        ):
            return MODELS_STAY
        return NOT_FOUND if self.is_api_only and plain and not is_of_api(path, _APIS) else None


def named(application: Application, name: str) -> Application:
    """Return the application with a header added to each response that names its LLM server."""

    async def tell(scope: Scope, receive: Receive, send: Send) -> None:
        async def telling(event: Event) -> None:
            if event["type"] == "http.response.start":
                event = {**event, "headers": [*event["headers"], (_NAME, name.encode())]}
            await send(event)

        await application(scope, receive, telling)

    return tell
