"""OpenAI's Responses API: reads its requests and parses its answers. It never raises.

https://platform.openai.com/docs/api-reference/responses
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from recollect.wire.raw_json import decode_members, decode_text, find_member
from recollect.wire.reply import Answer, ReplyParser, objects
from recollect.wire.request_body import (
    MEMBERS,
    ChatBody,
    ChatMessage,
    ListReader,
    MessageList,
    content_of,
    shape_of,
)

_TEXTS = ("input_text", "output_text", "text")
_SAID = (
    "response.output_text.delta",
    "response.output_audio_transcript.delta",
    "response.audio.transcript.delta",
)
"""Events with a piece of the answer, as text or as a transcript."""

_ENDED = ("completed", "incomplete", "cancelled")
_UNDER_WAY = ("queued", "in_progress")

_CALLS = frozenset(
    {
        "function_call",
        "custom_tool_call",
        "computer_call",
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
        "mcp_approval_request",
    }
)
"""Calls that the client has to answer; those of tools the server runs are part of its answer."""


class _Item(msgspec.Struct):
    """One item of the input, of any type."""

    type: Any = None
    role: Any = None
    content: Any = None


_ITEMS = ListReader(_Item)


def read_responses_body(body: bytes) -> ChatBody | None:
    """Read the body of a request for a response; None when it can't be read with certainty, or has no input, or two.

    It has only the id of earlier messages that the server keeps (``previous_response_id``, ``conversation``).
    """
    members = MEMBERS.decode(body)
    if members is None:
        return None
    span = find_member(body, body.index(b"{"), members, "input")
    if span is None:
        return None
    listed = MessageList(()) if body.startswith(b'"', span.start) else _ITEMS.read_list(members["input"])
    if listed is None:
        return None
    messages = tuple(map(_message, listed.items))
    if body.startswith(b'"', span.start):
        text = content_of(members["input"])
        messages = () if text is None else (ChatMessage("user", text),)
    if not messages:
        return None
    instructions = content_of(members["instructions"]) if "instructions" in members else None
    if not isinstance(instructions, str):
        instructions = None
    return ChatBody(
        raw=body,
        messages=(ChatMessage("system", instructions), *messages) if instructions else messages,
        messages_span=span,
        model=decode_text(members.get("model", b"")) or "",
        follows=decode_text(members.get("previous_response_id", b"")) or "",
        conversation=_conversation(members),
        outside=1 if instructions else 0,
        unread=listed.unread,
        shape=shape_of(members),
    )


def _conversation(members: Mapping[str, msgspec.Raw]) -> str:
    """Return the id of the conversation that the server keeps; it is given alone, or in an object."""
    given = members.get("conversation", b"")
    return decode_text(given) or decode_text((decode_members(given) or {}).get("id", b"")) or ""


def _message(item: _Item) -> ChatMessage:
    if item.type not in (None, "message"):
        return ChatMessage("tool")  # calls, their results, reasoning: nothing that anybody says
    if not isinstance(item.content, list):
        return ChatMessage(item.role, item.content)
    parts = [
        {**part, "type": "text"} if part.get("type") in _TEXTS else part for part in objects(item.content)
    ]
    return ChatMessage(item.role, parts)


class ResponseParser(ReplyParser):
    """Parses a response, and the events of one."""

    def read_answer(self, answer: Answer) -> None:
        """Take in a response or an event."""
        kind = answer.type if isinstance(answer.type, str) else ""
        if kind in _SAID:
            self.append(answer.delta)
        elif kind == "response.output_item.done" and isinstance(answer.item, dict):
            self.has_tool_calls |= str(answer.item.get("type")) in _CALLS
        elif kind == "error":
            self.failed = True
        elif isinstance(answer.response, dict):
            self._read_state(answer.response)
        elif isinstance(answer.output, list):
            self._read_whole(answer)

    def _read_state(self, response: dict[str, Any]) -> None:
        self.note_usage(response.get("model"), response.get("usage"))
        self._note_id(response.get("id"))
        status = response.get("status")
        self.failed |= bool(response.get("error")) or status == "failed"
        self.awaited = response.get("background") is True and status in _UNDER_WAY
        if status in _ENDED:
            # A stream that is taken up again brought only the last pieces.
            self.keep_instead(list(_texts_of(response.get("output"))))
            self.note_finish(status)

    def _note_id(self, given: object) -> None:
        if isinstance(given, str):
            self.answer_id = given

    def _read_whole(self, answer: Answer) -> None:
        self._note_id(answer.id)
        for item in objects(answer.output):
            self.has_tool_calls |= str(item.get("type")) in _CALLS
        for text in _texts_of(answer.output):
            self.append(text)
        self.failed |= answer.status == "failed"
        self.awaited = answer.status in _UNDER_WAY
        self.note_finish(answer.status)


def _texts_of(output: object) -> Iterator[object]:
    """Yield the words of an output, as text or as a transcript."""
    for item in objects(output):
        for part in objects(item.get("content")):
            if part.get("type") in ("output_text", "output_audio"):
                yield part.get("text") or part.get("transcript")
