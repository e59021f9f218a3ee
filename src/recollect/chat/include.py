"""Adds what was remembered to an answer, for clients that asked to see it.

Never: raises on any answer, or changes one that isn't a JSON object.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from recollect.chat.raw_json import decode_members

_KEY = "memories"


def add_memories(body: bytes, memories: Sequence[Mapping[str, Any]]) -> bytes:
    """Add memories to an answer, as its last member.

    Args:
        body: The answer's body, not compressed.
        memories: What to add. They may hold what JSON can, and also UUIDs and times.

    Returns:
        The body with a member ``memories`` before its closing brace, every other byte as it was;
        the same body if it isn't a JSON object, or has such a member already.

    Raises:
        TypeError: A memory holds what JSON can't.
    """
    members = decode_members(body)
    if members is None or _KEY in members:
        return body
    end = body.rindex(b"}")
    comma = b"," if members else b""
    added = msgspec.json.encode([dict(memory) for memory in memories])
    return b"".join((body[:end], comma, b'"memories":', added, body[end:]))
