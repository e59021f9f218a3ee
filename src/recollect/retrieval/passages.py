"""Which passages of the log a question may be given. Pure.

What may never be recalled is not even indexed; here is what depends on the question.
"""

from recollect.model import Item, Passage, Role
from recollect.retrieval.query import RecallQuery
from recollect.text.statement_features import SUBSTANCE, count_words


def may_serve(item: Item, query: RecallQuery) -> bool:
    """Return whether an item may be ranked for a query: each memory may, and each passage but for three sorts.

    What was told otherwise since is for who asks how it was; an answer of a few words for who asks what the assistant said;
    and what others wrote tells nothing of who asks about themselves.
    """
    if not isinstance(item, Passage):
        return True
    if item.changed_at is not None and not query.asks_how_it_was:
        return False
    if item.pasted and query.is_about_oneself and not (query.asks_for_before or query.asks_about_code):
        return False
    return query.asks_about_reply or query.asks_for_before or not _is_remark(item)


def _is_remark(passage: Passage) -> bool:
    """Tell whether a passage is from a short answer of the assistant that is neither code nor a list, nor a named speaker's."""
    if passage.role is not Role.ASSISTANT or passage.code or passage.speaker:
        return False
    shown = passage.statement
    if shown is not None and (shown.lists or shown.words >= SUBSTANCE):
        return False
    return count_words(passage.content) < SUBSTANCE
