"""The chat wire, of OpenAI, Anthropic and Ollama: reads a turn, composes a body, listens to a reply.

It uses neither I/O, httpx, litestar nor open_webui; and no function here raises on any bytes it is given.
"""

from recollect.model import SystemStyle
from recollect.wire.dialect import COMPLETIONS, MESSAGES, OLLAMA_CHAT, OLLAMA_COMPLETION, RESPONSES, Dialect
from recollect.wire.encodings import decoded
from recollect.wire.frontend_tasks import is_background_task, session_skip
from recollect.wire.insertion import Additions, add_memories, may_have_options, said_with, take_options
from recollect.wire.raw_json import Span
from recollect.wire.reading_limits import is_light
from recollect.wire.reply import Reply, ReplyReader
from recollect.wire.request_body import ChatBody, ChatMessage, read_body
from recollect.wire.turn import DetectedTurn, anchors, detect_turn
from recollect.wire.user_text import authored_text
