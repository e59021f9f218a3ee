"""Has glibc's allocator give memory back to the system. For a process that is ours; never: a host's.

Without these settings glibc raises the size from which memory is mapped, and so given back when it is freed, with each large block that
is freed, up to 32 MiB; and it makes eight arenas a core, each with holes of its own. After some large texts a process
kept their memory.
"""

import ctypes

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""M_TRIM_THRESHOLD, M_MMAP_THRESHOLD and M_ARENA_MAX of mallopt(3)."""

_MAPPED_FROM = 256 * 1024
_ARENAS = 2


def give_memory_back() -> bool:
    """Set it for this process, before it has threads; return whether the allocator is one that has these settings."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:  # musl's gives memory back unasked
        return False
    chosen = ((_MMAP_THRESHOLD, _MAPPED_FROM), (_TRIM_THRESHOLD, _MAPPED_FROM), (_ARENA_MAX, _ARENAS))
    taken = [mallopt(name, value) for name, value in chosen]
    return all(taken)
