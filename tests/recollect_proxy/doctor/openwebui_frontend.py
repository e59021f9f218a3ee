"""A chat on OpenWebUI's page, as the proxy sees it: who OpenWebUI says that speaks, and what it reads of an answer."""

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from tests.servers.running_proxy import User

_EVENT = re.compile(rb'data: (\{"choices": \[\], "event": [^\n]*\})\n\n')
_ENDS = (b"\n\n", b"\n\r\n", b"\r\r")
"""How an event ends: with an empty line."""


def spoken_for(user: User, said: str = "") -> list[tuple[bytes, bytes]]:
    """Return what OpenWebUI says of a user beside the id, when it does not sign it; and the id of what they said."""
    return [
        (b"X-OpenWebUI-User-Name", b"Ann B."),
        (b"X-OpenWebUI-User-Email", b"ann@example.com"),
        (b"X-OpenWebUI-User-Role", b"user"),
        (b"X-Recollect-Message", f"m-{user.id}-{sha256(said.encode()).hexdigest()[:8]}".encode()),
    ]


@dataclass(frozen=True)
class Shown:
    """What a stream shows."""

    before: list[dict[str, Any]]
    said: bytes
    within: list[dict[str, Any]]

    @property
    def lines(self) -> list[str]:
        told = [each for each in [*self.before, *self.within] if each["type"] == "status"]
        assert all(each["data"]["done"] is True for each in told)
        return [each["data"]["description"] for each in told]

    @property
    def sources(self) -> list[str]:
        """What is cited."""
        told = [each for each in [*self.before, *self.within] if each["type"] == "source"]
        return [document for each in told for document in each["data"]["document"]]


def shown(body: bytes, last: bytes = b"") -> Shown:
    """Read a stream's body.

    Args:
        body: As it came.
        last: What of the upstream's has to stand behind all events of ours.

    Raises:
        AssertionError: Ours stand within an event of the upstream's, or behind ``last``.
    """
    assert body.endswith(last)
    rest, before = body[: len(body) - len(last)], []
    while found := _EVENT.match(rest):
        before.append(json.loads(found[1])["event"])
        rest = rest[found.end() :]
    within = list(_EVENT.finditer(rest))
    assert all(rest[: each.start()].endswith(_ENDS) for each in within), (
        "an event of ours stands within another"
    )
    return Shown(before, _EVENT.sub(b"", rest) + last, [json.loads(each[1])["event"] for each in within])
