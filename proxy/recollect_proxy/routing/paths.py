"""Finds which API a canonical path asks for. Pure. Never: changes the path that is forwarded.

A server may treat `/v1//chat/completions`, `/v1/chat%2Fcompletions` or `/V1/Chat/Completions` as a chat. If we did not, the chat
would pass without memory, and no one would know why.
"""

COMPLETIONS_PATH = b"/chat/completions"
RESPONSES_PATH = b"/responses"
MESSAGES_PATH = b"/messages"
OLLAMA_CHAT_PATH = b"/api/chat"
OLLAMA_COMPLETION_PATH = b"/api/generate"

_VERSION = b"/v1"
_CANCEL = b"/cancel"


def is_below(path: bytes, base: bytes) -> bool:
    """Return whether a path is a base or below it."""
    return path == base or path.startswith(base + b"/")


def is_kept_answer(plain: bytes, base: bytes) -> bool:
    """Return whether a path names one answer that an upstream keeps, or cancels it.

    Args:
        plain: The canonical path.
        base: The prefix that stands for the upstream's base URL.
    """
    parent, _, last = plain.removesuffix(_CANCEL).rpartition(b"/")
    return bool(last) and chat_path(parent, base) == RESPONSES_PATH


def chat_path(plain: bytes, base: bytes) -> bytes | None:
    """Return which chat API a path asks for, as one of the paths above; None if it asks for no chat.

    A path that ends in `/chat/completions` always asks for a chat, as `/deployments/NAME/chat/completions` does. Other APIs have
    paths that end in `/responses` or `/messages` (`/threads/ID/messages`). So these two count only directly below the base or
    a `/v1`, and Ollama's directly below the base.

    Args:
        plain: The canonical path.
        base: The prefix that stands for the upstream's base URL.
    """
    if plain.endswith(COMPLETIONS_PATH):
        return COMPLETIONS_PATH
    for path in (RESPONSES_PATH, MESSAGES_PATH):
        if plain == base.lower() + path or plain.endswith(_VERSION + path):
            return path
    below = plain.removeprefix(base.lower())
    return below if below in (OLLAMA_CHAT_PATH, OLLAMA_COMPLETION_PATH) else None
