"""Where a request goes: by its path, and where several LLM servers share one, by its model."""

from recollect_proxy.routing.destination import Destination
from recollect_proxy.routing.paths import COMPLETIONS_PATH, MESSAGES_PATH, RESPONSES_PATH
from recollect_proxy.routing.router import Router

__all__ = ["COMPLETIONS_PATH", "MESSAGES_PATH", "RESPONSES_PATH", "Destination", "Router"]
