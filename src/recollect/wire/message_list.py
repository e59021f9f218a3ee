"""The messages of a request, as many of them as are read. Pure.

Never: raises, or decodes long data in one go. In a long chat the messages between the first and the newest ones are
    skipped, and a message with too long a text is marked as such.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from recollect.wire import limits
from recollect.wire.raw_json import decode_text, decode_with, decoder_of

_SPEAKING = ("user", "assistant")
_NULL = msgspec.Raw(b"null")


TOO_LONG = object()
"""Replaces a text that is too long to read."""


class MessageList(NamedTuple):
    """The part of a list that was read.

    Attributes:
        items: One for each of the list.
        unread: How many of user and assistant were not read.
    """

    items: tuple[Any, ...]
    unread: int = 0


# Without `gc` the collector does not visit a hundred thousand of them; nothing in them refers back.
class _Passed(msgspec.Struct, gc=False):
    """The part of an unread message that is looked at."""

    role: Any = None


class _Large(msgspec.Struct):
    """A large message, of whose members few are looked into."""

    type: msgspec.Raw = _NULL
    role: msgspec.Raw = _NULL
    name: msgspec.Raw = _NULL
    content: msgspec.Raw = _NULL
    images: msgspec.Raw = _NULL
    tool_calls: msgspec.Raw = _NULL
    function_call: msgspec.Raw = _NULL


class _Part(msgspec.Struct, gc=False):
    """A part of a large message's content: a text, or an image of which nothing is decoded."""

    type: msgspec.Raw = _NULL
    text: msgspec.Raw = _NULL


_RAW = decoder_of(tuple[msgspec.Raw, ...])
_PASSED = decoder_of(list[_Passed])
_LARGE = decoder_of(_Large)
_PARTS = decoder_of(list[_Part])
_ANY = decoder_of(Any)
_TEXTUAL = (b'"', b"[")


class ListReader:
    """How the items of a list are read."""

    def __init__(self, kind: type[msgspec.Struct]) -> None:
        """Take the structure of an item, which may be made without any of its members."""
        self._all = decoder_of(tuple[kind, ...])  # type: ignore[valid-type]
        self._one = decoder_of(kind)
        self._kind = kind

    def read_list(self, source: msgspec.Raw) -> MessageList | None:
        """Return the part of a list that is read; None if an item is no object."""
        if limits.is_light(memoryview(source)):
            items = decode_with(self._all, source)
            return None if items is None else MessageList(items)
        listed = decode_with(_RAW, source)
        if listed is None:
            return None
        gap = range(limits.FIRST, len(listed) - limits.LAST)
        passed = (decode_with(_PASSED, source) if gap else ()) or ()
        if gap and not passed:
            return None
        unread = sum(passed[at].role in _SPEAKING for at in gap)
        first = self._each(listed[: gap.start] if gap else listed)
        last = self._each(listed[gap.stop :] if gap else ())
        if first is None or last is None:
            return None
        return MessageList((*first, *((self._kind(),) * len(gap)), *last), unread)

    def _each(self, sources: Sequence[msgspec.Raw]) -> list[Any] | None:
        read = [self._decode_items(source) for source in sources]
        return None if any(each is None for each in read) else read

    def _decode_items(self, source: msgspec.Raw) -> Any:
        if memoryview(source).nbytes <= limits.PLAIN_BYTES:
            return decode_with(self._one, source)
        large: _Large | None = decode_with(_LARGE, source)
        if large is None:
            return None
        content = content_of(large.content)
        # A content of another kind may be None; a text or a list that can't be decoded makes the request unreadable.
        if content is None and bytes(memoryview(large.content)[:1]) in _TEXTUAL:
            return None
        others = (name for name in self._kind.__struct_fields__ if name != "content")
        return self._kind(content=content, **{name: _small(getattr(large, name)) for name in others})


def content_of(source: msgspec.Raw) -> Any:
    """Return a content: a text, a list of parts, or anything else that is small; of a large list only texts are decoded.

    TOO_LONG if its text is too long to read; None if it can't be decoded.
    """
    size = memoryview(source).nbytes
    if size <= limits.PLAIN_BYTES:
        return decode_with(_ANY, source)
    if bytes(memoryview(source)[:1]) == b'"':
        return TOO_LONG if size > limits.LONGEST_TEXT else decode_text(source)
    if limits.exceeds(memoryview(source), b"{[", limits.MOST_PARTS):
        return TOO_LONG
    parts: list[_Part] | None = decode_with(_PARTS, source)
    if parts is None:
        return None
    if sum(memoryview(part.text).nbytes for part in parts) > limits.LONGEST_TEXT:
        return TOO_LONG
    return [{"type": _small(part.type), "text": _small(part.text)} for part in parts]


def _small(source: msgspec.Raw) -> Any:
    """Return the value of a string or a small value; True for anything larger, which is true in Python."""
    is_text = bytes(memoryview(source)[:1]) == b'"'
    return decode_with(_ANY, source) if is_text or memoryview(source).nbytes <= limits.PLAIN_BYTES else True
