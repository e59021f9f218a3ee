"""Recollect inside Open WebUI: what its functions share, so that each of them stays a page.

The engine's modules are imported when one is asked for, off the event loop, as a function is loaded: see `engines`.
The functions tell which module is missing there, or of this package, and try again.
It uses none of Open WebUI's own modules, no SQL and no prompts, and keeps nothing of a request once that is over.
"""

from recollect_openwebui.button_actions import my_memories, undo
from recollect_openwebui.engines import engine_with, open_as_kept
from recollect_openwebui.erasure import begin_erasing
from recollect_openwebui.hook_call import Call
from recollect_openwebui.recall_and_remember import recall, remember

__all__ = [
    "Call",
    "begin_erasing",
    "engine_with",
    "my_memories",
    "open_as_kept",
    "recall",
    "remember",
    "undo",
]
