"""From a turn to its ranked recollections. Never: SQL, prompt text."""

from recollect.retrieval.dense import rank
from recollect.retrieval.gate import gated

__all__ = ["gated", "rank"]
