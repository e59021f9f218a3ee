"""Makes what was said findable: cuts a message of the log, and gives its parts terms and embeddings.

Never: who calls it and when, where the index is.
"""

from recollect.indexing.keeping import keep_indexed, soonest
from recollect.model import Embedded

__all__ = ["Embedded", "keep_indexed", "soonest"]
