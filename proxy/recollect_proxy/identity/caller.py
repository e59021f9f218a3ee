"""The types of identification: the caller, a mode's claim, the mode itself, and the rules for a user's id."""

from base64 import b64decode
from dataclasses import dataclass, field
from email.errors import MessageError
from email.header import decode_header, make_header
from typing import Protocol
from urllib.parse import unquote_to_bytes

from recollect.errors import ConfigurationError
from recollect.model import COMMONS, SEPARATOR, Skip, project_name
from recollect.text.normalization import is_unfilled, storable_text
from recollect_proxy.web.asgi import Headers

_LONGEST_ID = 256
_LONGEST_NAME = 100  # prompts and pages show it
_BASE64 = b"b64:"
"""The prefix by which LibreChat marks a header's value as base64 of UTF-8: it has characters that Latin-1 lacks."""
_LONGEST_ENCODED = 4_096
"""The most bytes of encoded words that are decoded."""

_CONTROLS = frozenset(range(0x80, 0xA0))
"""The control characters of Latin-1, which no text has: such bytes are another encoding."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender, the chat and the message of a request, as its headers name them.

    Attributes:
        user_id: The user whose memory is used; None if unknown.
        skip: Why this request gets no memory; None if it gets memory.
        parent_id: The frontend's id of the message before that one; ROOT for a chat's first message; None if unknown.
        credential: The value of ``Authorization``, for background calls on the caller's behalf.
        sends_all: Whether the request is known to carry everything said before its message; None if unknown.
        name: The name of the user, as the frontend shows it.
        by_openwebui: Whether the request certainly comes from OpenWebUI, not from a client that uses the same user header.
        by_agent: Whether the request comes from a coding agent that names its chats.
        project: The one project that its key is for; "": any of the person's, and their own memory.
    """

    user_id: str | None = None
    skip: Skip | None = None
    session_id: str | None = None
    message_id: str | None = None
    credential: str | None = field(default=None, repr=False)
    sends_all: bool | None = None
    parent_id: str | None = None
    by_openwebui: bool = False
    by_agent: bool = False
    zone: str = ""
    name: str = field(default="", repr=False)
    project: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """The verdict of a mode that applies to a request; the user's id is None if the mode rejects it.

    Attributes:
        by_openwebui: Whether only OpenWebUI identifies a user in this way.
        is_unfilled: Whether the mode rejects it for an id that is a template which was not filled in.
        project: The one project that the proof is for; "": any of the user's, and their own memory.
    """

    user_id: str | None = None
    by_openwebui: bool = False
    is_unfilled: bool = False
    name: str = field(default="", repr=False)
    project: str = ""

    @classmethod
    def from_text(cls, text: object, *, by_openwebui: bool = False, name: object = None) -> "Claim":
        """Return the claim to be the user with an id; a rejection if ``opaque_id`` does not accept it."""
        user_id = opaque_id(text)
        if user_id is None:
            return cls(is_unfilled=isinstance(text, str) and text != "" and is_unfilled(text))
        return cls(user_id, by_openwebui, name=shown_name(name))


REFUSED = Claim()

OPENWEBUI_USER = frozenset(b"x-openwebui-user-" + name for name in (b"id", b"email", b"name", b"role"))
"""The plain headers by which OpenWebUI names a user. It sends all of them; other clients send the id alone."""


class Mode(Protocol):
    """One way to identify the user of a request.

    Attributes:
        headers: The lower-case names of the headers that the mode reads and the proxy does not forward.
        secrets: The subset of ``headers`` that is never forwarded, whatever the settings: they prove any identity.
    """

    headers: frozenset[bytes] = frozenset()
    secrets: frozenset[bytes] = frozenset()

    def claim(self, headers: Headers, peer: str | None) -> Claim | None:
        """Return the verdict on a request with these headers from this IP address; None if the mode does not apply to it."""
        ...


def shown_name(text: object) -> str:
    """Return a user's name for display, in one line; "" if ``text`` is none, as a template that was not filled in."""
    if not isinstance(text, str) or is_unfilled(text):
        return ""
    return " ".join(storable_text(text).split())[:_LONGEST_NAME]


def readable_id(found: list[bytes]) -> str | None:
    """Return the id in a header's values; None unless there is exactly one value, and ``opaque_id`` accepts it.

    The value is decoded as ``header_text`` does.
    """
    return opaque_id(header_text(found[0])) if len(found) == 1 else None


def readable_project(found: list[bytes]) -> str | None:
    """Return the project's name in a header's values; None unless there is exactly one value, which is such a name."""
    text = header_text(found[0]) if len(found) == 1 else None
    return None if text is None or is_unfilled(text) else project_name(text)


def header_text(value: bytes) -> str | None:
    """Return a header's value as text, whichever way the client encoded it, so that one person has one id; None if it is no text."""
    value = value.strip()
    if value.startswith(_BASE64) and (decoded := _of_base64(value.removeprefix(_BASE64))) is not None:
        return decoded
    # Encoded words of RFC 2047, as some libraries send.
    if value.startswith(b"=?") and (decoded := _of_encoded_words(value)) is not None:
        return decoded
    if b"%" in value and is_unfilled(value.decode("latin-1")):
        return value.decode("latin-1")  # as %USER%: its first three bytes may be an escape
    plain = unquote_to_bytes(value)  # OpenWebUI percent-encodes UTF-8, curl sends it as it is
    try:
        return plain.decode()
    except UnicodeDecodeError:  # Latin-1, as of browsers and Node; a control byte is in no name
        return None if _CONTROLS.intersection(plain) else plain.decode("latin-1")


def _of_base64(encoded: bytes) -> str | None:
    try:
        # Padding is optional.
        text = b64decode(encoded + b"=" * (-len(encoded) % 4), validate=True).decode()
    except ValueError:
        return None  # a text that only begins so
    # No honest client encodes ASCII: this would be an id that the client may not send in plain form.
    return None if text.isascii() else text


def _of_encoded_words(value: bytes) -> str | None:
    if len(value) > _LONGEST_ENCODED:
        return None
    try:
        text = str(make_header(decode_header(value.decode("ascii"))))
    except (ValueError, LookupError, MessageError):  # no such charset, no such bytes in it, no base64
        return None
    return None if text.isascii() else text


def opaque_id(text: object) -> str | None:
    """Return ``text`` if it is a valid id, else None. Valid are 1 to 256 characters without NUL, U+001F and lone surrogates.

    ``*`` and a template that was not filled in are invalid.
    """
    if not isinstance(text, str) or not 0 < len(text) <= _LONGEST_ID or text == COMMONS:
        return None
    # `*` owns the shared memories, U+001F begins the name of a project, and Postgres holds no NUL.
    broken = not {"\0", SEPARATOR}.isdisjoint(text) or any(
        "\ud800" <= character <= "\udfff" for character in text
    )
    # Everybody would have the id of an unfilled template.
    return None if broken or is_unfilled(text) else text


_SHORTEST = 32
_FEWEST_CHARACTERS = 10


def is_strong(secret: str) -> bool:
    """Whether a secret has at least 32 bytes (RFC 7518, section 3.2) and ten different characters."""
    return len(secret.encode()) >= _SHORTEST and len(set(secret)) >= _FEWEST_CHARACTERS


def require_strong(secret: str, setting: str) -> None:
    """Raise ConfigurationError, which names ``setting``, unless a secret is strong."""
    if not is_strong(secret):
        raise ConfigurationError(
            f"{setting} is too weak: take {_SHORTEST} random characters or more, as of `openssl rand -hex 32`."
        )
