"""Makes the message log searchable: splits messages into parts, and adds terms and embeddings."""

from recollect.indexing.index_run import EmbeddingScope, index_user, shorter_wait

__all__ = ["EmbeddingScope", "index_user", "shorter_wait"]
