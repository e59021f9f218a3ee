"""The APIs a chat can be spoken in, each as the few things that differ; Anthropic's Messages API is read here. It never raises, and knows no path."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from recollect.model import SystemStyle
from recollect.wire.insertion import Additions, Form, compose
from recollect.wire.ollama import (
    OllamaParser,
    compose_ollama_chat,
    compose_ollama_completion,
    read_ollama_chat,
    read_ollama_completion,
)
from recollect.wire.reply import Answer, CompletionParser, ReplyParser, ReplyReader, objects
from recollect.wire.request_body import MEMBERS, ChatBody, ChatMessage, content_of, read_body
from recollect.wire.responses import ResponseParser, read_responses_body
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


@dataclass(frozen=True, slots=True)
class Dialect:
    """An API that a chat can be spoken in.

    Attributes:
        name: Its name in metrics.
        read: Reads a request's body; None when it can't be read with certainty.
        compose: Splices all additions into the bytes; None if the place of one is uncertain.
        parser: Parses an answer.
        kept_by_server: Whether the request after a tool's result may lack the user's message, because the server
            keeps it. Then the request that led to the tool call is the last one with the user's words.
    """

    name: str
    read: Callable[[bytes], ChatBody | None]
    compose: Callable[[ChatBody, Additions, SystemStyle], bytes | None]
    parser: type[ReplyParser]
    kept_by_server: bool = False

    def listen(self, content_type: str, content_encoding: str) -> ReplyReader:
        """Return a reader of an answer with these headers; "" for one that is absent."""
        return ReplyReader(content_type, content_encoding, self.parser())


COMPLETIONS = Dialect("completions", read_body, partial(compose, form=Form()), CompletionParser)
"""OpenAI's chat completions, as nearly every server speaks them."""

RESPONSES = Dialect(
    "responses",
    read_responses_body,
    partial(compose, form=Form(system_member="instructions", user_part="input_text")),
    ResponseParser,
    kept_by_server=True,
)
"""OpenAI's responses."""

MESSAGES = Dialect(
    "messages",
    read_messages_body,
    partial(compose, form=Form(system_member="system", system_parts=True, parts_users=True)),
    MessageParser,
)
"""Anthropic's messages."""

OLLAMA_CHAT = Dialect("ollama-chat", read_ollama_chat, compose_ollama_chat, OllamaParser)
"""Ollama's chats."""

OLLAMA_COMPLETION = Dialect(
    "ollama-generate", read_ollama_completion, compose_ollama_completion, OllamaParser
)
"""Ollama's completions of one prompt."""
