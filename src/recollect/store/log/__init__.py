"""Rows of the message log: how a turn is written in one call, and the index of passages.

Read ``turn_writing`` first; ``index`` keeps passages with their terms and embeddings.
"""

from recollect.store.log.index import LogIndex

__all__ = ["LogIndex"]
