"""Takes what a request asks of us out of its body, before anybody else reads it.

Never: raises, or knows what can be asked.
"""

import msgspec

from recollect.chat.body import MEMBERS
from recollect.chat.raw_json import without_member

KEY = "recollect"
_LITERAL = b'"recollect"'
_ESCAPES = (b"\\u006", b"\\u007")  # each letter of the key, written as an escape, begins so


def take_options(body: bytes) -> tuple[bytes, msgspec.Raw | None]:
    """Cut the member ``recollect`` out of a request's object, whatever it holds.

    Args:
        body: The request's body, not compressed.

    Returns:
        The body without it, every byte else as it was but for one comma beside it; and its value. Given
        twice, each is cut out, and the last counts, as it does for most readers of JSON (RFC 8259, 4).
        The same body and None if it has no such member or isn't a JSON object.
    """
    if _LITERAL not in body and not any(escape in body for escape in _ESCAPES):
        return body, None
    members = MEMBERS.decode(body)
    if members is None or KEY not in members:
        return body, None
    return without_member(body, body.index(b"{"), members, KEY), members[KEY]
