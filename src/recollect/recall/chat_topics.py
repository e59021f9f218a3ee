"""Ranks earlier chats by topic: the embedder of statements, which knows many languages, compares a question with their words."""

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

import numpy as np

from recollect.index import Passages, Snapshot
from recollect.model import Item, Recollection, Vector

Embed: TypeAlias = Callable[[str], Awaitable[Vector]]
"""Embeds a text as a question; unit length. May raise EmbedderError."""

_COMPARED = 12
"""The most chats that are compared. Each costs an embedding of 5 to 15 ms."""
_READ = 300
"""The characters of a chat's first words that are embedded."""


def ranked_chats(messages: Sequence[Recollection]) -> tuple[str, ...]:
    """Return the chats of ranked passages and summaries, in the order of each one's best."""
    return tuple(dict.fromkeys(each.item.session_id for each in messages if each.item.session_id is not None))


async def chats_by_topic(
    messages: Sequence[Recollection], snapshot: Snapshot, asked: Vector, embed: Embed, *, seconds: float
) -> tuple[str, ...]:
    """Return the chats of ranked passages and summaries, best first.

    The first ones are ordered by the score of their best item plus the cosine of the chat's first words to the question.

    Args:
        messages: The passages and summaries, best first.
        snapshot: The person's memory, for the first words of a chat.
        asked: The question's vector.
        embed: Embeds them.
        seconds: After this time no further chat is compared.

    Raises:
        EmbedderError: A text could not be embedded.
    """
    order, near = ranked_chats(messages), {}
    end = time.perf_counter() + seconds
    for chat in order[:_COMPARED]:
        best = next(each for each in messages if each.item.session_id == chat)
        near[chat] = best.score
        if time.perf_counter() < end:
            near[chat] += float(await embed(_first_words(snapshot, best.item)[:_READ]) @ asked)
    return (*sorted(near, key=lambda chat: -near[chat]), *order[_COMPARED:])


def _first_words(snapshot: Snapshot, best: Item) -> str:
    """Return the person's first words in the chat of an item; the item's own if the log in memory has none."""
    passages, chat = snapshot.passages or Passages(), snapshot.names.sessions.get(best.session_id or "", -1)
    columns = passages.columns
    rows = np.flatnonzero((columns.session == chat) & columns.by_user & passages.is_current)
    return passages.items[rows[columns.said_at[rows].argmin()]].content if len(rows) else best.content
