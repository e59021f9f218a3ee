"""The name of a client in the audit: bounded and printable.

In the protocol's versions with a handshake a client names itself once, and each later request may come to another replica.
So the session id that answers the handshake holds the name; it opens nothing, as each request brings its token.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from secrets import token_urlsafe
from typing import Any

import msgspec

UNNAMED = "unnamed"
_LONGEST = 64
_PREFIX = "r1."
_LONGEST_SESSION = 512


def printable_name(given: object) -> str:
    """Return a client's name of 64 characters at most, in one line; ``UNNAMED`` if it gives none."""
    if not isinstance(given, str):
        return UNNAMED
    shown = "".join(letter if letter.isprintable() else " " for letter in given[: 4 * _LONGEST])
    return " ".join(shown.split())[:_LONGEST].rstrip() or UNNAMED


def named_in_handshake(body: bytes) -> str | None:
    """Return the name in the body of an `initialize` request; None for any other body."""
    try:
        message: Any = msgspec.json.decode(body)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.get("method") != "initialize":
        return None
    params = message.get("params")
    info = params.get("clientInfo") if isinstance(params, dict) else None
    return printable_name(info.get("name") if isinstance(info, dict) else None)


def session_of(name: str) -> str:
    """Return a session id that holds a name: printable ASCII, another one each time."""
    encoded = urlsafe_b64encode(name.encode("utf-8", "replace")).decode("ascii").rstrip("=")
    return f"{_PREFIX}{token_urlsafe(12)}.{encoded}"


def named_in_session(session: str | None) -> str | None:
    """Return the name in a session id; None if it is not one of ours."""
    if session is None or not session.startswith(_PREFIX) or len(session) > _LONGEST_SESSION:
        return None
    encoded = session.rpartition(".")[2]
    try:
        return printable_name(urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode())
    except (Base64Error, ValueError):
        return None
