"""Stand-ins that ship with the engine: a store in memory, scripted, broken and slow backends.

Never: pytest. The store keeps the same contract as the one in Postgres; tests run over both.
"""

from recollect.testing.backends import (
    BrokenEmbedder,
    ScriptedExtractor,
    ScriptedJudge,
    ScriptedSummarizer,
    SlowEmbedder,
    WordEmbedder,
)
from recollect.testing.store import BrokenStore, InMemoryStore

__all__ = [
    "BrokenEmbedder",
    "BrokenStore",
    "InMemoryStore",
    "ScriptedExtractor",
    "ScriptedJudge",
    "ScriptedSummarizer",
    "SlowEmbedder",
    "WordEmbedder",
]
