"""The working set: the memories and the message log of active people, as columns in this process. Read ``snapshot`` first.

Postgres stays the truth; a snapshot serves only in the versions that the store just named. ``cache`` keeps them within bounds.
"""

from recollect.index.cache import SnapshotCache, SnapshotStore
from recollect.index.inverted_indexes import (
    COVERED,
    Document,
    Entries,
    LetterRuns,
    TermScores,
    WordMatch,
    Words,
    idf,
    letter_runs,
    match_words,
    saturation,
)
from recollect.index.memories import (
    KIND_CODES,
    USE_CODES,
    Memories,
    StatementColumns,
    StoredMemory,
    with_hints,
)
from recollect.index.passages import Names, Passages, StoredPassage, utc
from recollect.index.snapshot import Loaded, Snapshot
from recollect.index.vectors import Embedded, Nearness, Vectors
