"""Which API a path asks for, however it is spelled. Pure. Never: changes what is sent on.

A server may take `/v1//chat/completions`, `/v1/chat%2Fcompletions` or `/V1/Chat/Completions` for a chat. What we took for
another path would pass without memory, and nobody would know why.
"""

from urllib.parse import unquote_to_bytes

COMPLETIONS_PATH = b"/chat/completions"
RESPONSES_PATH = b"/responses"
MESSAGES_PATH = b"/messages"

_VERSION = b"/v1"
_DECODED_AT_MOST = 3
_BLANKS = bytes(range(0x21))


def canonical(path: bytes) -> bytes:
    """Return a path as the most lenient server reads it: decoded, in small letters, without what says nothing.

    Percent-encodings are undone until there is none (three times at most), a backslash is a slash, parameters of a segment
    and blanks around it go, slashes in a row are one, dot segments are resolved (RFC 3986, section 5.2.4), and none stands
    at the end.
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
    """Return which chat API a path asks for: one of the paths above; None for no chat.

    What ends in `/chat/completions` is a chat wherever it stands, as below `/deployments/NAME`. `/responses` and `/messages`
    may end other paths (`/threads/ID/messages`), and are chats right below the base or a `/v1`.

    Args:
        plain: The path, canonical.
        base: What stands for the upstream's base URL.
    """
    if plain.endswith(COMPLETIONS_PATH):
        return COMPLETIONS_PATH
    for path in (RESPONSES_PATH, MESSAGES_PATH):
        if plain == base.lower() + path or plain.endswith(_VERSION + path):
            return path
    return None
