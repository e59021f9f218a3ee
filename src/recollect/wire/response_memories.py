"""Adds the recalled memories to an answer, for clients that asked for them.

Never: raises on any answer, or changes one that isn't a JSON object.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from recollect.wire.raw_json import decode_members

_MEMORIES = "memories"
_HISTORY = "used_history_tokens"


def add_memories(
    body: bytes, memories: Sequence[Mapping[str, Any]], *, used_history_tokens: int | None = None
) -> bytes:
    """Add memories to an answer, as its last members ``memories`` and, if it is known, ``used_history_tokens``.

    They may hold what JSON can, and also UUIDs and times. Every other byte stays; so does the whole body if it isn't a JSON
    object, or has a member of either name already.

    Raises:
        TypeError: A memory holds what JSON can't.
    """
    members = decode_members(body)
    added: dict[str, Any] = {_MEMORIES: [dict(memory) for memory in memories]}
    if used_history_tokens is not None:
        added[_HISTORY] = used_history_tokens
    if members is None or not added.keys().isdisjoint(members):
        return body
    end = body.rindex(b"}")
    comma = b"," if members else b""
    return b"".join((body[:end], comma, msgspec.json.encode(added)[1:-1], body[end:]))
