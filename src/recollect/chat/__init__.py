"""The chat wire, of OpenAI and Anthropic: reads a turn, composes a body, listens to a reply.

Never: I/O, httpx, litestar, open_webui; and no function here raises on any bytes it is given.
"""

from recollect.chat.authored import authored_text
from recollect.chat.body import ChatBody, ChatMessage, read_body
from recollect.chat.compose import add_to_member, add_to_system
from recollect.chat.dialect import COMPLETIONS, MESSAGES, RESPONSES, Dialect
from recollect.chat.encodings import decoded
from recollect.chat.heard import Heard, hear
from recollect.chat.include import add_memories
from recollect.chat.reply import ReplyReader
from recollect.chat.said import Reply
from recollect.chat.tasks import is_background_task, session_skip
from recollect.chat.turn import read_turn

__all__ = [
    "COMPLETIONS",
    "MESSAGES",
    "RESPONSES",
    "ChatBody",
    "ChatMessage",
    "Dialect",
    "Heard",
    "Reply",
    "ReplyReader",
    "add_memories",
    "add_to_member",
    "add_to_system",
    "authored_text",
    "decoded",
    "hear",
    "is_background_task",
    "read_body",
    "read_turn",
    "session_skip",
]
