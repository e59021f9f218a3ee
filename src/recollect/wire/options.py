"""Takes the `recollect` object out of a request's body, before it is forwarded.

Never: raises, or knows what can be asked.
"""

from typing import NamedTuple

import msgspec

from recollect.wire import limits
from recollect.wire.body import MEMBERS
from recollect.wire.linear_bytes import linear_bytes
from recollect.wire.raw_json import without_member

KEY = "recollect"


def _written(letter: str) -> str:
    """Return an expression for a letter as JSON may have it (RFC 8259, section 7)."""
    return f"(?:{letter}|\\\\u00(?i:{ord(letter):02x}))"


_AS_KEY = linear_bytes(f'"{"".join(map(_written, KEY))}"[ \\t\\n\\r]*:'.encode())


class TakenOptions(NamedTuple):
    """A body without its options, and the options.

    Attributes:
        body: The bytes to forward; None if they are uncertain, because the request holds too much besides the
            options.
        options: The value of its member ``recollect``, if that is known.
    """

    body: bytes | None
    options: msgspec.Raw | None = None


def may_have_options(body: bytes) -> bool:
    """Return whether an object anywhere in a body has a member ``recollect``, in linear time."""
    return _AS_KEY.search(body) is not None


def take_options(body: bytes) -> TakenOptions:
    """Cut the member ``recollect`` out of a request's object, whatever it holds.

    Args:
        body: The request's body, not compressed.

    Returns: The body without it, unchanged but for it and one comma; and its value. Given
        twice, each is cut out, and the last counts, as it does for most readers of JSON (RFC 8259, 4).
        The same body and None if it has no such member or isn't a JSON object.
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
