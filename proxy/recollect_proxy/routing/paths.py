"""Finds which API a path asks for, in whatever spelling. Pure. Never: changes the path that is forwarded.

A server may treat `/v1//chat/completions`, `/v1/chat%2Fcompletions` or `/V1/Chat/Completions` as a chat. If we did not, the chat
would pass without memory, and nobody would know why.
"""

from urllib.parse import unquote_to_bytes

COMPLETIONS_PATH = b"/chat/completions"
RESPONSES_PATH = b"/responses"
MESSAGES_PATH = b"/messages"

_VERSION = b"/v1"
_DECODED_AT_MOST = 3
_BLANKS = bytes(range(0x21))


def canonical(path: bytes) -> bytes:
    """Return a path as the most lenient server reads it, in lower case.

    Percent-encodings are decoded, up to three times. A backslash becomes a slash. Parameters of segments and blanks around them
    are removed. Dot segments are resolved (RFC 3986, section 5.2.4). Repeated slashes become one, and a trailing slash is removed.
    """
    for _ in range(_DECODED_AT_MOST):
        decoded = unquote_to_bytes(path)
        if decoded == path:
            break
        path = decoded
    segments: list[bytes] = []
    for written in path.lower().replace(b"\\", b"/").split(b"/"):
        segment = written.partition(b";")[0].strip(_BLANKS)
        if segment == b"..":
            del segments[-1:]
        elif segment not in {b"", b"."}:
            segments.append(segment)
    return b"".join(b"/" + segment for segment in segments)


def is_below(path: bytes, base: bytes) -> bool:
    """Return whether a path lies below a base, or is it."""
    return path == base or path.startswith(base + b"/")


def chat_path(plain: bytes, base: bytes) -> bytes | None:
    """Return which chat API a path asks for, as one of the paths above; None if it asks for no chat.

    A path that ends in `/chat/completions` always asks for a chat, as `/deployments/NAME/chat/completions` does. Other APIs have
    paths that end in `/responses` or `/messages` (`/threads/ID/messages`). So these two count only directly below the base or
    a `/v1`.

    Args:
        plain: The canonical path.
        base: The prefix that stands for the upstream's base URL.
    """
    if plain.endswith(COMPLETIONS_PATH):
        return COMPLETIONS_PATH
    for path in (RESPONSES_PATH, MESSAGES_PATH):
        if plain == base.lower() + path or plain.endswith(_VERSION + path):
            return path
    return None
