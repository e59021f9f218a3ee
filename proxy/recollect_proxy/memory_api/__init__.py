"""The Memory API over HTTP, under `/memory`: answers each operation of the table in `recollect.api`. Read `application` first."""

from recollect_proxy.memory_api.application import MemoryApi

__all__ = ["MemoryApi"]
