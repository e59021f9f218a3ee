"""Puts additions into a chat request, takes our own member out of it, and adds memories to an answer.

It never raises, does not serialize again, decides neither on the text that is worth adding nor on what can be asked. A message's bytes depend on nothing
that comes after it: so a request is, up to its last message, how the next one of the chat begins, and what an upstream has
cached of it stays valid.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, NamedTuple

import msgspec

from recollect.model import Message, Role, SystemStyle
from recollect.wire import reading_limits
from recollect.wire.raw_json import (
    Span,
    decode_members,
    encode_text,
    find_member,
    linear_bytes,
    without_member,
)
from recollect.wire.request_body import MEMBERS, ChatBody
from recollect.wire.user_text import own_blocks

INSTRUCTING = ("system", "developer")
"""Roles that tell the model how to answer."""


@dataclass(frozen=True, slots=True)
class Additions:
    """The additions to a request.

    Attributes:
        system: Text for the system's message.
        beside: Position of a message of the user in ``ChatBody.messages``, to the text that is added to
            the end of its content.
        earlier: The conversation's messages that the request lacks, oldest first. They are restored as ordinary
            messages, in front of all others but the system's. A user's text comes with its own additions, joined by
            ``said_with``.
    """

    system: str = ""
    beside: Mapping[int, str] = field(default_factory=dict)
    earlier: tuple[Message, ...] = ()


def restorable(chat: ChatBody, earlier: Sequence[Message]) -> tuple[Message, ...]:
    """Return what of the earlier messages, oldest first, is restored in front of a request.

    Blank messages and those of others are left out. The rest takes turns, the user first.
    """
    # Anthropic and many chat templates refuse anything but turns.
    said = (message for message in earlier if message.role in (Role.USER, Role.ASSISTANT))
    kept: list[Message] = []
    for role, run in groupby((message for message in said if message.text.strip()), lambda said: said.role):
        messages = list(run)
        if role is Role.USER:
            kept.append(messages[-1])  # the others had no answer
        elif kept:
            kept.append(replace(messages[0], text=GAP.join(message.text for message in messages)))
    goes_on = next((message.role for message in chat.messages if message.role not in INSTRUCTING), None)
    if kept and kept[-1].role is Role.USER and goes_on != "assistant":
        kept.pop()
    return tuple(kept)


GAP = "\n\n"
"""Separates a message's text from the addition."""


class _Splice(NamedTuple):
    """Bytes that replace the ones at ``span``; an insertion if it is empty."""

    span: Span
    replacement: bytes


def insertion(at: int, new: bytes) -> _Splice:
    """Return what puts ``new`` in front of the byte at ``at``."""
    return _Splice(Span(at, at), new)


def spliced(source: bytes, splices: Iterable[_Splice]) -> bytes:
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


def _message_object(role: str, content: bytes) -> bytes:
    """Return a message as JSON; the content is JSON already."""
    return b'{"role":"' + role.encode() + b'","content":' + content + b"}"


def _longer_message(
    source: bytes, message: Span, text: str, part: str = "text", *, parted: bool = False
) -> _Splice | None:
    """Return what adds text to the end of a message's content: an insertion, or the replacement of a ``null``.

    ``parted``: a content that is a text becomes a list, with the addition as a part of its own.

    None if the content is given twice or is neither text, nor parts, nor null.
    """
    raw = source[message.start : message.end]
    if raw.startswith(b'"'):
        return _longer_content(message, raw, text, part)
    members = decode_members(raw)
    if members is None:
        return None
    if "content" not in members:
        return insertion(message.end - 1, b',"content":' + encode_text(text))
    content = find_member(source, message.start, members, "content")
    said = bytes(members["content"])
    if parted and content is not None and said.startswith(b'"') and said != b'""':
        return _Splice(content, _in_two_parts(said, encode_text(text), part))
    return None if content is None else _longer_content(content, said, text, part)


def _in_two_parts(said: bytes, added: bytes, kind: str = "text") -> bytes:
    """Return a content of two parts as JSON; both texts are JSON already."""
    return b"[" + _part(kind, said) + b"," + _part(kind, added) + b"]"


def _part(kind: str, text: bytes) -> bytes:
    return b'{"type":"' + kind.encode() + b'","text":' + text + b"}"


def _longer_content(at: Span, content: bytes, text: str, part: str = "text") -> _Splice | None:
    """Return what adds text to the end of the content that stands at ``at``; None if it can't take any."""
    if content == b"null":
        return _Splice(at, encode_text(text))
    if content.startswith(b'"'):
        # In front of the closing quote, without the quotes that the text gets as JSON.
        gap = "" if content == b'""' else GAP
        return insertion(at.end - 1, encode_text(gap + text)[1:-1])
    if content.startswith(b"["):
        comma = b"," if content[1:-1].strip() else b""
        return insertion(at.end - 1, comma + _part(part, encode_text(text)))
    return None


def _longer_member(source: bytes, name: str, text: str, *, parts: bool) -> _Splice | None:
    """Return the splice that adds text to the end of a member's string, or makes it the whole string.

    None if the member is given twice or is neither text, nor parts, nor null.
    """
    members = MEMBERS.decode(source)
    if members is None:
        return None
    # It was decoded as an object, so nothing but spaces is in front of its brace.
    start = source.index(b"{")
    if name not in members:
        comma = b"," if members else b""
        return insertion(start + 1, b'"' + name.encode() + b'":' + encode_text(text) + comma)
    at = find_member(source, start, members, name)
    content = bytes(members[name])
    if at is None or (content.startswith(b"[") and not parts):
        return None
    return _longer_content(at, content, text)


_Places = Sequence[Span | None]


@dataclass(frozen=True, slots=True)
class Form:
    """The members and types of an API to which memories are added.

    Attributes:
        system_member: The member of the body that instructs the model; "" if a message does.
        system_parts: Whether that member may be a list of text parts.
        user_part: The type of a text part in a user's message.
        parts_users: Whether a user's message becomes a list of parts when text is added. Some clients send their last message
            as parts and earlier ones as text, and the server's prompt cache tells the two apart.
    """

    system_member: str = ""
    system_parts: bool = False
    user_part: str = "text"
    parts_users: bool = False


def compose(chat: ChatBody, additions: Additions, style: SystemStyle, *, form: Form) -> bytes | None:
    """Return a request's body with the additions: the same bytes but for insertions, and ``chat.raw`` itself if nothing is added.

    Text joins a text after a blank line, and a list of parts as one more at its end; a ``null`` content, or a text that becomes
    a part, is replaced. Style ``none`` adds the system's text to the first message of the user, restored or in the request, in
    front of its other additions. None if any part has no certain place: no such message, or not of the user, a content given
    twice, or one that is neither text, nor parts, nor null.
    """
    placed = _placed(chat, additions, style)
    if placed is None:
        return None
    if not (placed.system or placed.earlier or placed.beside):
        return chat.raw
    places = chat.message_spans()
    if places is None:
        return None
    splices = [
        *_system(chat, placed.system, style, form, places),
        *_earlier(chat, placed.earlier, form, places),
        *_beside(chat, placed.beside, form, places),
    ]
    certain = [splice for splice in splices if splice is not None]
    return spliced(chat.raw, certain) if len(certain) == len(splices) else None


def _placed(chat: ChatBody, additions: Additions, style: SystemStyle) -> Additions | None:
    """Return the additions that this request can take: without empty ones, and without system text if the style is ``none``."""
    beside = {position: text for position, text in additions.beside.items() if text}
    earlier = restorable(chat, additions.earlier)
    if style is not SystemStyle.NONE or not additions.system:
        return Additions(additions.system, beside, earlier)
    if earlier:
        first = replace(earlier[0], text=_with_system(earlier[0].text, additions.system))
        return Additions("", beside, (first, *earlier[1:]))
    position = next((n for n, message in enumerate(chat.messages) if message.role == "user"), None)
    if position is None:
        return None
    return Additions("", beside | {position: said_with(additions.system, beside.get(position, ""))})


def _with_system(restored: str, system: str) -> str:
    """Put the system's text in front of the message's block, its place before the message was restored."""
    blocks = own_blocks(restored)
    if not blocks:
        return said_with(restored, system)
    at = blocks[0][0]
    return said_with(said_with(restored[:at].removesuffix(GAP), system), restored[at:])


def _system(
    chat: ChatBody, text: str, style: SystemStyle, form: Form, places: _Places
) -> list[_Splice | None]:
    if not text:
        return []
    if form.system_member:
        return [_longer_member(chat.raw, form.system_member, text, parts=form.system_parts)]
    position = system_position(chat, style)
    place = None if position is None else places[position]
    if place is not None:
        return [_longer_message(chat.raw, place, text)]
    role = "developer" if style is SystemStyle.DEVELOPER else "system"
    return [insertion(chat.messages_span.start + 1, _message_object(role, encode_text(text)) + b",")]


def system_position(chat: ChatBody, style: SystemStyle) -> int | None:
    """Return the position of the message that takes the system's text; None if that needs a new one."""
    if chat.messages[0].role in INSTRUCTING:
        return 0
    if style is not SystemStyle.ANY:
        return None
    # One that comes later may be new in a chat whose upstream has cached its beginning.
    roles = [message.role for message in chat.messages]
    begins = roles[: roles.index("user")] if "user" in roles else roles
    return begins.index("system") if "system" in begins else None


def _earlier(chat: ChatBody, earlier: Sequence[Message], form: Form, places: _Places) -> list[_Splice | None]:
    if not earlier:
        return []
    listed = zip(chat.messages, places, strict=True)
    place = next((place for message, place in listed if place and message.role not in INSTRUCTING), None)
    if place is None:
        return [None]
    messages = b"".join(_restored(message, form) + b"," for message in earlier)
    # An input that is a text becomes the content of the last message of a list.
    if not chat.raw.startswith(b'"', place.start):
        return [insertion(place.start, messages)]
    opens, closes = _message_object("user", b"\0").split(b"\0")
    return [insertion(place.start, b"[" + messages + opens), insertion(place.end, closes + b"]")]


def _restored(message: Message, form: Form) -> bytes:
    """Return a restored message as it was sent, with its block."""
    text = message.text
    blocks = own_blocks(text) if form.parts_users else []
    said = text[: blocks[0][0]].removesuffix(GAP) if blocks else ""
    if not said:
        return _message_object(message.role, encode_text(text))
    return _message_object(message.role, _in_two_parts(encode_text(said), encode_text(text[blocks[0][0] :])))


def _beside(chat: ChatBody, beside: Mapping[int, str], form: Form, places: _Places) -> list[_Splice | None]:
    splices: list[_Splice | None] = []
    for position, text in beside.items():
        known = 0 <= position < len(places) and chat.messages[position].role == "user"
        place = places[position] if known else None
        longer = place and _longer_message(chat.raw, place, text, form.user_part, parted=form.parts_users)
        splices.append(longer)
    return splices


KEY = "recollect"


def _written(letter: str) -> str:
    """Return an expression for a letter as JSON may have it (RFC 8259, section 7)."""
    return f"(?:{letter}|\\\\u00(?i:{ord(letter):02x}))"


_AS_KEY = linear_bytes(f'"{"".join(map(_written, KEY))}"[ \\t\\n\\r]*:'.encode())


class TakenOptions(NamedTuple):
    """A body without its options (None if the request holds too much besides them), and the options."""

    body: bytes | None
    options: msgspec.Raw | None = None


def may_have_options(body: bytes) -> bool:
    """Return whether an object anywhere in a body has a member ``recollect``, in linear time."""
    return _AS_KEY.search(body) is not None


def take_options(body: bytes) -> TakenOptions:
    """Cut the member ``recollect``, with one comma, out of a request's body, which is not compressed.

    Given twice, each is cut out, and the last counts, as it does for most readers of JSON (RFC 8259, 4). A body that has no such
    member, or isn't a JSON object, stays.
    """
    # The members of a smaller body are decoded sooner than its bytes are searched.
    if len(body) > reading_limits.LIGHT_BYTES and not may_have_options(body):
        return TakenOptions(body)
    if not reading_limits.is_readable(body):
        return TakenOptions(None)
    members = MEMBERS.decode(body)
    if members is None or KEY not in members:
        return TakenOptions(body)
    return TakenOptions(without_member(body, body.index(b"{"), members, KEY), members[KEY])


def add_memories(
    body: bytes, memories: Sequence[Mapping[str, Any]], *, used_history_tokens: int | None = None
) -> bytes:
    """Add memories to an answer, as its last members ``memories`` and, if it is known, ``used_history_tokens``.

    They may hold what JSON can, and also UUIDs and times. Every other byte stays; so does the whole body if it isn't a JSON
    object, or has a member of either name already.

    Raises:
        TypeError: A memory holds what JSON can't.
    """
    members = decode_members(body)
    added: dict[str, Any] = {"memories": [dict(memory) for memory in memories]}
    if used_history_tokens is not None:
        added["used_history_tokens"] = used_history_tokens
    if members is None or not added.keys().isdisjoint(members):
        return body
    end = body.rindex(b"}")
    comma = b"," if members else b""
    return b"".join((body[:end], comma, msgspec.json.encode(added)[1:-1], body[end:]))
