"""Adds text to a chat request by splicing bytes; every other byte stays as the client sent it.

Never: raises, re-serialises, or decides what text is worth adding.
"""

from typing import NamedTuple

from recollect.chat.body import ChatBody
from recollect.chat.raw_json import Span, decode_members, encode_text, find_member

_INSTRUCTING = ("system", "developer")
_GAP = "\n\n"


def add_to_system(chat: ChatBody, text: str) -> bytes:
    """Add text to what the system says.

    It goes to the end of the first message if that is of the system or the developer, else to the
    end of the first system message wherever it stands, else into a new system message in front.

    Args:
        chat: The request.
        text: What to add.

    Returns:
        The request's body: the same bytes but for one insertion (in place of a ``null`` content:
        one replacement). Unchanged if there is no text to add, or if the message's content is
        given twice or is neither text, nor parts, nor null.
    """
    if not text:
        return chat.raw
    position = _system_position(chat)
    splice = _new_first_message(chat, text) if position is None else _appended(chat, position, text)
    return chat.raw if splice is None else splice.applied_to(chat.raw)


def add_to_member(chat: ChatBody, name: str, text: str, *, parts: bool) -> bytes:
    """Add text to a member of the request's object: to the end of what it says, or as all of it.

    Args:
        chat: The request.
        name: The member that instructs the model: a text, or a list of text parts.
        text: What to add.
        parts: Whether it may be a list of parts; else one stays as it is.

    Returns:
        The request's body: the same bytes but for one insertion (in place of ``null``: one
        replacement). Unchanged if there is no text to add, or if the member is given twice or is
        neither text, nor parts, nor null.
    """
    members = decode_members(chat.raw)
    if not text or members is None:
        return chat.raw
    start = chat.raw.index(b"{")
    if name not in members:
        comma = b"," if members else b""
        return _insertion(start + 1, b'"' + name.encode() + b'":' + encode_text(text) + comma).applied_to(
            chat.raw
        )
    at = find_member(chat.raw, start, members, name)
    content = bytes(members[name])
    if at is None or (content.startswith(b"[") and not parts):
        return chat.raw
    splice = _longer(at, content, text)
    return chat.raw if splice is None else splice.applied_to(chat.raw)


class _Splice(NamedTuple):
    span: Span
    replacement: bytes

    def applied_to(self, source: bytes) -> bytes:
        return source[: self.span.start] + self.replacement + source[self.span.end :]


def _insertion(at: int, new: bytes) -> _Splice:
    return _Splice(Span(at, at), new)


def _system_position(chat: ChatBody) -> int | None:
    if chat.messages[0].role in _INSTRUCTING:
        return 0
    return next((n for n, message in enumerate(chat.messages) if message.role == "system"), None)


def _new_first_message(chat: ChatBody, text: str) -> _Splice:
    message = b'{"role":"system","content":' + encode_text(text) + b"},"
    return _insertion(chat.messages_span.start + 1, message)


def _appended(chat: ChatBody, position: int, text: str) -> _Splice | None:
    message = chat.message_span(position)
    members = decode_members(chat.raw[message.start : message.end])
    if members is None:
        return None
    if "content" not in members:
        return _insertion(message.end - 1, b',"content":' + encode_text(text))
    content = find_member(chat.raw, message.start, members, "content")
    return None if content is None else _longer(content, bytes(members["content"]), text)


def _longer(at: Span, content: bytes, text: str) -> _Splice | None:
    """Make the content that stands at ``at`` longer by the text."""
    if content == b"null":
        return _Splice(at, encode_text(text))
    if content.startswith(b'"'):
        gap = "" if content == b'""' else _GAP
        return _insertion(at.end - 1, encode_text(gap + text)[1:-1])
    if content.startswith(b"["):
        comma = b"," if content[1:-1].strip() else b""
        part = b'{"type":"text","text":' + encode_text(text) + b"}"
        return _insertion(at.end - 1, comma + part)
    return None
