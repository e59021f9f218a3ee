"""The types of identification: the caller, a mode's claim, the mode itself, and the rules for a user's id."""

from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import unquote_to_bytes

from recollect.model import COMMONS, Skip
from recollect_proxy.asgi import Headers

_LONGEST_ID = 256


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request, and which chat and message it belongs to, by its headers.

    Attributes:
        user_id: The user whose memory is used; None if unknown.
        skip: Why this request gets no memory; None if it gets memory.
        session_id: The frontend's id of the chat; None if it sent none.
        message_id: The frontend's id of the user's message; None if it sent none.
        parent_id: The frontend's id of the message before that one; ROOT for a chat's first message; None if unknown.
        credential: The value of ``Authorization``, for background calls on the caller's behalf.
        sends_all: Whether the request is known to carry everything said before its message; None if unknown.
        by_openwebui: Whether the request certainly comes from OpenWebUI, not from a client that uses the same user header.
    """

    user_id: str | None = None
    skip: Skip | None = None
    session_id: str | None = None
    message_id: str | None = None
    credential: str | None = field(default=None, repr=False)
    sends_all: bool | None = None
    parent_id: str | None = None
    by_openwebui: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """The verdict of a mode that applies to a request.

    Attributes:
        user_id: The user's id; None if the mode rejects the request.
        by_openwebui: Whether only OpenWebUI identifies a user in this way.
    """

    user_id: str | None = None
    by_openwebui: bool = False


REFUSED = Claim()

OPENWEBUI_USER = frozenset(b"x-openwebui-user-" + name for name in (b"id", b"email", b"name", b"role"))
"""The plain headers by which OpenWebUI names a user. It sends all of them; other clients send the id alone."""


class Mode(Protocol):
    """One way to identify the user of a request."""

    @property
    def headers(self) -> frozenset[bytes]:
        """The lower-case names of the headers that the mode reads and the proxy does not forward."""
        ...

    @property
    def secrets(self) -> frozenset[bytes]:
        """The subset of ``headers`` that is never forwarded, whatever the settings: whoever has one can claim any user."""
        ...

    def claim(self, headers: Headers, peer: str | None) -> Claim | None:
        """Return the verdict on a request; None if this mode does not apply to it.

        Args:
            headers: The request's headers.
            peer: The IP address that the request came from; None if unknown.
        """
        ...


def readable_id(found: list[bytes]) -> str | None:
    """Return the id in a header's values; None unless there is exactly one value, and ``opaque_id`` accepts it.

    The value is percent-decoded as UTF-8: OpenWebUI percent-encodes non-ASCII characters in custom headers.
    """
    if len(found) != 1:
        return None
    try:
        return opaque_id(unquote_to_bytes(found[0].strip()).decode())
    except UnicodeDecodeError:
        return None


def opaque_id(text: object) -> str | None:
    """Return ``text`` if it is a valid id, else None. Valid are 1 to 256 characters without NUL and lone surrogates.

    ``*`` is invalid: it is the owner of shared memories.
    """
    if not isinstance(text, str) or not 0 < len(text) <= _LONGEST_ID or text == COMMONS:
        return None
    broken = "\0" in text or any("\ud800" <= character <= "\udfff" for character in text)
    return None if broken else text
