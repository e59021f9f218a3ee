"""The APIs a chat can be spoken in, each as the few things that differ. Never: raises, knows a path."""

from collections.abc import Callable
from dataclasses import dataclass

from recollect.chat.anthropic import SaidMessage, read_messages_body
from recollect.chat.body import ChatBody, read_body
from recollect.chat.compose import add_to_member, add_to_system
from recollect.chat.reply import ReplyReader
from recollect.chat.responses import SaidResponse, read_responses_body
from recollect.chat.said import SaidCompletion


@dataclass(frozen=True, slots=True)
class Dialect:
    """An API that a chat can be spoken in.

    Attributes:
        read: Reads a request's body; None when it can't be read with certainty.
        add_to_system: Adds text to what the system says, by splicing bytes.
        listen: Makes a reader of an answer from its ``Content-Type`` and ``Content-Encoding``.
        kept_by_server: Whether what follows on a tool's result may come without what the user said: then
            an answer that calls tools is the last time that the user's words are seen.
    """

    read: Callable[[bytes], ChatBody | None]
    add_to_system: Callable[[ChatBody, str], bytes]
    listen: Callable[[str, str], ReplyReader]
    kept_by_server: bool = False


COMPLETIONS = Dialect(
    read_body,
    add_to_system,
    lambda content_type, encoding: ReplyReader(content_type, encoding, SaidCompletion()),
)
"""OpenAI's chat completions, as nearly every server speaks them."""

RESPONSES = Dialect(
    read_responses_body,
    lambda body, text: add_to_member(body, "instructions", text, parts=False),
    lambda content_type, encoding: ReplyReader(content_type, encoding, SaidResponse()),
    kept_by_server=True,
)
"""OpenAI's responses."""

MESSAGES = Dialect(
    read_messages_body,
    lambda body, text: add_to_member(body, "system", text, parts=True),
    lambda content_type, encoding: ReplyReader(content_type, encoding, SaidMessage()),
)
"""Anthropic's messages."""
