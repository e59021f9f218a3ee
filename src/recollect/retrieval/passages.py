"""Filters passages of the log by the question. Pure.

Passages that no question may recall are not indexed in the first place.
"""

from recollect.model import Item, Passage, Role
from recollect.retrieval.query import RecallQuery
from recollect.text.statement_features import SUBSTANCE, count_words


def may_serve(item: Item, query: RecallQuery) -> bool:
    """Return whether an item may be ranked for a query. Every memory may, and every passage with three exceptions.

    - An outdated passage serves only questions about the past.
    - A short reply of the assistant serves only questions about earlier chats or about what the assistant said.
    - Pasted text does not serve users who ask about themselves, unless they ask about earlier chats or code.
    """
    if not isinstance(item, Passage):
        return True
    if item.changed_at is not None and not query.asks_how_it_was:
        return False
    if item.pasted and query.is_about_oneself and not (query.asks_for_before or query.asks_about_code):
        return False
    return query.asks_about_reply or query.asks_for_before or not _is_remark(item)


def _is_remark(passage: Passage) -> bool:
    """Tell whether a passage is a short reply of the assistant, without code, list or named speaker."""
    if passage.role is not Role.ASSISTANT or passage.code or passage.speaker:
        return False
    shown = passage.statement
    if shown is not None and (shown.lists or shown.words >= SUBSTANCE):
        return False
    return count_words(passage.content) < SUBSTANCE
