"""Makes what was said findable: cuts a message of the log, and gives its parts terms and embeddings.

Never: who calls it and when, where the index is.
"""

from recollect.indexing.keeping import Embedded, keep_indexed, soonest

__all__ = ["Embedded", "keep_indexed", "soonest"]
