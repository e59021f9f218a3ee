"""Makes what was said findable: cuts a message of the log, and gives its parts terms and embeddings.

Never: who calls it and when, where the index is.
"""

from recollect.indexing.index_run import EmbeddingScope, index_user, shorter_wait

__all__ = ["EmbeddingScope", "index_user", "shorter_wait"]
