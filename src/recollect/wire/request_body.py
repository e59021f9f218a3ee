"""A chat request's body and its messages, read but never rewritten. Pure.

It never raises or guesses (a value that can't be read with certainty is None), keeps no second copy, and decodes no long data in one go.
    In a long chat the messages between the first and the newest ones are skipped, and a message with too long a text is marked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from recollect.wire import reading_limits
from recollect.wire.raw_json import (
    KnownMembers,
    Span,
    decode_members,
    decode_text,
    decode_with,
    decoder_of,
    find_items,
    find_member,
)

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
        if reading_limits.is_light(memoryview(source)):
            items = decode_with(self._all, source)
            return None if items is None else MessageList(items)
        listed = decode_with(_RAW, source)
        if listed is None:
            return None
        gap = range(reading_limits.FIRST, len(listed) - reading_limits.LAST)
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
        if memoryview(source).nbytes <= reading_limits.PLAIN_BYTES:
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
    if size <= reading_limits.PLAIN_BYTES:
        return decode_with(_ANY, source)
    if bytes(memoryview(source)[:1]) == b'"':
        return TOO_LONG if size > reading_limits.LONGEST_TEXT else decode_text(source)
    if reading_limits.exceeds(memoryview(source), b"{[", reading_limits.MOST_PARTS):
        return TOO_LONG
    parts: list[_Part] | None = decode_with(_PARTS, source)
    if parts is None:
        return None
    if sum(memoryview(part.text).nbytes for part in parts) > reading_limits.LONGEST_TEXT:
        return TOO_LONG
    return [{"type": _small(part.type), "text": _small(part.text)} for part in parts]


def _small(source: msgspec.Raw) -> Any:
    """Return the value of a string or a small value; True for anything larger, which is true in Python."""
    is_text = bytes(memoryview(source)[:1]) == b'"'
    return (
        decode_with(_ANY, source)
        if is_text or memoryview(source).nbytes <= reading_limits.PLAIN_BYTES
        else True
    )


_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
_FORMATS = ("response_format", "text", "output_config", "output_format")
_EMPTY = 9
"""Bytes of a list in which an empty one ends."""

_NUMBER = decoder_of(int)
_TINY = 200
"""Tokens of an answer: a title, a list of tags or of questions fits into them, and people are rarely given so few."""


class RequestShape(NamedTuple):
    """How a request asks for its answer.

    Attributes:
        stream: Whether the answer is to come as a stream.
        most_tokens: How long it may be at most; 0: that is not said.
        is_formatted: Whether it is to be JSON, or to call a named tool, as clients ask for JSON where models take no schema.
        has_tools: Whether the model may call tools of the client.
    """

    stream: bool = False
    most_tokens: int = 0
    is_formatted: bool = False
    has_tools: bool = False

    @property
    def is_tiny(self) -> bool:
        """Whether the answer may have a few words at most."""
        return 0 < self.most_tokens <= _TINY


_UNSHAPED = RequestShape()


def shape_of(members: Mapping[str, msgspec.Raw]) -> RequestShape:
    """Return the shape of a request with these members."""
    given = (decode_with(_NUMBER, members[name]) for name in _LIMITS if name in members)
    most = next((each for each in given if each is not None and each > 0), 0)
    formats = (decode_members(members[name]) or {} for name in _FORMATS if name in members)
    # The Responses API and Anthropic have it one object further in.
    inner = (decode_members(each["format"]) or {} if "format" in each else each for each in formats)
    named_tool = (decode_members(members.get("tool_choice", b"")) or {}).keys() & {"function", "name"}
    is_formatted = bool(named_tool) or any(bytes(each.get("type", b'"text"')) != b'"text"' for each in inner)
    # Schemas of tools may take a megabyte, of which only the beginning is copied.
    tools = bytes(memoryview(members.get("tools", b""))[:_EMPTY]).replace(b" ", b"")
    has_tools = tools.startswith(b"[") and tools != b"[]"
    return RequestShape(bytes(members.get("stream", b"")) == b"true", most, is_formatted, has_tools)


MEMBERS = KnownMembers(
    *_LIMITS,
    *_FORMATS,
    "conversation",
    "input",
    "instructions",
    "messages",
    "model",
    "previous_response_id",
    "recollect",
    "stream",
    "system",
    "tool_choice",
    "tools",
)
"""Members that requests may have, in any of the APIs."""


class ChatMessage(msgspec.Struct, frozen=True):
    """One message of a chat request, as the client wrote it: any field may hold any JSON.

    Attributes:
        role: "system", "developer", "user", "assistant", "tool", or anything else.
        content: A text, a list of parts, null, or anything else.
        name: The author's name, as the client gives it.
        tool_calls: The tools it calls.
        function_call: The same in the API's older words.
    """

    role: Any = None
    content: Any = None
    name: Any = None
    tool_calls: Any = None
    function_call: Any = None

    @property
    def has_tool_calls(self) -> bool:
        """Whether it calls tools."""
        return bool(self.tool_calls or self.function_call)

    @property
    def texts(self) -> list[str]:
        """Its text parts, in order; images, audio, files and refusals left out."""
        if isinstance(self.content, str):
            return [self.content]
        if not isinstance(self.content, list):
            return []
        return [
            part["text"]
            for part in self.content
            if isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)
        ]

    @property
    def text(self) -> str:
        """Its text parts, joined by line ends."""
        return self.content if isinstance(self.content, str) else "\n".join(self.texts)


@dataclass(frozen=True, slots=True)
class ChatBody:
    """A chat request.

    Attributes:
        raw: The body as it came.
        messages: Its messages, at least one. In a very long chat the messages between the first and the newest ones
            are not read: they have neither text nor role.
        messages_span: Where in ``raw`` the list of messages stands, brackets included; or the text that is
            the only message.
        model: The model it names; "" if it names none.
        follows: The answer that this follows, which the server keeps; "" if the request has everything that was said.
        conversation: The chat's own id, if the server keeps it; else "".
        outside: How many of ``messages``, the first of them, stand elsewhere in ``raw``.
        unread: How many of user and assistant are not read.
        is_whole: Whether it has no room for earlier messages.
        shape: How it asks for its answer.
    """

    raw: bytes
    messages: tuple[ChatMessage, ...]
    messages_span: Span
    model: str = ""
    follows: str = ""
    conversation: str = ""
    outside: int = 0
    unread: int = 0
    is_whole: bool = False
    shape: RequestShape = _UNSHAPED

    def message_spans(self) -> Sequence[Span | None] | None:
        """Find the span of each message in ``raw``, None for one outside the list. Only an insertion needs the spans.

        Returns None if too little stack is left to decode deeply nested messages.
        """
        span = self.messages_span
        text = self.raw.startswith(b'"', span.start)
        listed = (span,) if text else find_items(self.raw, span)
        if listed is None or not self.outside:
            return listed
        return (*(None,) * self.outside, *listed)


_MESSAGES = ListReader(ChatMessage)


def read_body(body: bytes) -> ChatBody | None:
    """Read the body of a chat completions request, not compressed; None when it can't be read with certainty.

    Not JSON, not an object, ``messages`` missing, given twice or not a list of at least one object, or not all text is Unicode.
    """
    members = MEMBERS.decode(body)
    if members is None or "messages" not in members:
        return None
    messages = _MESSAGES.read_list(members["messages"])
    span = find_member(body, body.index(b"{"), members, "messages")
    if messages is None or not messages.items or span is None:
        return None
    return ChatBody(
        raw=body,
        messages=messages.items,
        messages_span=span,
        model=decode_text(members.get("model", b"")) or "",
        unread=messages.unread,
        shape=shape_of(members),
    )


_MODEL = "model"
_KNOWN = KnownMembers(_MODEL)


class AmbiguousModelError(ValueError):
    """A body is no JSON object, or names two models: servers differ in which of them counts."""


def named_model(body: bytes) -> str | None:
    """Return the model that a request's JSON names; None if it names none.

    Raises:
        AmbiguousModelError: The name is uncertain.
    """
    members = _KNOWN.decode(body)
    if members is None:
        raise AmbiguousModelError
    if _MODEL not in members:
        return None
    if find_member(body, body.index(b"{"), members, _MODEL) is None:
        raise AmbiguousModelError
    return decode_text(members[_MODEL])
