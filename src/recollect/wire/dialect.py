"""The APIs a chat can be spoken in, each as the few things that differ. Never: raises, knows a path."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from recollect.model import SystemStyle
from recollect.wire.anthropic import MessageParser, read_messages_body
from recollect.wire.insertion import Additions, Form, compose
from recollect.wire.ollama import (
    OllamaParser,
    compose_ollama_chat,
    compose_ollama_completion,
    read_ollama_chat,
    read_ollama_completion,
)
from recollect.wire.reply import CompletionParser, ReplyParser, ReplyReader
from recollect.wire.request_body import ChatBody, read_body
from recollect.wire.responses import ResponseParser, read_responses_body


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
