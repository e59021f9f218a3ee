"""Routes a request to an LLM server: by its path, or by its model if several servers share a path."""

from recollect_proxy.routing.destination import Destination
from recollect_proxy.routing.identified_only import IdentifiedOnly
from recollect_proxy.routing.paths import (
    COMPLETIONS_PATH,
    MESSAGES_PATH,
    OLLAMA_CHAT_PATH,
    OLLAMA_COMPLETION_PATH,
    RESPONSES_PATH,
)
from recollect_proxy.routing.router import Router

__all__ = [
    "COMPLETIONS_PATH",
    "MESSAGES_PATH",
    "OLLAMA_CHAT_PATH",
    "OLLAMA_COMPLETION_PATH",
    "RESPONSES_PATH",
    "Destination",
    "IdentifiedOnly",
    "Router",
]
