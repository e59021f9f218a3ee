"""The proxy's own answers when it can't relay: the only place with status codes.

The body has OpenAI's shape, or Ollama's below its paths, so that every SDK shows the message; `x-recollect-error` says who failed.
"""

from dataclasses import dataclass, field

import msgspec

from recollect_proxy.web.asgi import Headers, Receive, Scope, Send, respond
from recollect_proxy.web.paths import ollama_call

_UNAUTHORIZED = 401
"""It comes with a challenge (RFC 9110, section 15.5.2)."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An answer of our own: status, whose fault, OpenAI's error code, and what to do about it."""

    status: int
    source: str
    code: str
    message: str


def _ours(status: int, code: str, message: str) -> Failure:
    return Failure(status, "proxy", code, message)


UPSTREAM_UNREACHABLE = Failure(
    502,
    "upstream",
    "upstream_unreachable",
    "Recollect could not connect to the LLM's server. Check that it runs, and RECOLLECT_UPSTREAM.",
)
UPSTREAM_BROKE_OFF = Failure(
    502,
    "upstream",
    "upstream_disconnected",
    "The LLM's server closed the connection without an answer. Try again.",
)
UPSTREAM_SILENT = Failure(
    504, "upstream", "upstream_timeout", "The LLM's server did not answer in time. Try again."
)
UPSTREAM_BUSY = _ours(503, "upstream_busy", "All connections to the LLM's server are in use. Try again.")
INTERNAL = _ours(500, "internal_error", "Recollect failed. Its log says where.")
NOT_FOUND = _ours(
    404, "not_found", "Nothing is served at this path. Use the base URL that Recollect printed at start."
)
METHOD_NOT_SUPPORTED = _ours(
    501, "method_not_supported", "Recollect does not forward CONNECT and TRACE. Use another method."
)
IDENTITY_REQUIRED = _ours(
    401,
    "identity_required",
    "Recollect forwards only requests of known users here (RECOLLECT_REQUIRE_IDENTITY). Send a valid key or signature.",
)
BAD_REQUEST = _ours(400, "bad_request", "The request can't be forwarded: its target or a header is invalid.")
AMBIGUOUS = _ours(
    400,
    "ambiguous_request",
    "The request can be read in two ways. Send one Host, and one framing of the body.",
)
PATH_OF_TWO = _ours(
    400,
    "ambiguous_path",
    "The path can be read as that of another upstream. Write it as docs/reference/upstreams.md does.",
)
MODEL_NOT_READ = _ours(
    400,
    "model_not_read",
    "The model decides which upstream is asked, and this request's can't be read. Send JSON with one model, 32 MiB at most.",
)
MODEL_READ_LATE = _ours(
    503,
    "model_read_late",
    "The model decides which upstream is asked, and Recollect had no time to read this request's. Try again.",
)
MODELS_STAY = _ours(
    403,
    "models_stay",
    "Models are neither pulled nor changed through Recollect. Its operator can allow it by model_changes: docs/reference/upstreams.md.",
)
OPTIONS_NOT_CUT = _ours(
    413,
    "recollect_object_not_cut",
    "The request is too large to take its recollect object out of it. Use x-recollect-* headers instead.",
)
OPTIONS_NOT_READ = _ours(
    503,
    "recollect_object_not_read",
    "Recollect had no time to read the request's recollect object, so it was not forwarded. Try again.",
)


def invalid_option(name: str, wanted: str) -> Failure:
    """Return the failure for an invalid option of a client."""
    return _ours(400, "invalid_recollect_option", f"The recollect option {name} must be {wanted}.")


def failure_body(failure: Failure) -> bytes:
    """Return a failure in OpenAI's error shape."""
    error = {
        "message": failure.message,
        "type": f"{failure.source}_error",
        "param": None,
        "code": failure.code,
    }
    return msgspec.json.encode({"error": error})


async def send_failure(scope: Scope, send: Send, failure: Failure, headers: Headers | None = None) -> None:
    """Answer a request with a failure, and say in headers what else is to be said."""
    headers = [(b"x-recollect-error", failure.source.encode()), *(headers or [])]
    if failure.status == _UNAUTHORIZED:
        headers.append((b"www-authenticate", b"Bearer"))
    is_ollamas = ollama_call(scope["raw_path"])
    body = msgspec.json.encode({"error": failure.message}) if is_ollamas else failure_body(failure)
    await respond(send, failure.status, body, content_type=b"application/json", headers=headers)


@dataclass(frozen=True, slots=True)
class Refusing:
    """An application that answers a request with a failure, and a WebSocket's handshake with 403."""

    failure: Failure
    headers: Headers = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse one request."""
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close"})  # before it was accepted: refused with 403
            return
        await send_failure(scope, send, self.failure, self.headers)
