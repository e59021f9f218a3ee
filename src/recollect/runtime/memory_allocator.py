"""Makes glibc's allocator return memory to the system, in our own processes; never in a host's.

glibc maps large blocks, and unmaps them when they are freed. By default each freed block raises the size from which it maps, up
to 32 MiB, and it makes eight arenas a core, which fragment separately. So a process kept the memory of a few large texts.
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
