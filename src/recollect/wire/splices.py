"""Changes to a body as bytes put in at certain places; every other byte stays as it came.

Never: raises, re-serialises, or decides what text goes where.
"""

from collections.abc import Iterable
from typing import NamedTuple

from recollect.wire.body import MEMBERS
from recollect.wire.raw_json import Span, decode_members, encode_text, find_member

GAP = "\n\n"
"""Separates a message's text from the addition."""


class Splice(NamedTuple):
    """Bytes that replace the ones at ``span``; an insertion if it is empty."""

    span: Span
    replacement: bytes


def insertion(at: int, new: bytes) -> Splice:
    """Return what puts ``new`` in front of the byte at ``at``."""
    return Splice(Span(at, at), new)


def spliced(source: bytes, splices: Iterable[Splice]) -> bytes:
    """Return the source with all changes; the same object if there are none.

    They don't overlap, and come in any order; of insertions at one place the first comes first.
    """
    pieces: list[bytes] = []
    at = 0
    for splice in sorted(splices, key=lambda splice: splice.span.start):
        pieces += source[at : splice.span.start], splice.replacement
        at = splice.span.end
    return b"".join((*pieces, source[at:])) if pieces else source


def said_with(said: str, added: str) -> str:
    """Return a message's text with its addition, exactly as in the body."""
    return f"{said}{GAP}{added}" if said and added else said or added


def message_object(role: str, content: bytes) -> bytes:
    """Return a message as JSON; the content is JSON already."""
    return b'{"role":"' + role.encode() + b'","content":' + content + b"}"


def longer_message(
    source: bytes, message: Span, text: str, part: str = "text", *, parted: bool = False
) -> Splice | None:
    """Return what adds text to the end of a message's content: an insertion, or the replacement of a ``null``.

    ``parted``: a content that is a text becomes a list, with the addition as a part of its own.

    None if the content is given twice or is neither text, nor parts, nor null.
    """
    raw = source[message.start : message.end]
    if raw.startswith(b'"'):
        return longer_content(message, raw, text, part)
    members = decode_members(raw)
    if members is None:
        return None
    if "content" not in members:
        return insertion(message.end - 1, b',"content":' + encode_text(text))
    content = find_member(source, message.start, members, "content")
    said = bytes(members["content"])
    if parted and content is not None and said.startswith(b'"') and said != b'""':
        return Splice(content, in_two_parts(said, encode_text(text), part))
    return None if content is None else longer_content(content, said, text, part)


def in_two_parts(said: bytes, added: bytes, kind: str = "text") -> bytes:
    """Return a content of two parts as JSON; both texts are JSON already."""
    return b"[" + _part(kind, said) + b"," + _part(kind, added) + b"]"


def _part(kind: str, text: bytes) -> bytes:
    return b'{"type":"' + kind.encode() + b'","text":' + text + b"}"


def longer_content(at: Span, content: bytes, text: str, part: str = "text") -> Splice | None:
    """Return what adds text to the end of the content that stands at ``at``; None if it can't take any."""
    if content == b"null":
        return Splice(at, encode_text(text))
    if content.startswith(b'"'):
        gap = "" if content == b'""' else GAP
        return insertion(at.end - 1, encode_text(gap + text)[1:-1])
    if content.startswith(b"["):
        comma = b"," if content[1:-1].strip() else b""
        return insertion(at.end - 1, comma + _part(part, encode_text(text)))
    return None


def longer_member(source: bytes, name: str, text: str, *, parts: bool) -> Splice | None:
    """Return the splice that adds text to the end of a member's string, or makes it the whole string.

    None if the member is given twice or is neither text, nor parts, nor null.
    """
    members = MEMBERS.decode(source)
    if members is None:
        return None
    start = source.index(b"{")
    if name not in members:
        comma = b"," if members else b""
        return insertion(start + 1, b'"' + name.encode() + b'":' + encode_text(text) + comma)
    at = find_member(source, start, members, name)
    content = bytes(members[name])
    if at is None or (content.startswith(b"[") and not parts):
        return None
    return longer_content(at, content, text)
