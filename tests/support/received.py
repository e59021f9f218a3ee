"""A request as a scripted upstream received it, to the byte."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from tests.scripted.answers import Fields


@dataclass
class Received:
    """A request, exactly as it came."""

    head: bytes
    raw_body: bytes = b""
    body: bytes = b""
    arrived: int = 0
    client_left: asyncio.Event = field(default_factory=asyncio.Event)
    interrupted: bool = False

    @property
    def line(self) -> bytes:
        return self.head.split(b"\r\n")[0]

    @property
    def method(self) -> bytes:
        """The request's method."""
        return self.line.split(b" ")[0]

    @property
    def target(self) -> bytes:
        """Path and query, as sent."""
        return self.line.split(b" ")[1]

    @property
    def headers(self) -> Fields:
        """The header fields in order, their names as sent."""
        lines = (line.partition(b":") for line in self.head.split(b"\r\n")[1:])
        return [(name, value.strip()) for name, _, value in lines]

    def values(self, name: bytes) -> list[bytes]:
        """Return the values of a header, whatever the case of its name."""
        return [value for key, value in self.headers if key.lower() == name.lower()]

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def system(self) -> str:
        """What the system says in a chat request; "" if it says nothing."""
        return "\n".join(
            message["content"] for message in self.json["messages"] if message["role"] == "system"
        )
