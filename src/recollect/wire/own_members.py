"""Our own members of a body: takes `recollect` out of a request, and adds `memories` to an answer.

Never: knows what can be asked.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from recollect.wire import limits
from recollect.wire.body import MEMBERS
from recollect.wire.raw_json import decode_members, linear_bytes, without_member

KEY = "recollect"


def _written(letter: str) -> str:
    """Return an expression for a letter as JSON may have it (RFC 8259, section 7)."""
    return f"(?:{letter}|\\\\u00(?i:{ord(letter):02x}))"


_AS_KEY = linear_bytes(f'"{"".join(map(_written, KEY))}"[ \\t\\n\\r]*:'.encode())


class TakenOptions(NamedTuple):
    """A body without its options (None if the request holds too much besides them), and the options."""

    body: bytes | None
    options: msgspec.Raw | None = None


def may_have_options(body: bytes) -> bool:
    """Return whether an object anywhere in a body has a member ``recollect``, in linear time."""
    return _AS_KEY.search(body) is not None


def take_options(body: bytes) -> TakenOptions:
    """Cut the member ``recollect``, with one comma, out of a request's body, which is not compressed.

    Given twice, each is cut out, and the last counts, as it does for most readers of JSON (RFC 8259, 4). A body that has no such
    member, or isn't a JSON object, stays.
    """
    # The members of a smaller body are decoded sooner than its bytes are searched.
    if len(body) > limits.LIGHT_BYTES and not may_have_options(body):
        return TakenOptions(body)
    if not limits.is_readable(body):
        return TakenOptions(None)
    members = MEMBERS.decode(body)
    if members is None or KEY not in members:
        return TakenOptions(body)
    return TakenOptions(without_member(body, body.index(b"{"), members, KEY), members[KEY])


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
    added: dict[str, Any] = {"memories": [dict(memory) for memory in memories]}
    if used_history_tokens is not None:
        added["used_history_tokens"] = used_history_tokens
    if members is None or not added.keys().isdisjoint(members):
        return body
    end = body.rindex(b"}")
    comma = b"," if members else b""
    return b"".join((body[:end], comma, msgspec.json.encode(added)[1:-1], body[end:]))
