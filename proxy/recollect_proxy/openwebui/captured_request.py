"""Reads a captured request from a file, which holds an HTTP/1.1 message or JSON."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from recollect.errors import RecollectError
from recollect_proxy.web.asgi import Headers

_LARGEST = 64 * 1024 * 1024
_CHATS = "/v1/chat/completions"
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?(?:\r?\n|\Z)")
_LINE_END = re.compile(rb"\r?\n")
_HEAD_END = re.compile(rb"\r\n\r\n|\n\n")


class CaptureError(RecollectError):
    """The captured request can't be read."""


@dataclass(frozen=True, slots=True)
class CapturedRequest:
    """A request that a frontend sent.

    Attributes:
        headers: The headers in order, with lower-case names.
        body: The body, without transfer coding.
        path: The path or URL in the request line.
        peer: The IP address of the sender; None if unknown, as for a file.
    """

    headers: Headers
    body: bytes
    path: str = _CHATS
    peer: str | None = None


def read_captured_request(path: Path) -> CapturedRequest:
    """Read a file with one request: an HTTP/1.1 message, or a JSON object with `headers`, `body` and optionally `path`.

    Raises:
        CaptureError: The file can't be read, or holds no request. The error quotes nothing of the file.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except OSError as error:
        raise CaptureError(f"{path} can't be read: {error.strerror}.") from None
    if len(content) > _LARGEST:
        raise CaptureError(f"{path} is larger than any chat request: {_LARGEST} bytes at most are read.")
    if content.lstrip().startswith(b"{"):
        return _of_json(content, path)
    return _of_wire(content, path)


def _of_wire(content: bytes, path: Path) -> CapturedRequest:
    """Parse an HTTP/1.1 message (RFC 9112). Its line ends may be LF alone, as editors write them."""
    head, *rest = _HEAD_END.split(content.lstrip(), maxsplit=1)
    first, *lines = head.splitlines() or [b""]
    words = first.split()
    if len(words) < 2 or not words[1].startswith((b"/", b"http://", b"https://")):  # noqa: PLR2004 -- method and target
        raise CaptureError(
            f"{path} holds no request: neither `POST {_CHATS} HTTP/1.1` and headers, nor a JSON object."
        )
    named = [line.partition(b":") for line in lines if b":" in line]
    headers = [(name.strip().lower(), value.strip()) for name, _, value in named]
    body = b"".join(rest).strip()
    codings = b",".join(value for name, value in headers if name == b"transfer-encoding").lower()
    # Many tools save the decoded body, but keep the header.
    if b"chunked" in codings and body and not body.startswith(b"{"):
        try:
            body = _without_chunks(body)
        except ValueError:
            raise CaptureError(
                f"{path} holds a body sent in chunks (Transfer-Encoding: chunked) that is not whole: "
                "capture the request to its end, or put the body there without its chunks."
            ) from None
    return CapturedRequest(headers, body, words[1].decode("latin-1"))


def _without_chunks(content: bytes) -> bytes:
    """Decode a body in chunked transfer coding (RFC 9112, section 7.1). Line ends may be LF alone.

    Raises:
        ValueError: The last chunk is missing, or a chunk's size is wrong.
    """
    chunks: list[bytes] = []
    at = 0
    while size := _CHUNK_SIZE.match(content, at):
        end = size.end() + int(size[1], 16)
        if end == size.end():
            return b"".join(chunks)
        chunks.append(content[size.end() : end])
        if (gap := _LINE_END.match(content, end)) is None:
            break
        at = gap.end()
    raise ValueError


def _of_json(content: bytes, path: Path) -> CapturedRequest:
    try:
        given = json.loads(content)
    except (ValueError, RecursionError):
        raise CaptureError(f"{path} is no JSON that can be read.") from None
    if not isinstance(given.get("headers"), dict | list):
        raise CaptureError(f'{path} has no "headers": an object, or a list of names and values.')
    body = given.get("body", "")
    written = body if isinstance(body, str) else json.dumps(body)
    target = given.get("path")
    return CapturedRequest(
        list(_pairs(given["headers"])),
        written.encode(errors="replace"),
        target if isinstance(target, str) else _CHATS,
    )


def _pairs(headers: object) -> Iterator[tuple[bytes, bytes]]:
    """Yield the name and value of each header, one pair per item of a value that is a list. Malformed pairs are skipped."""
    listed = headers.items() if isinstance(headers, dict) else headers
    assert not isinstance(listed, str | bytes)  # noqa: S101 -- a dict's items, or a list
    for pair in listed:  # type: ignore[attr-defined]  # as above
        if isinstance(pair, list | tuple) and len(pair) == 2:  # noqa: PLR2004 -- name and value
            name, values = pair
            for value in values if isinstance(values, list) else [values]:
                yield _encoded(name).lower(), _encoded(value)


def _encoded(text: object) -> bytes:
    return str(text).strip().encode("utf-8", "replace")
