"""The chat wire, of OpenAI and Anthropic: reads a turn, composes a body, listens to a reply.

Never: I/O, httpx, litestar, open_webui; and no function here raises on any bytes it is given.
"""

from recollect.chat.additions import Additions, restorable
from recollect.chat.anchors import Anchor, anchors
from recollect.chat.body import ChatBody, ChatMessage, read_body
from recollect.chat.dialect import COMPLETIONS, MESSAGES, RESPONSES, Dialect
from recollect.chat.encodings import decoded
from recollect.chat.limits import is_light
from recollect.chat.options import may_have_options, take_options
from recollect.chat.prompt import prompt_texts
from recollect.chat.raw_json import Span
from recollect.chat.reply import ReplyReader
from recollect.chat.reply_parser import Reply
from recollect.chat.response_memories import add_memories
from recollect.chat.splices import said_with
from recollect.chat.tasks import is_background_task, session_skip
from recollect.chat.turn import read_turn
from recollect.chat.turn_detection import DetectedTurn, detect_turn
from recollect.chat.user_text import authored_text
from recollect.model import SystemStyle

__all__ = [
    "COMPLETIONS",
    "MESSAGES",
    "RESPONSES",
    "Additions",
    "Anchor",
    "ChatBody",
    "ChatMessage",
    "DetectedTurn",
    "Dialect",
    "Reply",
    "ReplyReader",
    "Span",
    "SystemStyle",
    "add_memories",
    "anchors",
    "authored_text",
    "decoded",
    "detect_turn",
    "is_background_task",
    "is_light",
    "may_have_options",
    "prompt_texts",
    "read_body",
    "read_turn",
    "restorable",
    "said_with",
    "session_skip",
    "take_options",
]
