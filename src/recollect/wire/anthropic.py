"""Anthropic's Messages API: reads its requests and parses its answers. Never: raises.

https://docs.anthropic.com/en/api/messages
"""

from dataclasses import replace
from typing import Any

from recollect.wire.reply import Answer, ReplyParser, objects
from recollect.wire.request_body import MEMBERS, ChatBody, ChatMessage, content_of, read_body
from recollect.wire.user_text import authored_text


def read_messages_body(body: bytes) -> ChatBody | None:
    """Read the body of a request for a message, not compressed; None when it can't be read with certainty.

    Messages of the user carry the results of tools; such a message without the user's own words is a tool's.
    """
    chat = read_body(body)
    if chat is None:
        return None
    # The system's text is a field of its own, outside the messages.
    given = (MEMBERS.decode(body) or {}).get("system")
    system = content_of(given) if given is not None else None
    instructions = (ChatMessage("system", system),) if system else ()
    messages = (*instructions, *map(_message, chat.messages))
    return replace(chat, messages=messages, outside=len(instructions))


def _message(message: ChatMessage) -> ChatMessage:
    kinds = [part.get("type") for part in objects(message.content)]
    if message.role == "user" and "tool_result" in kinds and not authored_text(message):
        return ChatMessage("tool")
    if "tool_use" in kinds:
        return ChatMessage(message.role, message.content, tool_calls=True)
    return message


class MessageParser(ReplyParser):
    """Parses a message, and the events of one."""

    def read_answer(self, answer: Answer) -> None:
        """Take in a message or an event."""
        if answer.type == "content_block_start":
            self._read_blocks([answer.content_block])
        elif answer.type == "content_block_delta" and isinstance(answer.delta, dict):
            self.append(answer.delta.get("text"))
        elif answer.type == "message_delta" and isinstance(answer.delta, dict):
            self.note_finish(answer.delta.get("stop_reason"))
        elif answer.type == "message_stop":
            self.complete = True
        elif isinstance(answer.message, dict):
            self.note_usage(answer.message.get("model"), answer.message.get("usage"))
        elif isinstance(answer.content, list):
            self._read_blocks(answer.content)
            self.note_finish(answer.stop_reason)

    def _read_blocks(self, blocks: list[Any]) -> None:
        for block in objects(blocks):
            self.has_tool_calls |= block.get("type") == "tool_use"
            if block.get("type") == "text":
                self.append(block.get("text"))
