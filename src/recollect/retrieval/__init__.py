"""From a turn to its ranked recollections. Never: SQL, prompt text."""

from recollect.retrieval.candidates import Candidates, Reach, find_candidates
from recollect.retrieval.fusion import Weights
from recollect.retrieval.gate import Gate
from recollect.retrieval.needs import Bar
from recollect.retrieval.query import Query, read_query
from recollect.retrieval.ranking import EXPLAINED, Ranking, of_everything, rank
from recollect.retrieval.selection import Selecting, Surroundings, select
from recollect.retrieval.standing import choose_standing, standing_part
from recollect.retrieval.worth import worth

__all__ = [
    "EXPLAINED",
    "Bar",
    "Candidates",
    "Gate",
    "Query",
    "Ranking",
    "Reach",
    "Selecting",
    "Surroundings",
    "Weights",
    "choose_standing",
    "find_candidates",
    "of_everything",
    "rank",
    "read_query",
    "select",
    "standing_part",
    "worth",
]
