"""Finds, ranks and selects recollections for a turn. `ranking` runs the steps: query, candidates, signals, gate, fusion."""

from recollect.retrieval.candidates import SearchReach, SearchResults, find_candidates
from recollect.retrieval.fusion import SignalWeights
from recollect.retrieval.gate import Gate
from recollect.retrieval.needs import NeedThresholds
from recollect.retrieval.query import RecallQuery, read_query
from recollect.retrieval.ranking import EXPLAINED, Ranking, of_everything, rank, with_entries
from recollect.retrieval.repetition import PromptTexts
from recollect.retrieval.selection import SelectionContext, SelectionLimits, select
from recollect.retrieval.standing import choose_standing, standing_part
from recollect.retrieval.worth import worth

__all__ = [
    "EXPLAINED",
    "Gate",
    "NeedThresholds",
    "PromptTexts",
    "Ranking",
    "RecallQuery",
    "SearchReach",
    "SearchResults",
    "SelectionContext",
    "SelectionLimits",
    "SignalWeights",
    "choose_standing",
    "find_candidates",
    "of_everything",
    "rank",
    "read_query",
    "select",
    "standing_part",
    "with_entries",
    "worth",
]
