"""Ollama's own API: reads requests for a chat and for a completion, adds to them, and parses their answers. It never raises.

https://docs.ollama.com/api
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from recollect.model import SystemStyle
from recollect.wire.insertion import Additions, Form, compose, system_position
from recollect.wire.raw_json import (
    KnownMembers,
    Span,
    decode_members,
    decode_text,
    decode_with,
    decoder_of,
    find_member,
)
from recollect.wire.reply import Answer, ReplyParser
from recollect.wire.request_body import ChatBody, ChatMessage, ListReader, RequestShape, content_of

_BARE = ("raw", "template", "suffix", "context")
"""Members by which a client writes the whole prompt itself, or goes on from the tokens of an earlier answer."""
_UNSET = frozenset({b"null", b"false", b'""', b"[]"})
_MEMBERS = KnownMembers(
    *_BARE, "format", "images", "messages", "model", "options", "prompt", "stream", "system"
)
_TELLING = frozenset({*_BARE, "images", "messages", "prompt", "system"})
"""Members that the model's prompt is made of. Ollama ignores the case of their names, and takes the last of several."""
_NUMBER = decoder_of(int)
_MOST_LINES = 20_000
"""The most lines read of an answer that does not declare a stream."""
_NO_TURN = (ChatMessage(),)
"""The messages of a request that gets no memory: none of them is a person's."""

_CHAT = Form()
_COMPLETION = Form(system_member="system")


class _Message(msgspec.Struct):
    """One message of a chat; images stand apart from its text."""

    role: Any = None
    content: Any = None
    images: Any = None
    tool_calls: Any = None


_MESSAGES = ListReader(_Message)


def read_ollama_chat(body: bytes) -> ChatBody | None:
    """Read the body of a request to ``/api/chat``, not compressed; None when it can't be read with certainty."""
    members = _members(body)
    if members is None or "messages" not in members:
        return None
    listed = _MESSAGES.read_list(members["messages"])
    span = find_member(body, body.index(b"{"), members, "messages")
    if listed is None or not listed.items or span is None:
        return None
    messages = tuple(_said(each.role, each.content, each.images, each.tool_calls) for each in listed.items)
    return _body(body, members, messages, span, unread=listed.unread)


def read_ollama_completion(body: bytes) -> ChatBody | None:
    """Read the body of a request to ``/api/generate``, not compressed; None when it can't be read with certainty.

    Its prompt is the only message, and has no room for earlier ones. An empty one, by which a model is loaded or unloaded, is none.
    """
    members = _members(body)
    if members is None or "prompt" not in members:
        return None
    span = find_member(body, body.index(b"{"), members, "prompt")
    prompt = content_of(members["prompt"])
    if span is None or not body.startswith(b'"', span.start) or prompt is None:
        return None
    if prompt == "":
        return _body(body, members, _NO_TURN, span, is_whole=True)
    system = content_of(members["system"]) if "system" in members else None
    instructions = (ChatMessage("system", system),) if system else ()
    messages = (*instructions, _said("user", prompt, bytes(members.get("images", b"null")) not in _UNSET))
    return _body(body, members, messages, span, outside=len(instructions), is_whole=True)


def _members(body: bytes) -> dict[str, msgspec.Raw] | None:
    """Return a request's members; None if it isn't an object, or Ollama may read another member than the one that we know."""
    members = _MEMBERS.decode(body)
    if members is None or any(name not in _TELLING and name.casefold() in _TELLING for name in members):
        return None
    return members


def _said(role: object, content: object, images: object, tool_calls: object = None) -> ChatMessage:
    """Return a message with its images as parts of its content, as other APIs have them."""
    if images and isinstance(content, str):
        content = [{"type": "text", "text": content}, {"type": "image"}]
    return ChatMessage(role, content, tool_calls=tool_calls)


def _body(
    body: bytes,
    members: Mapping[str, msgspec.Raw],
    messages: tuple[ChatMessage, ...],
    span: Span,
    *,
    outside: int = 0,
    unread: int = 0,
    is_whole: bool = False,
) -> ChatBody:
    if any(bytes(members.get(name, b"null")) not in _UNSET for name in _BARE):
        messages, outside = _NO_TURN, 0
    return ChatBody(
        raw=body,
        messages=messages,
        messages_span=span,
        model=decode_text(members.get("model", b"")) or "",
        outside=outside,
        unread=unread,
        is_whole=is_whole,
        shape=_shape(members),
    )


def _shape(members: Mapping[str, msgspec.Raw]) -> RequestShape:
    """Return how a request asks for its answer, which is streamed unless it says otherwise."""
    options = decode_members(members.get("options", b"{}")) or {}
    most = decode_with(_NUMBER, options["num_predict"]) if "num_predict" in options else None
    return RequestShape(
        stream=bytes(members.get("stream", b"true")) != b"false",
        most_tokens=max(most or 0, 0),
        is_formatted=bytes(members.get("format", b"null")) not in _UNSET,
    )


def compose_ollama_chat(chat: ChatBody, additions: Additions, style: SystemStyle) -> bytes | None:
    """Add to a chat, as ``compose`` does."""
    return compose(chat, additions, _style(chat, style), form=_CHAT)


def compose_ollama_completion(chat: ChatBody, additions: Additions, style: SystemStyle) -> bytes | None:
    """Add to a completion, as ``compose`` does; None if there are earlier messages, for which it has no place."""
    if additions.earlier:
        return None
    return compose(chat, additions, _style(chat, style), form=_COMPLETION)


def _style(chat: ChatBody, style: SystemStyle) -> SystemStyle:
    """Return the style for a request: none where no system text of its own can be made longer."""
    # A text of ours would displace the one that the model brings (its SYSTEM).
    return SystemStyle.NONE if system_position(chat, style) is None else style


class OllamaParser(ReplyParser):
    """Parses an answer, and the lines of one; the thoughts in it are not read."""

    def parse_whole(self, body: bytes) -> None:
        """Read an answer that is not said to be a stream; some servers call lines JSON."""
        super().parse_whole(body)
        if not self.complete:
            for line in body.split(b"\n", _MOST_LINES):
                self.parse_event(b"", [line])

    def read_answer(self, answer: Answer) -> None:
        """Take in an answer or a line."""
        if isinstance(answer.message, dict):
            self.append(answer.message.get("content"))
            self.has_tool_calls |= bool(answer.message.get("tool_calls"))
        else:
            self.append(answer.response)
        if answer.done is True:
            usage = {"prompt_tokens": answer.prompt_eval_count, "completion_tokens": answer.eval_count}
            self.note_usage(answer.model, usage)
            self.note_finish(answer.done_reason or "stop")
