"""Recognises the requests that a frontend makes to a model for itself, on no user's behalf.

It never raises, and trusts no phrase alone where a person could have written it. Nothing in a body
marks such a request, so it is known by its shape; a header that names the task is surer.
"""

import re
from typing import NamedTuple

from recollect.model import Skip
from recollect.text.patterns import anchored, linear
from recollect.wire.insertion import INSTRUCTING
from recollect.wire.request_body import ChatBody, RequestShape

_SESSIONS = (
    ("temporary:", Skip.TEMPORARY),
    ("local:", Skip.TEMPORARY),
    ("channel:", Skip.CHANNEL),
    ("automation:", Skip.TASK),
)


class _Shape(NamedTuple):
    """How a kind of task looks.

    Attributes:
        opens: The beginning of the request's only user message.
        holds: Further text in that message.
        system: Text in the system messages.
        streams: Whether its answer may be streamed. A person's chat nearly always is.
    """

    opens: str = ""
    holds: str = ""
    system: str = ""
    streams: bool = False

    def fits(self, user: str, system: str, *, stream: bool) -> bool:
        return (
            (self.streams or not stream)
            and user.startswith(self.opens)
            and self.holds in user
            and self.system in system
        )


# Open WebUI's default templates (`config.py`, `utils/memory.py`, `utils/context_compaction.py`), of 0.12 and before.
_SHAPES = (
    *(
        _Shape(f"### Task:\n{opens}")
        for opens in (
            "Generate a concise title summarizing the chat history",
            "Generate a concise, 3-5 word title with an emoji summarizing the chat history",
            "Generate 1-3 broad tags categorizing the main themes of the chat history",
            "Predict 3-5 useful messages this user might naturally send next",
            "Suggest 3-5 relevant follow-up questions or prompts that the user might naturally ask next",
            "Analyze the chat history to determine the necessity of generating search queries",
            "You are an autocompletion system.",
            "Generate a detailed prompt for am image generation task",
            "Generate a detailed prompt for an image generation task",
            "Summarize the conversation history that will be compacted out",
        )
    ),
    _Shape("### Task:\nGenerate a concise title summarizing the content", "<content>"),
    _Shape("You MUST summarize the conversation history that will be compacted out"),
    _Shape("Your task is to reflect the speaker's likely facial expression through a fitting emoji."),
    _Shape(
        "You have been provided with a set of responses from various models to the latest user query",
        "Responses from models:",
        streams=True,
    ),
    _Shape("History:\n", "\nQuery: ", system="Available Tools: "),
    _Shape("Query: History:\n", "\nQuery: ", system="Available Tools: "),
    _Shape(system="You are Open WebUI's private memory reviewer."),
)

# Cherry Studio's titles.
_CHAT_AS_JSON = anchored(r'\[\s*\{\s*"role"\s*:\s*"(?:user|assistant|system)"\s*,\s*"mainText"\s*:')
_SUB_AGENT = "You are a sub-agent working on a specific task assigned by the lead agent."
# The last message of a chat, written by a machine: Open WebUI's word on a sub-agent that ended (`utils/subagents.py`); the
# prompts by which OpenClaw wakes its agents, and events of its system with nothing typed below them.
_WAKING = anchored(
    r"\[ASYNC SUBAGENT COMPLETE - [^\]\n]{1,100}\]\s"
    r"|Read HEARTBEAT\.md if it exists\b|HEARTBEAT(?:_OK|\.md)?\s*\Z|Run the following periodic tasks \(only those due\b"
    r"|\[cron:[^\]\n]{1,200}\]\s"
)
_CACHED = b'"cache_control":'
_EVENTS = linear(r"(?:System: \[[0-9]{4}-[0-9]{2}-[0-9]{2}[^\]\n]{0,40}\][^\n]*(?:\n\s*|\Z))+")
# An administrator may have put any words around it, but the chat in it is always written so.
_CLOSED_BY_CHAT = linear(r"<chat_history>\s*[A-Z]+: .*</chat_history>\s*\Z", re.DOTALL)
# LibreChat's titles, which quote the chat behind words of its own or are to be JSON; and its memory, which is given a tool and
# instructions, and reads the chat under a heading.
_QUOTES_CHAT = linear(r"\n(?:[Uu]ser|Human): (?:.*\n)?(?:AI|[Aa]ssistant):", re.DOTALL)
_ASKS_FOR_TITLE = "Provide a concise, 5-word-or-less title for the conversation"
_CHAT_UNDER_HEADING = "# Current Chat:\n\n"


def is_background_task(chat: ChatBody) -> bool:
    """Return whether a request is a frontend's own, by its shape.

    It recognizes Open WebUI's titles, tags, follow-ups, search queries, autocompletion, image prompts, emojis, merged answers,
    tool choice, memory review, compaction, note titles and sub-agents; LibreChat's titles and memory; and Cherry Studio's titles.
    A chat is a task, too, if a machine wrote its last message: a sub-agent's report, an agent's heartbeat, a scheduled prompt. A
    chat with retrieved documents begins like many tasks (``### Task:``), but is none.
    """
    system = "\n".join(message.text for message in chat.messages if message.role in INSTRUCTING)
    if _SUB_AGENT in system:
        return True
    said = [message for message in chat.messages if message.role not in INSTRUCTING]
    if _nobody_wrote(next((message.text for message in reversed(said) if message.role == "user"), "")):
        return True
    if len(said) != 1 or said[0].role != "user":
        return False
    user = said[0].text.strip()
    if _CHAT_AS_JSON.match(user) and user.endswith("}]"):
        return True
    ends_with_chat = user.endswith("</chat_history>") and _CLOSED_BY_CHAT.search(user) is not None
    if not chat.shape.stream and (ends_with_chat or _quotes_chat(user, system, chat.shape)):
        return True
    return any(shape.fits(user, system, stream=chat.shape.stream) for shape in _SHAPES)


def _quotes_chat(user: str, system: str, shape: RequestShape) -> bool:
    """Return whether a message quotes a chat in a request that no person makes: people quote chats, too."""
    if (shape.is_formatted or user.startswith(_ASKS_FOR_TITLE)) and _QUOTES_CHAT.search(user):
        return True
    return shape.has_tools and bool(system) and user.startswith(_CHAT_UNDER_HEADING)


def is_aside(chat: ChatBody) -> bool:
    """Return whether a coding agent asks for itself, behind a whole chat: its user's last message is not to be cached."""
    # Claude Code asks so for summaries: the next request won't have this message, and it lets the server cache no such part.
    at = chat.raw.rfind(_CACHED, chat.messages_span.start, chat.messages_span.end)
    spans = chat.message_spans() if at >= 0 else None
    users = (span for span, each in zip(spans or (), chat.messages, strict=False) if each.role == "user")
    last = next(filter(None, reversed([*users])), None)
    return last is not None and at < last.start


def _nobody_wrote(text: str) -> bool:
    """Return whether a machine wrote a message of the user, from its first to its last line."""
    text = text.strip()
    events = _EVENTS.match(text)
    rest = text[events.end() :] if events else text
    return bool(_WAKING.match(rest)) or (events is not None and not rest)


def session_skip(session_id: str) -> Skip | None:
    """Say why a session of this id has no memory; None if it has.

    Open WebUI names a chat that is not saved ``temporary:...`` (before: ``local:...``), and a
    channel, where several people talk, ``channel:...``. Its scheduled runs are ``automation:...``.
    """
    return next((skip for prefix, skip in _SESSIONS if session_id.startswith(prefix)), None)
