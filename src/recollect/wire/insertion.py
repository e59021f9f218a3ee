"""Puts additions into a chat request, so that what an upstream has cached of it stays valid.

Never: raises, re-serialises, or decides what text is worth adding. A message's bytes depend on nothing
that comes after it: so a request is, up to its last message, how the next one of the chat begins.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recollect.model import Message, SystemStyle
from recollect.wire.additions import INSTRUCTING, Additions, restorable
from recollect.wire.body import ChatBody
from recollect.wire.raw_json import Span, encode_text
from recollect.wire.splices import (
    GAP,
    Splice,
    in_two_parts,
    insertion,
    longer_member,
    longer_message,
    message_object,
    said_with,
    spliced,
)
from recollect.wire.user_text import own_blocks

_Places = Sequence[Span | None]


@dataclass(frozen=True, slots=True)
class Form:
    """Where an API has what is added to.

    Attributes:
        system_member: The member of the body that instructs the model; "" if a message does.
        system_parts: Whether that member may be a list of text parts.
        user_part: The type of a text part in a user's message.
        parts_users: Whether a user's text that is added to becomes a list of parts: for a cache that tells a text from its
            parts, as clients write a message as parts as long as it is the last, and as a text from then on.
    """

    system_member: str = ""
    system_parts: bool = False
    user_part: str = "text"
    parts_users: bool = False


def compose(chat: ChatBody, additions: Additions, style: SystemStyle, *, form: Form) -> bytes | None:
    """Add to a request.

    Text joins a text after a blank line, and a list of parts as one more at its end. Style ``none`` adds the system's
    text to the conversation's first message of the user, restored or in the request, in front of its other additions.

    Args:
        chat: The request.
        additions: The additions; empty texts count as none.
        style: The kinds of system text that the upstream accepts.
        form: The API it is spoken in.

    Returns:
        The request's body: the same bytes but for insertions (in place of a ``null`` content, or of
        a text that becomes a part: a replacement), and ``chat.raw`` itself if nothing is added. None if any part has no certain
        place, and then nothing is added: no such message, or not of the user, a content given twice,
        or one that is neither text, nor parts, nor null.
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
    """Return what goes where in this request: nothing empty, and where the style is ``none`` no system."""
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
    """Put the system's text where it stood before the message was restored: in front of its block."""
    blocks = own_blocks(restored)
    if not blocks:
        return said_with(restored, system)
    at = blocks[0][0]
    return said_with(said_with(restored[:at].removesuffix(GAP), system), restored[at:])


def _system(
    chat: ChatBody, text: str, style: SystemStyle, form: Form, places: _Places
) -> list[Splice | None]:
    if not text:
        return []
    if form.system_member:
        return [longer_member(chat.raw, form.system_member, text, parts=form.system_parts)]
    position = _system_position(chat, style)
    place = None if position is None else places[position]
    if place is not None:
        return [longer_message(chat.raw, place, text)]
    role = "developer" if style is SystemStyle.DEVELOPER else "system"
    return [insertion(chat.messages_span.start + 1, message_object(role, encode_text(text)) + b",")]


def _system_position(chat: ChatBody, style: SystemStyle) -> int | None:
    if chat.messages[0].role in INSTRUCTING:
        return 0
    if style is not SystemStyle.ANY:
        return None
    return next((n for n, message in enumerate(chat.messages) if message.role == "system"), None)


def _earlier(chat: ChatBody, earlier: Sequence[Message], form: Form, places: _Places) -> list[Splice | None]:
    if not earlier:
        return []
    listed = zip(chat.messages, places, strict=True)
    place = next((place for message, place in listed if place and message.role not in INSTRUCTING), None)
    if place is None:
        return [None]
    messages = b"".join(_restored(message, form) + b"," for message in earlier)
    if not chat.raw.startswith(b'"', place.start):
        return [insertion(place.start, messages)]
    opens, closes = message_object("user", b"\0").split(b"\0")
    return [insertion(place.start, b"[" + messages + opens), insertion(place.end, closes + b"]")]


def _restored(message: Message, form: Form) -> bytes:
    """Return a restored message as it was sent, with its block."""
    text = message.text
    blocks = own_blocks(text) if form.parts_users else []
    said = text[: blocks[0][0]].removesuffix(GAP) if blocks else ""
    if not said:
        return message_object(message.role, encode_text(text))
    return message_object(message.role, in_two_parts(encode_text(said), encode_text(text[blocks[0][0] :])))


def _beside(chat: ChatBody, beside: Mapping[int, str], form: Form, places: _Places) -> list[Splice | None]:
    splices: list[Splice | None] = []
    for position, text in beside.items():
        known = 0 <= position < len(places) and chat.messages[position].role == "user"
        place = places[position] if known else None
        longer = place and longer_message(chat.raw, place, text, form.user_part, parted=form.parts_users)
        splices.append(longer)
    return splices
