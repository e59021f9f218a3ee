"""``python -m recollect.worker``: the process itself. It gets its settings over standard input."""

import gc
import os

from recollect.runtime.memory_allocator import give_memory_back

_NICENESS = 5
"""Chats come first where processors are few; so does a start, whose process imports at the same time."""

os.nice(_NICENESS)
give_memory_back()
gc.disable()  # imported modules stay: it collects once it is at work

from recollect.worker.main import main  # noqa: E402 -- behind that

main()
