"""The Memory API: what an administrator may do with a user's memories, over HTTP, under `/memory`."""

from recollect_proxy.memory_api.application import memory_api

__all__ = ["memory_api"]
