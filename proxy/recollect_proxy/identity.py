"""Who is speaking: a request's headers become a caller. Never: the body's messages."""

from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from recollect.model import COMMONS, Skip
from recollect_proxy.asgi import Headers, values

_LONGEST_ID = 256
_PREFIXES = (b"x-recollect-", b"x-openwebui-")  # a frontend tells more than we read: name, e-mail address


@dataclass(frozen=True, slots=True)
class Caller:
    """What the headers say about a request.

    Attributes:
        user_id: Whose memory it is; None where that is unknown.
        skip: Why there is no memory for this request, or None.
        session_id: The frontend's id of the chat, if it gave one.
        message_id: The frontend's id of the user message, if it gave one.
        credential: The request's ``Authorization``, for background calls on its behalf.
    """

    user_id: str | None = None
    skip: Skip | None = None
    session_id: str | None = None
    message_id: str | None = None
    credential: str | None = None


class HeaderIdentity:
    """Reads the identity from plain headers: for a trusted network only."""

    def __init__(self, *, user: str, session: str, message: str, task: str) -> None:
        self._user = user.encode()
        self._session = session.encode()
        self._message = message.encode()
        self._task = task.encode()

    def is_ours(self, name: bytes) -> bool:
        """Whether a header (lower-case ``name``) tells us something, or who speaks, and goes no further."""
        return name.startswith(_PREFIXES) or name in {self._user, self._session, self._message, self._task}

    def identify(self, headers: Headers) -> Caller:
        """Return who is speaking. A header sent twice is nobody's: it may have been smuggled in."""
        users = values(headers, self._user)
        if not any(value.strip() for value in users):
            return Caller(skip=Skip.NO_IDENTITY)
        user_id = readable_id(users)
        if user_id is None or user_id == COMMONS:
            return Caller(skip=Skip.BAD_IDENTITY)
        if any(value.strip() for value in values(headers, self._task)):
            return Caller(user_id, Skip.TASK)
        authorization = values(headers, b"authorization")
        return Caller(
            user_id,
            session_id=readable_id(values(headers, self._session)),
            message_id=readable_id(values(headers, self._message)),
            credential=authorization[0].decode("latin-1") if authorization else None,
        )


def readable_id(found: list[bytes]) -> str | None:
    """Return an id: exactly one value, percent-decoded UTF-8, 1 to 256 characters, no NUL."""
    if len(found) != 1:
        return None
    try:
        text = unquote_to_bytes(found[0].strip()).decode()
    except UnicodeDecodeError:
        return None
    return text if 0 < len(text) <= _LONGEST_ID and "\0" not in text else None
