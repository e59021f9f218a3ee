"""Recollect inside Open WebUI: what its functions share, so that each of them stays a page.

What an engine needs that opens is imported with it: the functions import this package off the event loop, tell which module is
missing, and try again.
Never: Open WebUI's own modules, SQL, prompts, anything of one request once that is over.
"""

import recollect.assembly.lifecycle  # noqa: F401 -- see above
from recollect_openwebui.conversation import recall, remember
from recollect_openwebui.engines import engine_with, open_as_kept
from recollect_openwebui.erasure import begin_erasing, begin_erasing_chat, begin_erasing_chats
from recollect_openwebui.hook_call import Call
from recollect_openwebui.undo_action import undo

__all__ = [
    "Call",
    "begin_erasing",
    "begin_erasing_chat",
    "begin_erasing_chats",
    "engine_with",
    "open_as_kept",
    "recall",
    "remember",
    "undo",
]
