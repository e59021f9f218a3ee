"""Hides messages of the log: a deleted memory must not come back from the words that taught it.

Never: decides which.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from uuid import UUID

from asyncpg import Record

from recollect.model import Reason
from recollect.store.log.index import delete_chunks
from recollect.store.memories.transaction import Transaction
from recollect.store.sql import SQL
from recollect.store.users.profiles import forget_in_profile
from recollect.text.lexical import document_terms


class Hidden(NamedTuple):
    """The hidden messages, and the summaries that were retired with them."""

    messages: list[UUID]
    summaries: list[UUID]


async def hide_messages(
    transaction: Transaction, reason: Reason, messages: Sequence[UUID], *, items: Sequence[UUID] = ()
) -> Hidden:
    """Hide these messages of the log and all texts that repeat them from recall and formation.

    With them go their answers, answers that used them or ``items`` and share a word with those, blocks in prompts that name them,
    and entries of the profile that ``items`` proposed. Summaries that rest on them are retired for ``reason``.

    Args:
        transaction: The transaction.
        reason: Why.
        messages: Which messages.
        items: Memories that go with them.
    """
    connection, user_id = transaction.connection, transaction.user_id
    hidden = _ids(await connection.fetch(SQL["hide_messages"], user_id, messages))
    await connection.execute(SQL["form_no_more"], user_id, hidden, transaction.at)
    summaries = _ids(await connection.fetch(SQL["summaries_resting_on"], user_id, hidden))
    said = [*items, *summaries, *hidden]
    given = await connection.fetch(SQL["answers_given"], user_id, said)
    answers = await with_a_word_of(transaction, given, said)
    if reason is Reason.ERASED:  # the chat's model knows the erased text, also without a prompt of ours
        behind = await connection.fetch(SQL["answers_behind"], user_id, hidden)
        answers += await with_a_word_of(transaction, behind, items)
    await connection.execute(SQL["hide_answers"], user_id, answers)
    summaries += _ids(await connection.fetch(SQL["summaries_resting_on"], user_id, answers))
    hidden += answers
    await delete_chunks(connection, user_id, hidden)
    await transaction.forget_injections([*items, *summaries, *hidden])
    await forget_in_profile(connection, user_id, items)
    summaries = sorted({*summaries})
    await _retire_summaries(transaction, reason, summaries)
    return Hidden(hidden, summaries)


async def with_a_word_of(
    transaction: Transaction, answers: Sequence[Record], items: Sequence[UUID]
) -> list[UUID]:
    """Return which of these answers have a word of these memories and messages."""
    if not answers:
        return []
    rows = await transaction.connection.fetch(SQL["told_by_items"], transaction.user_id, items)
    terms = set(document_terms("\n".join(row["content"] for row in rows)))
    return [row["id"] for row in answers if not terms.isdisjoint(document_terms(row["content"]))]


async def _retire_summaries(transaction: Transaction, reason: Reason, summaries: Iterable[UUID]) -> None:
    for summary_id in summaries:
        summary = await transaction.seen(summary_id)
        await transaction.retire(summary, reason, details={"says_what_is_hidden": True})
        await transaction.connection.execute(
            SQL["summarize_anew"], transaction.user_id, summary.provenance.session_id
        )


def _ids(rows: Iterable[Record]) -> list[UUID]:
    return [row["id"] for row in rows]
