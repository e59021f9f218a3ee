"""Decides whether a turn recalls anything at all. Pure. Never: await."""

from collections.abc import Sequence

from recollect.model import Recollection


def gated(ranked: Sequence[Recollection], *, threshold: float) -> tuple[Recollection, ...]:
    """Return all of ``ranked`` if its best score reaches ``threshold``, else nothing.

    The query is gated, not the item: the scores of what answers a question and of what does not
    overlap, so no threshold on single items is safe, while the best score of a question that has
    nothing to do with the store stays low.
    """
    if not ranked or max(recollection.score for recollection in ranked) < threshold:
        return ()
    return tuple(ranked)
