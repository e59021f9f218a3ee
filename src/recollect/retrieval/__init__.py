"""From a turn to its ranked recollections. Never: SQL, prompt text."""

from recollect.retrieval.candidates import Candidates, Reach, find_candidates
from recollect.retrieval.fusion import Weights
from recollect.retrieval.gate import Gate
from recollect.retrieval.query import Query, read_query
from recollect.retrieval.ranking import EXPLAINED, Ranking, rank
from recollect.retrieval.selection import Selecting, Surroundings, select

__all__ = [
    "EXPLAINED",
    "Candidates",
    "Gate",
    "Query",
    "Ranking",
    "Reach",
    "Selecting",
    "Surroundings",
    "Weights",
    "find_candidates",
    "rank",
    "read_query",
    "select",
]
