"""What an identity is: a caller, a mode's claim, and which texts can be an id."""

from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import unquote_to_bytes

from recollect.model import COMMONS, Skip
from recollect_proxy.asgi import Headers

_LONGEST_ID = 256


@dataclass(frozen=True, slots=True)
class Caller:
    """What the headers say about a request.

    Attributes:
        user_id: Whose memory it is; None where that is unknown.
        skip: Why there is no memory for this request, or None.
        session_id: The frontend's id of the chat, if it gave one.
        message_id: The frontend's id of the user message, if it gave one.
        parent_id: The frontend's id of the message before that one; ROOT where it says there is none; None: unknown.
        credential: The request's ``Authorization``, for background calls on its behalf.
        sends_all: Whether the frontend is known to send all that was said before the message; None: unknown.
        by_openwebui: Whether it is certain to be OpenWebUI's, and not of a client that names its user as OpenWebUI does.
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
    """What a mode that applies to a request says.

    Attributes:
        user_id: Whose it is; None where the proof fails.
        by_openwebui: Whether only OpenWebUI itself says so in this way.
    """

    user_id: str | None = None
    by_openwebui: bool = False


REFUSED = Claim()

OPENWEBUI_USER = frozenset(b"x-openwebui-user-" + name for name in (b"id", b"email", b"name", b"role"))
"""The plain headers by which OpenWebUI names a user: all of them, where others who name theirs send the first."""


class Mode(Protocol):
    """One way to tell who is speaking."""

    @property
    def headers(self) -> frozenset[bytes]:
        """The headers it reads, lower-case: they are for us, and go no further."""
        ...

    @property
    def secrets(self) -> frozenset[bytes]:
        """Those of them that go no further whatever is configured: who has one could be anybody."""
        ...

    def claim(self, headers: Headers, peer: str | None) -> Claim | None:
        """Return what the request claims; None if this mode does not apply to it.

        Args:
            headers: The request's.
            peer: The address it came from, or None where that is unknown.
        """
        ...


def readable_id(found: list[bytes]) -> str | None:
    """Return an id: exactly one value, percent-decoded UTF-8, as ``opaque_id`` allows.

    OpenWebUI percent-encodes what is not ASCII in the values of custom headers.
    """
    if len(found) != 1:
        return None
    try:
        return opaque_id(unquote_to_bytes(found[0].strip()).decode())
    except UnicodeDecodeError:
        return None


def opaque_id(text: object) -> str | None:
    """Return ``text`` if it can be an id: 1 to 256 characters, no NUL, no lone surrogate.

    Nothing else is read into it. ``*`` names what users share, and is nobody's.
    """
    if not isinstance(text, str) or not 0 < len(text) <= _LONGEST_ID or text == COMMONS:
        return None
    broken = "\0" in text or any("\ud800" <= character <= "\udfff" for character in text)
    return None if broken else text
