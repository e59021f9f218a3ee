"""Recall: from a turn's question to its ranked memories.

Read ``ranking`` first. ``needed_statements`` judges statements, ``log_scores`` the log, by the bars in ``thresholds``; ``last_chat``
finds the chats that a question asks for.
``trained`` holds the weights that ``bench.training`` writes, and examples to compare with.
"""

from recollect.recall.common_names import shared_names, told_twice
from recollect.recall.last_chat import ChatsAsked, chats_of, earlier_chats, with_chats, with_words_of_chats
from recollect.recall.log_scores import SignalWeights
from recollect.recall.needed_statements import may_be_unhelpful, worth
from recollect.recall.question import (
    MessageVectors,
    RecallQuery,
    StatementVectors,
    Watch,
    read_query,
    statement_vectors,
)
from recollect.recall.ranking import (
    EXPLAINED,
    FoundCounts,
    LogSources,
    Ranking,
    Reach,
    Tuning,
    compare_words,
    rank,
    with_overview,
)
from recollect.recall.selection import PromptTexts, SelectionContext, SelectionLimits, select
from recollect.recall.thresholds import Gate, NeedThresholds
