"""Liveness and readiness of the process: two paths, in raw ASGI, for orchestrators and load balancers.

Never: a framework, an upstream; nor the admin token, so that any orchestrator can ask.
"""

import msgspec

from recollect_proxy.metrics.health_check import HealthCheck
from recollect_proxy.web.asgi import Receive, Scope, Send, respond

LIVE = b"/memory/live"
READY = b"/memory/ready"
PROBES = frozenset({LIVE, READY})

_NO_STORE = [(b"cache-control", b"no-store")]


class Probes:
    """Answers `/memory/live` and `/memory/ready`.

    ``live`` is 200 whenever the process serves. ``ready`` is 200 from the end of the start until the signal to stop, then 503,
    so that a balancer turns away before the socket closes. It stays 200 while the store is down, as chats pass all the same,
    and a restart would not bring the store back. The body says so, with the number of exchanges that wait for the store:
    ``{"ready": true, "memory": "unavailable", "waiting": 12}``.

    Attributes:
        draining: Whether the signal to stop has come.
    """

    def __init__(self, check: HealthCheck) -> None:
        """Take what asks the store; its patience is how long ``ready`` may take."""
        self._check = check
        self._is_started = False
        self.draining = False

    def note_start(self) -> None:
        """Note that the start is complete."""
        self._is_started = True

    def drain(self) -> None:
        """Note that the signal to stop has come."""
        self.draining = True

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["method"] not in {"GET", "HEAD"}:  # of a HEAD the server leaves the body out
            allow = [(b"allow", b"GET, HEAD"), *_NO_STORE]
            await respond(send, 405, b"", content_type=b"application/json", headers=allow)
        elif scope["raw_path"] == LIVE:
            await _say(send, 200, {"live": True})
        else:
            ready = self._is_started and not self.draining
            memory = "unavailable" if await self._check.condition() is None else "available"
            await _say(
                send,
                200 if ready else 503,
                {"ready": ready, "memory": memory, "waiting": self._check.waiting.exchanges},
            )


async def _say(send: Send, status: int, said: dict[str, object]) -> None:
    body = msgspec.json.encode(said)
    await respond(send, status, body, content_type=b"application/json", headers=_NO_STORE)
