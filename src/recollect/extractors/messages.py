"""Writes what the extraction model is told. Never: HTTP, the answer, what becomes of it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from recollect.errors import ConfigurationError
from recollect.model import Exchange, Memory, Message, Role

WORDS_LENGTH = 12_000
"""The most characters shown of the user's own words; of longer ones the beginning and the end."""

REPLY_LENGTH = 2_000
"""The most characters shown of the reply, and of an unreadable answer to repair."""

HISTORY_MESSAGES = 6
"""How many earlier messages are shown."""

HISTORY_LENGTH = 600
"""The most characters shown of each of them."""

MEMORY_LENGTH = 600
"""The most characters shown of an existing memory."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt file: its version, and its text."""

    version: int
    text: str


@cache
def read_prompt(name: str) -> Prompt:
    """Read ``prompts/{name}.md`` of this package.

    Raises:
        ConfigurationError: The file does not begin with a line ``version: N``.
    """
    front, _, text = (
        (resources.files("recollect") / "prompts" / f"{name}.md").read_text("utf-8").partition("\n")
    )
    label, _, version = front.partition(":")
    if label != "version" or not version.strip().isdecimal():
        raise ConfigurationError(f"The prompt {name} does not begin with its version.")
    return Prompt(int(version), text.strip())


def cut(text: str, length: int) -> str:
    """Return ``text`` at most about ``length`` characters long, its middle left out."""
    if len(text) <= length:
        return text
    return f"{text[: length * 2 // 3].rstrip()} [...] {text[-(length // 3) :].lstrip()}"


def sendable(text: str) -> str:
    """Return ``text`` without lone surrogates and NULs, which servers refuse."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")


def extraction_messages(exchange: Exchange, known: Sequence[Memory]) -> list[dict[str, str]]:
    """Return the messages that ask for the candidates of ``exchange``.

    The texts stand between fence lines that carry a digest of all of them, so that none of them
    can hold a line that closes its own fence.
    """
    turn = exchange.turn
    memories = "\n".join(_memory_line(number, memory) for number, memory in enumerate(known))
    history = "\n".join(_history_line(message) for message in turn.history[-HISTORY_MESSAGES:])
    words = cut(turn.text, WORDS_LENGTH)
    reply = cut(exchange.reply, REPLY_LENGTH)
    parts = [
        ("Existing memories, numbered", memories),
        ("Earlier in this chat, only to understand the message", history),
        ("The person's message, the only source of memories", words),
        ("The assistant's reply, only to understand the message", reply),
    ]
    fence = "=" * 5 + hashlib.blake2b(repr(parts).encode("utf-8", "replace"), digest_size=6).hexdigest()
    lines = [f"Date of the message: {turn.at:%A, %Y-%m-%d, %H:%M}"]
    if turn.speaker:
        lines.append(f"Name of the person: {' '.join(turn.speaker.split())[:100]}")
    lines += [f"\n{title}:\n{fence}\n{text}\n{fence}" for title, text in parts if text.strip()]
    return [
        {"role": "system", "content": read_prompt("extraction").text},
        {"role": "user", "content": sendable("\n".join(lines))},
    ]


def repair_messages(asked: Sequence[dict[str, str]], answer: str, problem: str) -> list[dict[str, str]]:
    """Return the messages that show the model its unreadable ``answer`` and ask for a readable one."""
    shown = sendable(cut(answer, REPLY_LENGTH)).strip() or "(no text)"
    request = read_prompt("repair").text.replace("{problem}", problem)
    return [*asked, {"role": "assistant", "content": shown}, {"role": "user", "content": request}]


def without_system(messages: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Return ``messages`` with the system prompt moved into the first user message.

    Some models know no system role.
    """
    system, first, *rest = messages
    return [{"role": "user", "content": f"{system['content']}\n\n{first['content']}"}, *rest]


def _memory_line(number: int, memory: Memory) -> str:
    content = " ".join(cut(memory.content, MEMORY_LENGTH).split())
    return f"[{number}] ({memory.kind}, {memory.dated:%Y-%m-%d}) {content}"


def _history_line(message: Message) -> str:
    speaker = "Assistant" if message.role is Role.ASSISTANT else "Person"
    return f"{speaker}: {' '.join(cut(message.text, HISTORY_LENGTH).split())}"
