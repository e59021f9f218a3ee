"""Lets a client ask an upstream twice, past the proxy and through it, and compares what came."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.e2e.clients.programs import KEY, Client
from tests.recollect_proxy.given import TEA
from tests.scripted.upstream import Answer, Fields, Received, ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User

_OF_THE_HOP = {
    b"host",
    b"connection",
    b"keep-alive",
    b"te",
    b"content-length",
    b"transfer-encoding",
    b"expect",
}
_OURS = (b"x-openwebui-", b"x-recollect-")
_ANEW_EACH_TIME = {b"idempotency-key", b"traceparent"}


@dataclass(frozen=True)
class Asked:
    """What a client got, and what the upstream received of it."""

    got: Any
    requests: list[Received]


@dataclass(frozen=True)
class Comparison:
    """A client before an upstream, with the proxy between them and without."""

    proxy: RunningProxy
    upstream: ScriptedUpstream

    async def ask(self, client: Client, user: User, *answers: Answer) -> tuple[Asked, Asked]:
        """Let the client ask past the proxy and through it; it sends the same headers both times."""
        identity = {"X-OpenWebUI-User-Id": user.id, "X-OpenWebUI-Chat-Id": "clients"}
        past = await self._ask(client, self.upstream.port, identity, answers)
        through = await self._ask(client, self.proxy.port, identity, answers)
        assert past.requests, "the client asked nothing"
        return past, through

    async def _ask(
        self, client: Client, port: int, identity: dict[str, str], answers: Sequence[Answer]
    ) -> Asked:
        self.upstream.forget()
        self.upstream.answers.extend(answers)
        got = await client(f"http://127.0.0.1:{port}", identity)
        return Asked(got, list(self.upstream.received))


def assert_same_but_for_the_memory(
    past: Asked, through: Asked, *, taken_out: Callable[[Any], str], known: bool
) -> None:
    """Assert that the upstream received the same requests, and with them the memory of who is known.

    Args:
        past: How it was without the proxy.
        through: How it was with it.
        taken_out: Takes what the proxy added out of a body, and returns it; raises KeyError where nothing is.
        known: Whether the user has a memory. Without one a body is the same byte for byte.
    """
    assert len(through.requests) == len(past.requests)
    for direct, relayed in zip(past.requests, through.requests, strict=True):
        assert relayed.line == direct.line
        assert _own_headers(relayed) == _own_headers(direct)
        assert not [name for name, _ in relayed.headers if name.lower().startswith(_OURS)]
        assert KEY.encode() in b" ".join(relayed.values(b"authorization") + relayed.values(b"x-api-key"))
        if known:
            body = relayed.json
            assert TEA in taken_out(body)
            assert json.dumps(body) == json.dumps(direct.json)  # also the order of the members
        else:
            assert relayed.body == direct.body


def _own_headers(request: Received) -> Fields:
    """Return a request's headers that are the client's to choose, in order."""
    return [
        (name.lower(), value)
        for name, value in request.headers
        if name.lower() not in _OF_THE_HOP | _ANEW_EACH_TIME and not name.lower().startswith(_OURS)
    ]


def from_messages(body: Any) -> str:
    """Take the system message that the proxy put in front of a chat out of its body."""
    first = body["messages"].pop(0)
    assert first["role"] == "system"
    added: str = first["content"]
    return added


def from_instructions(body: Any) -> str:
    """Take the instructions that the proxy gave a request for a response out of its body."""
    added: str = body.pop("instructions")
    return added


def from_system(body: Any) -> str:
    """Take what the proxy lets the system say in Anthropic's messages out of the body."""
    added: str = body.pop("system")
    return added
