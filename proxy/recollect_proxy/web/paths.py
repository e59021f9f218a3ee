"""Reads a path as any server might, however it is spelled. Pure. The path that is forwarded stays as it came.

Routing and the guard of the operator's key read paths by the same function. Some server reads
each of these as a step upwards: `..;x`, `%252e%252e`, `..%5c`, `..%00`, `%c0%ae%c0%ae`.
"""

import re
from collections.abc import Iterable, Iterator
from unicodedata import normalize
from urllib.parse import unquote_to_bytes

_DECODED_AT_MOST = 6
_BLANKS = bytes((*range(0x21), 0x7F))
_ENDS = re.compile(rb"[;?#\x00]")
"""The signs that end a segment for some server: of parameters, a query, a fragment, or a string in C."""
_STEP = re.compile(rb"[\x00-\x20\x7f]*\.[\x00-\x20\x7f]*\.[\x00-\x20\x7f]*")
"""A step upwards, with the blanks and control characters that some server removes from it."""
_PLAIN = re.compile(rb"(?:/[a-z0-9_-][a-z0-9_.-]*)+")
"""A path that every server reads alike, as nearly all are."""

_OVERLONG = re.compile(rb"[\xc0\xc1][\x80-\xbf]|\xe0[\x80\x81][\x80-\xbf]|\xf0\x80[\x80\x81][\x80-\xbf]")
"""ASCII written as longer UTF-8 than there may be (RFC 3629, section 3)."""
_SLASHES = str.maketrans("\u2044\u2215\u29f8\u29f5", "///\\")
"""Characters that Windows takes for slashes, besides those that are compatible with one."""
_UNICODE = re.compile(rb"%u([0-9a-fA-F]{4})")
"""An escape of IIS and of JavaScript's ``escape``."""


_READING = frozenset({b"chat", b"embed", b"embeddings", b"generate", b"ps", b"show", b"tags", b"version"})
"""The calls of Ollama's API that change nothing on the server (https://docs.ollama.com/api)."""
_CHANGING = frozenset({b"blobs", b"copy", b"create", b"delete", b"pull", b"push", b"signout"})
"""The calls that change the server's models or its account."""


def ollama_call(path: bytes) -> bytes:
    """Return the call of Ollama's API that a path names, as ``chat`` of ``/api/chat``; empty if it names none.

    Others have paths like these: OpenWebUI's chats are at ``/api/chat/completions``.
    """
    _, api, rest = path.rpartition(b"/api/")
    name = rest.partition(b"/")[0]
    return name if api and (rest in _READING or name in _CHANGING) else b""


def is_of_api(path: bytes, apis: Iterable[bytes]) -> bool:
    """Return whether every server reads a path, as a client wrote it, as one below one of the APIs."""
    written = b"/" + path.lower().lstrip(b"/")
    return any(
        written == api or (written.startswith(api + b"/") and not climbs(written[len(api) :])) for api in apis
    )


def changes_models(path: bytes) -> bool:
    """Return whether a path names a call by which Ollama's models are changed."""
    return ollama_call(path) in _CHANGING


def canonical(path: bytes) -> bytes:
    """Return a path as the most lenient server reads it, in lower case.

    Encodings are decoded, up to six times. A backslash becomes a slash. Parameters of segments and blanks around them
    are removed. Dot segments are resolved (RFC 3986, section 5.2.4). Repeated slashes become one, and a trailing slash is removed.
    """
    if _PLAIN.fullmatch(path):
        return path
    segments: list[bytes] = []
    for segment in _segments(_readings(path)[-1].replace(b"\\", b"/")):
        if segment == b"..":
            del segments[-1:]
        else:
            segments.append(segment)
    return b"".join(b"/" + segment for segment in segments)


def climbs(path: bytes) -> bool:
    """Return whether some server may read a path as one that leads above its start, however often it decodes it."""
    if _PLAIN.fullmatch(path):
        return False
    readings = _readings(path)
    if len(readings) > _DECODED_AT_MOST:
        return True  # it is encoded still
    return any(
        _rises(_segments(spelling))
        for reading in readings
        for spelling in {reading, reading.replace(b"\\", b"/")}
    )


def _rises(segments: Iterator[bytes]) -> bool:
    depth = 0
    for segment in segments:
        depth += -1 if segment == b".." else 1
        if depth < 0:
            return True
    return False


def _readings(path: bytes) -> list[bytes]:
    """Return a path as it is, and as it is after each decoding that changes it."""
    readings = [path.lower()]
    while len(readings) <= _DECODED_AT_MOST and (decoded := _decoded(readings[-1])) != readings[-1]:
        readings.append(decoded)
    return readings


def _decoded(path: bytes) -> bytes:
    if b"%" not in path and path.isascii():
        return path
    plain = unquote_to_bytes(_UNICODE.sub(_of_code, path))
    plain = _OVERLONG.sub(lambda found: bytes([(found[0][-2] & 1) << 6 | found[0][-1] & 0x3F]), plain)
    text = plain.decode("utf-8", "surrogateescape")
    return normalize("NFKC", text).translate(_SLASHES).lower().encode("utf-8", "surrogateescape")


def _of_code(found: re.Match[bytes]) -> bytes:
    return chr(int(found[1], 16)).encode("utf-8", "surrogatepass")


def _segments(path: bytes) -> Iterator[bytes]:
    """Yield the segments that count, without parameters and blanks; each step upwards as ``..``."""
    for written in path.split(b"/"):
        segment = _ENDS.split(written, maxsplit=1)[0].strip(_BLANKS)
        if _STEP.fullmatch(segment) or _STEP.fullmatch(written):
            yield b".."
        elif segment not in {b"", b"."}:
            yield segment
