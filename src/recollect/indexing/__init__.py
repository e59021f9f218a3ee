"""Makes the message log searchable: splits messages into parts, and adds terms and embeddings."""

from recollect.indexing.index_run import embed_user, index_user, shorter_wait
from recollect.model import EmbeddingScope
