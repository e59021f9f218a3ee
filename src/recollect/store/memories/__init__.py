"""Memories: reads, changes with their audit, undo, limits, quarantine, sharing and erasure.

``Memories`` is what callers use. Read ``transaction`` first, then ``changes``: every write goes through them, under the user's lock.
"""

from recollect.store.memories.edits import Repairs
from recollect.store.memories.memories import Memories

__all__ = ["Memories", "Repairs"]
